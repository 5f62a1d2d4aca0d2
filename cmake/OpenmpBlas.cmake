# LibTorch's threads are OpenMP's. A BLAS with its own pthreads fights them and halves everything, and
# such a build is Debian's default alternative. When LibTorch asks for a generic libblas.so.3, our
# programs are therefore linked to an openmp build by a DT_RPATH, which (unlike DT_RUNPATH) also
# decides where LibTorch's own dependencies come from. Nothing on the system is changed.
set(EQM_BLAS_DIR "" CACHE PATH "Folder with an openmp libblas.so.3; empty: found by itself")

if(TARGET eqm_blas)
  return()  # a second find_package(eqm)
endif()
add_library(eqm_blas INTERFACE)
set(_multiarch "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")

find_library(_torch_cpu torch_cpu NO_CACHE HINTS "${TORCH_INSTALL_PREFIX}/lib" "${_multiarch}")
set(_generic_blas FALSE)
if(_torch_cpu AND CMAKE_READELF)
  execute_process(COMMAND ${CMAKE_READELF} -d "${_torch_cpu}" OUTPUT_VARIABLE _needed ERROR_QUIET)
  if(_needed MATCHES "libblas\\.so\\.3")
    set(_generic_blas TRUE)
  endif()
endif()

if(_generic_blas AND NOT EQM_BLAS_DIR)
  foreach(_dir openblas-openmp blis-openmp)
    if(EXISTS "${_multiarch}/${_dir}/libblas.so.3")
      set(EQM_BLAS_DIR "${_multiarch}/${_dir}")
      break()
    endif()
  endforeach()
  if(NOT EQM_BLAS_DIR)
    message(WARNING "No openmp BLAS found: install libopenblas0-openmp, or everything runs at half speed")
  endif()
endif()

if(EQM_BLAS_DIR)
  message(STATUS "BLAS for LibTorch: ${EQM_BLAS_DIR}")
  target_link_options(eqm_blas INTERFACE
    "LINKER:--disable-new-dtags" "LINKER:-rpath,${EQM_BLAS_DIR}")
endif()
