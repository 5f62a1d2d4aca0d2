// Functions of libraries that LibTorch may or may not have brought along (OpenMP, OpenBLAS,
// oneDNN): asked for by name, so that ours need not link to a second copy of them.
#pragma once

#include <dlfcn.h>

namespace eqm {

// The function of this name in what is loaded, or nullptr. `Function` must be its type.
template <class Function>
Function* loaded_symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace eqm
