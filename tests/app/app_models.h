// Models of a few thousand weights as files, for tests of uses.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/small_models.h"

namespace eqm::test {

// A landscape of grey 8x8 pictures of three classes, in float32, not trained.
inline Model picture_model(ObjectiveKind kind = ObjectiveKind::eqm, int64_t classes = 3) {
  SitConfig config = small_sit_config();
  config.input_size = 8;
  config.in_channels = 1;
  config.num_classes = classes;
  Model model = model_of(small_sit(config), kind);
  model.backbone->to(torch::kFloat32);
  model.scaling = Scaling::pixels();
  for (int64_t i = 0; i < classes; ++i) model.class_names.push_back("class " + std::to_string(i));
  return model;
}

inline std::string write_picture_model(const std::filesystem::path& file,
                                       ObjectiveKind kind = ObjectiveKind::eqm) {
  save_model(picture_model(kind), file);
  return file.string();
}

}  // namespace eqm::test
