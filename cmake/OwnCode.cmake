# Warnings, sanitizers and optimisation for the code that is ours.
add_library(eqm_own_code INTERFACE)
target_compile_options(eqm_own_code INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${EQM_WERROR}>:-Werror>)

if(EQM_SANITIZE)
  target_compile_options(eqm_own_code INTERFACE
    -fsanitize=${EQM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(eqm_own_code INTERFACE -fsanitize=${EQM_SANITIZE})
endif()
