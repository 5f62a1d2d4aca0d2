# ctest entries for a Google Test program: one per suite, because each start of a program loads LibTorch. An entry
# prints what failed only, by the names of the tests; `PROGRAM --gtest_filter=Suite.test` runs one.
#
#   eqm_discover_suites(TARGET PREFIX [SLOW SUITE...])
#
# An entry is called PREFIX.Suite. SLOW suites are started first and labelled: `ctest -LE slow` leaves them out.
function(eqm_discover_suites target prefix)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SLOW")
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake")
  string(REPLACE ";" "," slow "${arg_SLOW}")
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS "${list}"
    COMMAND "${CMAKE_COMMAND}" -D "program=$<TARGET_FILE:${target}>" -D "prefix=${prefix}" -D "slow=${slow}" -D "output=${list}"
      -P "${PROJECT_SOURCE_DIR}/cmake/ListSuites.cmake"
    VERBATIM)
  set(include "${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake")
  file(WRITE "${include}" "if(EXISTS \"${list}\")
  include(\"${list}\")
else()
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include}")
endfunction()
