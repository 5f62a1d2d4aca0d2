// Which instruction sets the kernels are compiled for: plain C++, SSE4, AVX2 and AVX-512. Left out
// are sets that would only add copies of the same code. Comes before Highway's other headers.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)

#include <hwy/targets.h>
