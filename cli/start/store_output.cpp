// Part of the build: loads the program and lets it write the file of stored output.
//   eqm_store_output PROGRAM FILE
#include <cstdio>

#include <dlfcn.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* program = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  using Store = int (*)(const char*);
  const Store store =
      program ? reinterpret_cast<Store>(dlsym(program, "eqm_store_output")) : nullptr;
  if (store == nullptr) {
    std::fprintf(stderr, "eqm_store_output: %s\n", dlerror());
    return 1;
  }
  return store(argv[2]);
}
