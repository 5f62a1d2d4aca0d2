#include "eqm/app/export.h"

#include <filesystem>

#include "eqm/app/model_lookup.h"
#include "eqm/app/written_file.h"
#include "eqm/base/error.h"
#include "eqm/io/text.h"
#include "eqm/landscape/model.h"
#include "eqm/landscape/reference_form.h"
#include "eqm/landscape/torch_form.h"

namespace eqm::app {
namespace {

const Names<torch::ScalarType>& export_types() {
  static const Names<torch::ScalarType> names = {
      {"float32", torch::kFloat32}, {"float16", torch::kFloat16}, {"bfloat16", torch::kBFloat16}};
  return names;
}

const Names<ModelReader>& readers() {
  static const Names<ModelReader> names = {{"eqm", ModelReader::eqm},
                                           {"reference", ModelReader::reference}};
  return names;
}

enum class Format { safetensors, torch };

// By the ending of the file, which is all that others go by.
Format format_of(const std::string& path) {
  if (path.ends_with(".safetensors")) return Format::safetensors;
  for (const char* ending : {".pt", ".pth", ".bin"}) {
    if (path.ends_with(ending)) return Format::torch;
  }
  throw Error(ErrorKind::usage,
              in_quotes(path) + " does not say by its ending which format is wanted",
              "end it with .safetensors, or with .pt for PyTorch");
}

}  // namespace

void ModelExportOptions::declare(OptionSet& options) {
  options.text("model", model, "a run folder, a checkpoint or a model file");
  options.text("out", out, "the file to write: .safetensors, or .pt for PyTorch");
  options.choice("stored", stored, export_types(), "type of the weights in the file");
  options.choice("for", reader, readers(),
                 "program that is to read it: eqm, or the reference implementation");
}

ModelExportResult run(const ModelExportOptions& options, Host& host) {
  const std::string& out = options.out;
  if (options.model.empty()) {
    throw Error(ErrorKind::usage, "no model was given", "use {model} RUN");
  }
  if (out.empty()) {
    throw Error(ErrorKind::usage, "no file to write was given", "use {out} FILE.safetensors");
  }
  const Format format = format_of(out);
  const std::filesystem::path input = model_file(options.model);
  require_another_file(out, input.string());
  Model model = load_model(input);
  if (options.reader == ModelReader::reference) give_reference_sign(model);
  format == Format::torch ? save_for_torch(model, out, options.stored)
                          : save_model(model, out, options.stored);
  host.wrote(out);
  host.log()->info("wrote {}", out);
  return {.file = out};
}

}  // namespace eqm::app
