// eqm export: a model as one file of its own, in the precision asked for, for us or for PyTorch.
#include "cli/verb.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/written_file.h"
#include "eqm/base/error.h"
#include "eqm/io/text.h"
#include "eqm/landscape/model.h"
#include "eqm/landscape/reference_form.h"
#include "eqm/landscape/torch_form.h"

namespace eqm::cli {
namespace {

const Names<torch::ScalarType>& stored_types() {
  static const Names<torch::ScalarType> names = {
      {"float32", torch::kFloat32}, {"float16", torch::kFloat16}, {"bfloat16", torch::kBFloat16}};
  return names;
}

enum class Reader { eqm, reference };

const Names<Reader>& readers() {
  static const Names<Reader> names = {{"eqm", Reader::eqm}, {"reference", Reader::reference}};
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

class Export final : public Verb {
 public:
  std::string name() const override { return "export"; }
  std::string summary() const override {
    return "Writes the model of a run or checkpoint as one file";
  }
  std::string advice() const override {
    return R"(float16 halves the file. Of 40 samples of the shipped model no pixel moved by more than one of 256 levels.
--for reference gives the network the sign of the reference implementation, whose PyTorch module then loads the file by
name (docs/interop.md shows how); it stays a model file that every verb of eqm takes. --out FILE.pt writes what torch.save
would: a state dictionary that torch.load takes with weights_only; `eqm import` makes the same model of it again.

Examples:
  eqm export --model runs/fashion --stored float16 --out fashion.safetensors
  eqm export --model runs/fashion --for reference --out fashion.pt)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override {
    options.text("model", model_, "a run folder, a checkpoint or a model file");
    options.text("out", out_, "the file to write: .safetensors, or .pt for PyTorch");
    options.choice("stored", stored_, stored_types(), "type of the weights in the file");
    options.choice("for", reader_, readers(), "who is to read it: eqm, or the reference's module");
  }

  int run(const OptionSet&, Host& host) override {
    if (model_.empty()) throw Error(ErrorKind::usage, "no model was given", "use --model RUN");
    if (out_.empty()) {
      throw Error(ErrorKind::usage, "no file to write was given", "use --out FILE.safetensors");
    }
    const Format format = format_of(out_);
    const std::filesystem::path input = model_file(model_);
    require_another_file(out_, input.string());
    Model model = load_model(input);
    if (reader_ == Reader::reference) give_reference_sign(model);
    format == Format::torch ? save_for_torch(model, out_, stored_)
                            : save_model(model, out_, stored_);
    host.log()->info("wrote {}", out_);
    return 0;
  }

 private:
  std::string model_, out_;
  torch::ScalarType stored_ = torch::kFloat32;
  Reader reader_ = Reader::eqm;
};

}  // namespace

std::unique_ptr<Verb> export_verb() {
  return std::make_unique<Export>();
}

}  // namespace eqm::cli
