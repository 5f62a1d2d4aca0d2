// The uses that write a model under another form: export and import.
#include <gtest/gtest.h>

#include "eqm/app/export.h"
#include "eqm/app/import.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

class ModelFiles : public ::testing::Test {
 protected:
  ModelFiles() { save_model(model_of(small_sit(), ObjectiveKind::eqm), model_); }

  app::ModelExportOptions export_to(const std::string& name) const {
    return {.model = model_.string(), .out = (folder_ / name).string()};
  }

  TemporaryFolder folder_;
  std::filesystem::path model_ = folder_ / "model.safetensors";
  RecordingHost host_;
};

TEST_F(ModelFiles, export_for_pytorch_comes_back_by_import) {
  app::ModelExportOptions exported = export_to("model.pt");
  exported.reader = app::ModelReader::reference;
  EXPECT_EQ(app::run(exported, host_).file, exported.out);

  app::ModelImportOptions imported = {.from = exported.out,
                                      .out = (folder_ / "again.safetensors").string()};
  imported.hints = {.heads = 2, .classes = 3};
  const app::ModelImportResult result = app::run(imported, host_);
  EXPECT_EQ(result.file, imported.out);
  EXPECT_GT(result.report.tensors, 10);
  EXPECT_EQ(host_.updates(), result.report.tensors);
  EXPECT_EQ(host_.logged(), "info: wrote " + exported.out + "\ninfo: wrote " + imported.out + "\n");
  const Model before = load_model(model_), after = load_model(imported.out);
  EXPECT_EQ(after.output_sign, -1);
  EXPECT_EQ(after.objective.kind, before.objective.kind);
}

TEST_F(ModelFiles, export_writes_the_type_asked_for) {
  app::ModelExportOptions whole = export_to("whole.safetensors");
  app::ModelExportOptions half = export_to("half.safetensors");
  half.stored = torch::kFloat16;
  const auto whole_size = std::filesystem::file_size(app::run(whole, host_).file);
  const auto half_size = std::filesystem::file_size(app::run(half, host_).file);
  EXPECT_LT(static_cast<double>(half_size), 0.8 * static_cast<double>(whole_size));
}

TEST_F(ModelFiles, refusals_name_options_by_key) {
  EXPECT_EQ(hint_of([&] { app::run(app::ModelExportOptions(), host_); }), "use {model} RUN");
  EXPECT_EQ(hint_of([&] { app::run(app::ModelExportOptions{.model = "m"}, host_); }),
            "use {out} FILE.safetensors");
  EXPECT_EQ(hint_of([&] { app::run(app::ModelImportOptions(), host_); }),
            "give a checkpoint by {from}");
  EXPECT_EQ(hint_of([&] { app::run(app::ModelImportOptions{.from = "a.pt"}, host_); }),
            "use {out} FILE.safetensors");
}

TEST_F(ModelFiles, neither_overwrites_what_it_reads) {
  app::ModelExportOptions exported = export_to("model.safetensors");
  EXPECT_EQ(hint_of([&] { app::run(exported, host_); }), "name another file");
  app::ModelImportOptions imported = {.from = model_.string(), .out = model_.string()};
  EXPECT_EQ(hint_of([&] { app::run(imported, host_); }), "name another file");
}

TEST(ModelImportOptions, every_choice_reads_back_from_its_own_text) {
  app::ModelImportOptions options;
  OptionSet set;
  options.declare(set);
  EXPECT_EQ(to_text(set.find("stored")->get()), "as-is");
  EXPECT_FALSE(options.stored.has_value());
  set.set_text("stored", "float16");
  EXPECT_EQ(options.stored, torch::kFloat16);
  EXPECT_EQ(to_text(set.find("stored")->get()), "float16");
}

}  // namespace
}  // namespace eqm::test
