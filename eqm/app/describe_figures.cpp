// Descriptions of what eqm writes for other programs to show: SVG figures and TensorBoard events.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "eqm/app/describe_file.h"
#include "eqm/base/shell_word.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

constexpr size_t kSvgBegin = 4096;  // bytes within which the root element begins

// An attribute of the first <svg ...>; empty where it has none.
std::string svg_attribute(std::string_view element, const std::string& name) {
  const std::string opening = " " + name + "=\"";
  const size_t at = element.find(opening);
  if (at == std::string_view::npos) return "";
  const size_t begin = at + opening.size();
  const size_t end = element.find('"', begin);
  return end == std::string_view::npos ? "" : std::string(element.substr(begin, end - begin));
}

std::string_view svg_element(std::string_view text) {
  const size_t begin = text.substr(0, kSvgBegin).find("<svg");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find('>', begin) - begin);
}

// Records of a TFRecord file, each a length of 8 bytes, 4 of its checksum, data, 4 of theirs.
struct EventCount {
  uint64_t records = 0;
  bool torn = false;  // ends within a record
};

constexpr uint64_t kBeforeData = 12, kAfterData = 4;

EventCount count_events(std::span<const std::byte> bytes) {
  EventCount count;
  while (!bytes.empty()) {
    uint64_t length = 0;
    if (bytes.size() >= sizeof length) std::memcpy(&length, bytes.data(), sizeof length);
    const uint64_t around = kBeforeData + kAfterData;
    if (bytes.size() < around || length > bytes.size() - around) {
      count.torn = true;
      break;
    }
    ++count.records;
    bytes = bytes.subspan(static_cast<size_t>(around + length));
  }
  return count;
}

}  // namespace

bool is_svg(std::string_view text) {
  const std::string_view begin = trimmed(text.substr(0, kSvgBegin));
  return (begin.starts_with("<?xml") || begin.starts_with("<svg")) && !svg_element(text).empty();
}

// The first record of every event file names its version.
bool is_event_file(std::span<const std::byte> bytes) {
  constexpr std::string_view kVersion = "brain.Event:";
  const auto begin = bytes.first(std::min<size_t>(bytes.size(), 64));
  const std::string_view text(reinterpret_cast<const char*>(begin.data()), begin.size());
  return text.find(kVersion) != std::string_view::npos;
}

Description describe_svg(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path);
  const std::string_view element = svg_element(file.text());
  const std::string width = svg_attribute(element, "width");
  const std::string height = svg_attribute(element, "height");
  Description lines = {{"figure", path.string()}, {"format", "SVG"}};
  if (!width.empty() && !height.empty()) {
    lines.emplace_back("size",
                       fmt::format("{} wide, {} high", in_quotes(width), in_quotes(height)));
  }
  return lines;
}

Description describe_events(const std::filesystem::path& path) {
  const MappedFile file = MappedFile::open(path);
  const EventCount count = count_events(file.bytes());
  return {
      {"events", path.string()},
      {"records",
       fmt::format("{}{}", count.records, count.torn ? ", and a torn one at the end" : "")},
      {"show with",
       fmt::format("tensorboard --logdir {}",
                   path.parent_path().empty() ? "." : shell_word(path.parent_path().string()))}};
}

}  // namespace eqm::app
