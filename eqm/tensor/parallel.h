// LibTorch's parallel_for, which is a template and quietly runs on one thread where it is compiled
// without OpenMP.
#pragma once

#ifndef _OPENMP
#error "add this file to parallel_sources in eqm/CMakeLists.txt"
#endif

#include <ATen/Parallel.h>
