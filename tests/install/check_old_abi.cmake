# Configures the project with a LibTorch that claims the old ABI and demands that it is refused.
set(work "${build_dir}/old-abi-check")
file(REMOVE_RECURSE "${work}")
file(WRITE "${work}/torch/TorchConfig.cmake" "set(Torch_VERSION 2.1.0)
set(TORCH_CXX_FLAGS -D_GLIBCXX_USE_CXX11_ABI=0)
")
execute_process(
  COMMAND "${CMAKE_COMMAND}" -G "${generator}" -S "${source_dir}" -B "${work}/build" "-DTorch_DIR=${work}/torch"
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "download the cxx11 ABI")
  message(FATAL_ERROR "a LibTorch of the old ABI was not refused:\n${output}")
endif()
