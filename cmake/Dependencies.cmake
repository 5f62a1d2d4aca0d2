# Every outside library, found in one place. LibTorch comes from Debian or, when CMAKE_PREFIX_PATH
# points at one, from the user's own tree (1.13 up to 2.x, CPU or CUDA).
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Torch REQUIRED)
if(Torch_VERSION AND Torch_VERSION VERSION_LESS 1.13)
  message(FATAL_ERROR "LibTorch ${Torch_VERSION} is too old; eqm needs 1.13 or newer")
endif()
if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
  message(FATAL_ERROR "This LibTorch (${TORCH_INSTALL_PREFIX}) was built for the strings of before GCC 5 and "
    "cannot be linked with anything else here: download the cxx11 ABI build, "
    "libtorch-cxx11-abi-shared-with-deps, from pytorch.org")
endif()
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(hwy REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
pkg_check_modules(spng REQUIRED IMPORTED_TARGET GLOBAL spng)
pkg_check_modules(turbojpeg REQUIRED IMPORTED_TARGET GLOBAL libturbojpeg)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET GLOBAL zlib)
pkg_check_modules(libarchive REQUIRED IMPORTED_TARGET GLOBAL libarchive)
pkg_check_modules(cairo REQUIRED IMPORTED_TARGET GLOBAL cairo)
find_path(RANDOM123_INCLUDE_DIR Random123/philox.h REQUIRED)

# LibTorch's own targets carry C++14/17 flags and lists of libraries; this target is the one we name.
add_library(eqm_torch INTERFACE)
target_link_libraries(eqm_torch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(eqm_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
