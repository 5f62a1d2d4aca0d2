# Installs the program with its models, recipes, pages, manual and completions; the libraries, the
# headers and a CMake package: find_package(eqm).
include(CMakePackageConfigHelpers)

install(TARGETS eqm_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS eqm_program LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/eqm)
install(FILES "${PROJECT_BINARY_DIR}/eqm-stored-output" DESTINATION ${CMAKE_INSTALL_LIBDIR}/eqm)

# What comes with the program, where app/shipped.h looks for it.
install(DIRECTORY models DESTINATION "${CMAKE_INSTALL_DATADIR}/eqm" FILES_MATCHING PATTERN "*.safetensors")
install(DIRECTORY recipes experiments DESTINATION "${CMAKE_INSTALL_DATADIR}/eqm" FILES_MATCHING PATTERN "*.toml")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(FILES models/README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}/models")
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# Written by the program itself, when it is installed: building it needs no more than building it.
set(EQM_WRITTEN_DIR "${PROJECT_BINARY_DIR}/written")
install(CODE "
  file(MAKE_DIRECTORY \"${EQM_WRITTEN_DIR}\")
  foreach(request \"man;eqm.1\" \"completion bash;eqm\" \"completion zsh;_eqm\" \"completion fish;eqm.fish\")
    list(GET request 0 words)
    list(GET request 1 name)
    separate_arguments(words UNIX_COMMAND \"\${words}\")
    execute_process(COMMAND \"$<TARGET_FILE:eqm_cli>\" \${words}
      OUTPUT_FILE \"${EQM_WRITTEN_DIR}/\${name}\" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
install(FILES "${EQM_WRITTEN_DIR}/eqm.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
install(FILES "${EQM_WRITTEN_DIR}/eqm" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES "${EQM_WRITTEN_DIR}/_eqm" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
install(FILES "${EQM_WRITTEN_DIR}/eqm.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")

install(TARGETS eqm_core EXPORT eqmCoreTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS eqm eqm_app EXPORT eqmTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Public headers only, as they are when installing.
install(CODE "
  execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/scripts/public_headers.sh\"
    OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE \"\\n\" \";\" headers \"\${headers}\")
  foreach(header \${headers})
    cmake_path(GET header PARENT_PATH folder)
    file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/\${folder}\" TYPE FILE
      FILES \"${PROJECT_SOURCE_DIR}/\${header}\")
  endforeach()")

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
