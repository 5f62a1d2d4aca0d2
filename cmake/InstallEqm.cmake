# Installs the program, the libraries, the headers and a CMake package: find_package(eqm).
include(CMakePackageConfigHelpers)

install(TARGETS eqm_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS eqm_program LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/eqm)
install(TARGETS eqm_core EXPORT eqmCoreTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS eqm EXPORT eqmTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY eqm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(EQM_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/eqm")
install(EXPORT eqmCoreTargets NAMESPACE eqm:: DESTINATION "${EQM_PACKAGE_DIR}")
install(EXPORT eqmTargets NAMESPACE eqm:: DESTINATION "${EQM_PACKAGE_DIR}")
configure_package_config_file(cmake/eqmConfig.cmake.in "${PROJECT_BINARY_DIR}/eqmConfig.cmake"
  INSTALL_DESTINATION "${EQM_PACKAGE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/eqmConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/eqmConfig.cmake"
  "${PROJECT_BINARY_DIR}/eqmConfigVersion.cmake"
  cmake/OpenmpBlas.cmake
  DESTINATION "${EQM_PACKAGE_DIR}")
