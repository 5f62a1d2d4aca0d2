// Descriptions of single files and of data sets; describe_any.h chooses among them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "eqm/app/description_style.h"
#include "eqm/train/describe.h"

namespace eqm::app {

// A file by its contents. Kind input for what is not known.
Description describe_file(const std::filesystem::path& path, const DescriptionStyle& style);

// A data set by its name or path: examples of each part, what each is, classes.
Description describe_data(const std::string& what, const DescriptionStyle& style);

// Tensors by name, from safetensors or torch.save.
Description describe_weights(const std::filesystem::path& path, const DescriptionStyle& style);

// Arrays of an .npz: pictures, statistics, or anything.
Description describe_npz(const std::filesystem::path& path);

// A PNG or JPEG with its texts.
Description describe_picture(const std::filesystem::path& path);

// A TOML file of options: whose they are, and those that are not at their defaults.
Description describe_options(const std::filesystem::path& path, const DescriptionStyle& style);

// A table of numbers or text, and lines of JSON.
Description describe_table(const std::filesystem::path& path);
Description describe_json_lines(const std::filesystem::path& path);

// Figures as SVG, and TensorBoard's event files; their kinds are detected from their first bytes.
bool is_svg(std::string_view text);
bool is_event_file(std::span<const std::byte> bytes);
Description describe_svg(const std::filesystem::path& path);
Description describe_events(const std::filesystem::path& path);

}  // namespace eqm::app
