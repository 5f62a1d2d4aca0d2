# Warnings, sanitizers and optimisation for the code that is ours.
add_library(eqm_own_code INTERFACE)
target_compile_options(eqm_own_code INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${EQM_WERROR}>:-Werror>)
# GCC 12's optimiser warns falsely about the inside of inlined std::string and JSON code; what it can
# miss, the address sanitizer finds.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(eqm_own_code INTERFACE -Wno-restrict -Wno-maybe-uninitialized
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
  # With room to breathe it collects no garbage, which takes a tenth off the build.
  target_compile_options(eqm_own_code INTERFACE --param=ggc-min-heapsize=2000000)
endif()

if(EQM_SANITIZE)
  target_compile_options(eqm_own_code INTERFACE
    -fsanitize=${EQM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(eqm_own_code INTERFACE -fsanitize=${EQM_SANITIZE})
endif()

# What users get: checks of the stack and of buffers with known sizes, and every address of a library's function
# settled before main. The tests are built without optimisation, which _FORTIFY_SOURCE needs; sanitizers bring
# stricter checks of their own.
add_library(eqm_hardened INTERFACE)
if(NOT EQM_SANITIZE)
  target_compile_options(eqm_hardened INTERFACE -fstack-protector-strong -fstack-clash-protection
    $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-fcf-protection>
    $<$<CONFIG:Release,RelWithDebInfo>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo>:-D_FORTIFY_SOURCE=2>)
  target_link_options(eqm_hardened INTERFACE LINKER:-z,relro,-z,now LINKER:-z,noexecstack)
endif()

# GCC starts every source with seconds of work for the headers it includes, precompiled or not; groups share
# it. Names that are local to two files of a group collide: give one a better name.
function(eqm_group_sources target)
  if(EQM_GROUP GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${EQM_GROUP})
  endif()
endfunction()

# Lets an executable use the library's precompiled headers, in groups. GCC accepts them only when the flags agree, so
# the executable is compiled as position-independent code like the library.
function(eqm_reuse_pch target)
  if(EQM_PCH)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
    target_precompile_headers(${target} REUSE_FROM eqm)
  endif()
  eqm_group_sources(${target})
endfunction()
