// The files of cli/text/, which the build puts into the program: advice of verbs, the fixed parts
// of completion scripts and of the manual page.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace eqm::cli {

struct EmbeddedText {
  std::string_view name;  // "help/train.txt"
  std::string_view content;
};

const std::vector<EmbeddedText>& embedded_texts();

// Empty where there is none.
std::string_view embedded_text(std::string_view name);

// What matters about a verb, and examples: the end of its help. Empty for verbs without.
std::string advice_of(const std::string& verb);

// An embedded text with each @NAME@ replaced, wherever it stands.
std::string filled_text(std::string_view name,
                        const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace eqm::cli
