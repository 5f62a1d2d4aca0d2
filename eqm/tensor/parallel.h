// LibTorch's parallel_for, which is a template and quietly runs on one thread where it is compiled
// without OpenMP.
#pragma once

#ifndef _OPENMP
#error "compile with OpenMP, as the target eqm does"
#endif

#include <ATen/Parallel.h>
