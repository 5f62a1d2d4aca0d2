#include "eqm/app/describe_file.h"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/data/evenly.h"
#include "eqm/data/layout.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/open_source.h"
#include "eqm/data/tensor_source.h"
#include "eqm/io/file_kind.h"
#include "eqm/io/idx.h"
#include "eqm/io/image.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/png.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/text.h"
#include "eqm/io/torch_file.h"
#include "eqm/io/zip_reader.h"
#include "eqm/landscape/model_card.h"

namespace eqm::app {
namespace {

namespace fs = std::filesystem;

// Each is decoded, which takes its time where they are large.
constexpr int64_t kSizesLookedAt = 64;

std::string span_text(int64_t least, int64_t most) {
  return least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
}

// Examples as a set has them; pictures may differ in size. Damaged ones say nothing here.
std::string example_text(const Source& source, const DescriptionStyle& style) {
  Layout least = layout_of(source), most = least;
  if (least.dtype != Dtype::u8 || least.shape.size() != 3) return describe(least);
  const char* colours = least.shape[0] == 1 ? "grey" : "colour";
  for (const int64_t index : evenly_spaced(source.size(), kSizesLookedAt)) {
    try {
      const std::vector<int64_t> shape = layout_of(source.get(index)).shape;
      for (const size_t side : {1, 2}) {
        least.shape[side] = std::min(least.shape[side], shape.at(side));
        most.shape[side] = std::max(most.shape[side], shape.at(side));
      }
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
    }
  }
  if (least == most) {
    return fmt::format("{}x{} pixels, {}", least.shape[1], least.shape[2], colours);
  }
  const std::string looked_at = source.size() > kSizesLookedAt
                                    ? fmt::format(" (of {} that were looked at)", kSizesLookedAt)
                                    : "";
  return fmt::format("{} high, {} wide, {}{}; `eqm train {} N` brings them to one size",
                     span_text(least.shape[1], most.shape[1]),
                     span_text(least.shape[2], most.shape[2]), colours, looked_at,
                     style.option("size"));
}

// Null where there is none.
SourcePtr part_of_set(const std::string& what, Split split) {
  try {
    return open_source(what, {.split = split, .any_sizes = true});
  } catch (const MissingPart&) {
    return nullptr;
  }
}

bool is_zip_of_torch(const fs::path& path) {
  const ZipFile zip = ZipFile::open(path);
  for (const ZipEntry& entry : zip.entries()) {
    if (entry.name.ends_with("/data.pkl")) return true;
  }
  return false;
}

// A model of ours, a data set, or weights of somebody else's.
Description describe_safetensors(const fs::path& path, const DescriptionStyle& style) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  if (file.metadata().contains(kModelCardKey)) return describe(path);
  if (!names_examples(file)) return describe_weights(path, style);
  try {
    return describe_data(path.string(), style);
  } catch (const Error&) {
    return describe_weights(path, style);  // tensors that happen to have such a name
  }
}

// Nothing when the file is not a whole one of this rank.
std::optional<IdxArray> idx_of_rank(const fs::path& path, size_t rank) {
  try {
    return read_idx(path, rank);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    return std::nullopt;
  }
}

// Images alone or labels alone are no data set, but known.
Description describe_idx(const fs::path& path, const DescriptionStyle& style) {
  std::optional<Error> problem;
  try {
    return describe_data(path.string(), style);
  } catch (const Error& error) {
    problem = error;
  }
  if (const std::optional<IdxArray> images = idx_of_rank(path, 3)) {
    return {{"images", path.string()},
            {"count", std::to_string(images->shape[0])},
            {"each", fmt::format("{}x{} pixels, grey", images->shape[1], images->shape[2])},
            {"no data set", problem->what()},
            {"", problem->hint()}};
  }
  if (const std::optional<IdxArray> labels = idx_of_rank(path, 1)) {
    return {{"labels", path.string()}, {"count", std::to_string(labels->shape[0])}};
  }
  throw Error(*problem);
}

Description describe_unknown(const fs::path& path, const DescriptionStyle& style) {
  const std::string ending = path.extension().string();
  if (ending == ".toml") return describe_options(path, style);
  if (ending == ".csv" || ending == ".tsv") return describe_table(path);
  if (ending == ".json" || ending == ".jsonl") return describe_json_lines(path);
  if (ending == ".bin") return describe_data(path.string(), style);
  const MappedFile file = MappedFile::open(path);
  if (is_event_file(file.bytes())) return describe_events(path);
  if (is_svg(file.text())) return describe_svg(path);
  if (is_torch_file(file.bytes())) return describe_weights(path, style);
  throw Error(ErrorKind::input, in_quotes(path.string()) + " is not a file that eqm knows",
              "models, runs, data sets, pictures, .npz, .pt, .safetensors, .toml, .csv, .jsonl, "
              ".svg and event files can be described");
}

}  // namespace

Description describe_data(const std::string& what, const DescriptionStyle& style) {
  const SourcePtr train = part_of_set(what, Split::train), test = part_of_set(what, Split::test);
  const SourcePtr& shown = train ? train : test;
  if (!shown) {
    throw Error(ErrorKind::input, in_quotes(what) + " has neither a train nor a test part",
                "give the folder or file of one part");
  }
  Description lines = {{"data set", what}};
  std::vector<std::string> counts;
  if (train) counts.push_back(fmt::format("{}{}", train->size(), test ? " to train on" : ""));
  if (test) counts.push_back(fmt::format("{} to test with", test->size()));
  lines.emplace_back("examples", fmt::format("{}", fmt::join(counts, ", ")));
  lines.emplace_back("each", example_text(*shown, style));
  const std::vector<std::string>& classes = shown->class_names();
  lines.emplace_back("classes", class_list(static_cast<int64_t>(classes.size()), classes));
  lines.emplace_back("first", shown->name_of(0));
  return lines;
}

Description describe_picture(const fs::path& path) {
  const MappedFile file = MappedFile::open(path);
  PngText text;
  const bool is_png = file.bytes().size() > 1 && file.bytes()[1] == std::byte{'P'};
  const Image image = is_png ? decode_png(file.bytes(), path.string(), &text)
                             : decode_image(file.bytes(), path.string());
  const char* colours = image.channels == 1   ? "grey"
                        : image.channels == 3 ? "colour"
                                              : "colour with transparency";
  Description lines = {
      {"picture", path.string()},
      {"format", is_png ? "PNG" : "JPEG"},
      {"size", fmt::format("{} wide, {} high, {}", image.width, image.height, colours)}};
  for (const auto& [keyword, content] : text) lines.emplace_back(keyword, in_quotes(content));
  return lines;
}

Description describe_file(const fs::path& path, const DescriptionStyle& style) {
  const bool is_cifar = path.extension() == ".bin";  // may look like anything
  switch (is_cifar ? FileKind::unknown : kind_of_file(path)) {
    case FileKind::idx:
      return describe_idx(path, style);
    case FileKind::tar:
    case FileKind::mat:
      return describe_data(path.string(), style);
    case FileKind::safetensors:
      return describe_safetensors(path, style);
    case FileKind::zip:
      return is_zip_of_torch(path) ? describe_weights(path, style) : describe_npz(path);
    case FileKind::picture:
      return describe_picture(path);
    case FileKind::unknown:
      return describe_unknown(path, style);
  }
  return {};
}

}  // namespace eqm::app
