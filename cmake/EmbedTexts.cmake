# Adds the files under `folder` to a target, for cli/embedded_text.h: text that is read as text, not as C++.
function(eqm_embed_texts target folder)
  file(GLOB_RECURSE names CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*")
  set(rows "")
  foreach(name IN LISTS names)
    file(READ "${folder}/${name}" content)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${name}")
    string(APPEND rows "    {\"${name}\", R\"text(${content})text\"},\n")
  endforeach()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded_texts.cpp")
  file(CONFIGURE OUTPUT "${source}" @ONLY NEWLINE_STYLE UNIX CONTENT "// Made by cmake/EmbedTexts.cmake.
#include \"cli/embedded_text.h\"

namespace eqm::cli {

const std::vector<EmbeddedText>& embedded_texts() {
  static const std::vector<EmbeddedText> texts = {
@rows@  };
  return texts;
}

}  // namespace eqm::cli
")
  target_sources(${target} PRIVATE "${source}")
endfunction()
