#include "eqm/landscape/mix.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/quoted_list.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr const char* kBlanks = " \t";

// The weight behind a colon.
double weight_of(std::string_view text, std::string_view part) {
  const std::string_view written = trimmed(text);
  double weight = 0;
  const char* end = written.data() + written.size();
  const auto [stop, error] = std::from_chars(written.data(), end, weight);
  if (error == std::errc{} && stop == end && std::isfinite(weight)) return weight;
  throw Error(ErrorKind::usage, fmt::format("{} has no number behind its colon", in_quotes(part)),
              "write label:weight, such as coat:1,bag:0.5; a name with a comma or a colon as "
              "\"one, two\":0.5");
}

class MixReader {
 public:
  explicit MixReader(std::string_view text) : text_(text) {}

  std::vector<MixPart> read() {
    std::vector<MixPart> parts;
    do {
      parts.push_back(part());
    } while (position_++ < text_.size());  // behind a comma
    return parts;
  }

 private:
  bool at_quote() {
    position_ = std::min(text_.find_first_not_of(kBlanks, position_), text_.size());
    return position_ < text_.size() && text_[position_] == '"';
  }

  std::string quoted() {
    ++position_;
    return read_quoted(text_, position_);
  }

  // What is left of the part, without quotes.
  std::string_view rest() {
    const size_t begin = position_;
    position_ = std::min(text_.find(',', begin), text_.size());
    return trimmed(text_.substr(begin, position_ - begin));
  }

  MixPart part() { return at_quote() ? quoted_part() : plain_part(); }

  // A name in quotes is a model before an @, else a label.
  MixPart quoted_part() {
    const std::string name = quoted();
    const size_t next = std::min(text_.find_first_not_of(kBlanks, position_), text_.size());
    if (next == text_.size() || text_[next] != '@') return labelled(name);
    position_ = next + 1;
    MixPart part = of_model(name);
    part.plain.clear();
    return part;
  }

  MixPart plain_part() {
    const size_t end = std::min(text_.find(',', position_), text_.size());
    const size_t at = separator(position_, end);
    if (at == std::string_view::npos) return label_and_weight();
    const std::string model(trimmed(text_.substr(position_, at - position_)));
    position_ = at + 1;
    return of_model(model);
  }

  // What stands behind an @.
  MixPart of_model(const std::string& model) {
    MixPart part = label_and_weight();
    if (model.empty()) {
      throw Error(ErrorKind::usage,
                  fmt::format("a model is missing before the @ of {}", in_quotes("@" + part.label)),
                  "write model@label:weight, or a class of {model} without the @");
    }
    if (part.label.empty()) {
      throw Error(ErrorKind::usage,
                  fmt::format("a label is missing behind {}", in_quotes(model + "@")),
                  "write model@label:weight; null is the label of no class");
    }
    part.model = model;
    if (!part.plain.empty()) part.plain = model + "@" + part.plain;
    return part;
  }

  // The @ between a model and its label: one before a quote, else the last.
  size_t separator(size_t begin, size_t end) const {
    for (size_t at = text_.find('@', begin); at < end; at = text_.find('@', at + 1)) {
      const size_t next = text_.find_first_not_of(kBlanks, at + 1);
      if (next < end && text_[next] == '"') return at;
    }
    const size_t last = text_.substr(begin, end - begin).rfind('@');
    return last == std::string_view::npos ? last : begin + last;
  }

  MixPart label_and_weight() {
    if (at_quote()) return labelled(quoted());
    const std::string_view written = rest();
    const size_t colon = written.rfind(':');
    const std::string label(trimmed(written.substr(0, colon)));
    MixPart part = {.model = {}, .label = label, .plain = label};
    if (colon != std::string_view::npos)
      part.weight = weight_of(written.substr(colon + 1), written);
    return part;
  }

  // A label that stood in quotes, with what follows it.
  MixPart labelled(const std::string& label) {
    const std::string_view behind = rest();
    MixPart part = {.model = {}, .label = label, .plain = {}};
    if (behind.empty()) return part;
    if (behind.front() != ':') {
      throw Error(
          ErrorKind::usage,
          fmt::format("{} stands behind the quotes of {}", in_quotes(behind), in_quotes(label)),
          "put a comma between two labels, and in a mix a colon before a weight");
    }
    part.weight = weight_of(behind.substr(1), behind);
    return part;
  }

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

std::vector<MixPart> mix_parts(std::string_view text) {
  const std::vector<MixPart> parts = MixReader(text).read();
  if (std::ranges::all_of(parts, [](const MixPart& part) { return part.weight == 0; })) {
    throw Error(ErrorKind::usage, "all weights of the mix are 0, so that nothing would move",
                "give at least one label a weight");
  }
  return parts;
}

}  // namespace eqm
