#include "eqm/app/denoise_output.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/codec/pictures.h"
#include "eqm/codec/states.h"
#include "eqm/descend/denoise.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv_records.h"

namespace eqm::app {
namespace {

constexpr int64_t kMostDenoisedShown = 16;  // in the grid

struct DenoiseStage {
  std::string name;
  State DenoisedImage::*state;
};

// As they are, there is nothing before the noise.
std::vector<DenoiseStage> stages_of(bool noised) {
  if (!noised) return {{"before", &DenoisedImage::start}, {"after", &DenoisedImage::end}};
  return {{"original", &DenoisedImage::clean},
          {"noised", &DenoisedImage::start},
          {"denoised", &DenoisedImage::end}};
}

void write_table(const std::filesystem::path& file, const std::vector<DenoisedImage>& images,
                 const Model& model, bool with_psnr) {
  std::vector<std::string> columns = {"image", "source", "steps"};
  if (with_psnr) columns.insert(columns.end(), {"psnr_before", "psnr_after"});
  std::vector<std::vector<std::string>> rows;
  for (const DenoisedImage& image : images) {
    rows.push_back(
        {std::to_string(image.number), image.source, std::to_string(image.record.steps)});
    if (!with_psnr) continue;
    const DenoisePsnr psnr = psnr_of(image, model);
    rows.back().push_back(fmt::format("{}", psnr.before));
    rows.back().push_back(fmt::format("{}", psnr.after));
  }
  write_csv_records(file, columns, rows);
}

// A row for each stage.
Image stage_grid(const std::vector<DenoisedImage>& images, const Model& model, const Codec& codec,
                 bool noised) {
  const auto shown = std::min<int64_t>(kMostDenoisedShown, static_cast<int64_t>(images.size()));
  std::vector<std::string> names;
  for (const DenoiseStage& stage : stages_of(noised)) names.push_back(stage.name);
  Shape shape = model.backbone->state_shape();
  shape.insert(shape.begin(), shown * static_cast<int64_t>(names.size()));
  Tensor states = torch::empty(shape, torch::kFloat64);
  int64_t place = 0;
  for (const DenoiseStage& stage : stages_of(noised)) {
    for (int64_t i = 0; i < shown; ++i) {
      put_state(images[static_cast<size_t>(i)].*stage.state, states, place++);
    }
  }
  return picture_grid(states, codec, shown, names, "");
}

// The images by their numbers.
void write_stage(const std::filesystem::path& folder, const DenoiseStage& stage,
                 const std::vector<DenoisedImage>& images, const Model& model, const Codec& codec,
                 const PngText& origin) {
  Shape shape = model.backbone->state_shape();
  shape.insert(shape.begin(), 1);
  Tensor state = torch::empty(shape, torch::kFloat64);
  create_folder(folder);
  for (const DenoisedImage& image : images) {
    put_state(image.*stage.state, state, 0);
    PngText text = origin;
    text.emplace_back("Stage", stage.name);
    text.emplace_back("Source", image.source);
    write_png(folder / fmt::format("{:06}.png", image.number), pictures_of(state, codec).front(),
              text);
  }
}

}  // namespace

DenoisePsnr psnr_of(const DenoisedImage& image, const Model& model) {
  const double peak = 255 / model.scaling.unit;
  return {.before = psnr(image.start, image.clean, peak),
          .after = psnr(image.end, image.clean, peak)};
}

std::string last_stage_of(bool noised) {
  return stages_of(noised).back().name;
}

std::vector<std::string> write_denoised(const std::filesystem::path& folder,
                                        const std::vector<DenoisedImage>& images,
                                        const Model& model, const Codec& codec,
                                        const DenoiseOutputChoice& choice) {
  write_table(folder / "denoise.csv", images, model, choice.psnr);
  write_png(folder / "denoise.png", stage_grid(images, model, codec, choice.noised), choice.origin);
  std::vector<std::string> written = {"denoise.png", "denoise.csv"};
  if (!choice.pictures) return written;
  std::vector<DenoiseStage> stages = stages_of(choice.noised);
  stages.pop_back();  // written already, each image when it was done
  for (const DenoiseStage& stage : stages) {
    write_stage(folder / stage.name, stage, images, model, codec, choice.origin);
    written.push_back(stage.name + "/");
  }
  return written;
}

}  // namespace eqm::app
