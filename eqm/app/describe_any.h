// What any file, folder or name is, in a few lines for people.
#pragma once

#include <string>

#include "eqm/app/description_style.h"
#include "eqm/train/describe.h"

namespace eqm::app {

// Models, runs and checkpoints; data sets by path or name, latents; pictures, .npz, PyTorch files,
// safetensors, files of options, tables. Detected from the contents. Kind input for what is none of
// these, with a hint; kind usage for names that mean nothing.
Description describe_any(const std::string& what, const DescriptionStyle& style);

}  // namespace eqm::app
