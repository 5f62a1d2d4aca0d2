// eqm encode: pictures as latents on disk, to train on.
#include "eqm/codec/encode.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/verb.h"
#include "eqm/app/open_images.h"
#include "eqm/base/error.h"
#include "eqm/codec/options.h"
#include "eqm/data/latents.h"
#include "eqm/data/layout.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/folder_lock.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

const Names<Dtype>& latent_types() {
  static const Names<Dtype> names = {{"float16", Dtype::f16}, {"float32", Dtype::f32}};
  return names;
}

class Encode final : public Verb {
 public:
  std::string name() const override { return "encode"; }
  std::string summary() const override {
    return "Turns pictures into latents of an autoencoder, to train on";
  }
  std::string advice() const override {
    return R"(Pictures are cropped around their centre to --size, as ADM's scripts do. What is kept of each is the posterior (mean
and variance), so that training still draws from it at every step, with --flip that of its mirror image, too. The folder
--out gets a folder per part, train or test, with numbered shards and a manifest of their checksums. A run that was
stopped goes on after the last finished shard when it is started again.

`eqm train --data OUT` trains on them; `eqm sample --vae FILE` makes pictures of what it learned.

The autoencoder is not part of eqm: it is the diffusion_pytorch_model.safetensors of sd-vae-ft-ema or sd-vae-ft-mse, from
the pages of stabilityai on the Hugging Face hub.

Examples:
  eqm encode --data imagenet/train --size 256 --flip --vae sd-vae-ft-ema --out latents
  eqm encode --data imagenet/val --part test --size 256 --vae sd-vae-ft-ema --out latents
  eqm encode --check --out latents)";
  }
  std::string positional() const override { return "data"; }

  void declare(OptionSet& options) override {
    options.section("data");
    options.text("data", data_, "pictures: a folder or tar by class, or a data set");
    options.choice("part", part_, split_names(),
                   "the part of a set that has parts; others are taken whole");
    options.count("size", size_, Range::between(0, 8192),
                  "crops and scales pictures to this height and width; 0 takes them as they are");
    options.flag("flip", how_.mirrored, "also encodes mirrored pictures, for training with --flip");
    options.flag("skip-damaged", how_.skip_damaged,
                 "goes on without damaged pictures, and lists them in the manifest");
    options.section("output");
    options.text("out", out_, "folder for the latents");
    options.choice("stored", how_.stored, latent_types(), "type of the numbers");
    options.count("per-shard", how_.per_shard, Range::between(1, 1e6), "pictures in a file");
    options.count("batch", how_.batch, Range::between(1, 1e5),
                  "pictures read at once; encoded are as many as memory allows");
    options.flag(
        "check", check_,
        "compares latents that are there with their checksums and their manifest, no more");
    codec_.declare(options);
    runtime_.declare(options);
  }

  int run(const OptionSet&, Host& host) override {
    if (out_.empty()) throw Error(ErrorKind::usage, "no folder to write was given", "use --out");
    if (check_) return check();
    const std::filesystem::path folder =
        std::filesystem::path(out_) / (part_ == Split::test ? "test" : "train");
    if (data_.empty()) throw Error(ErrorKind::usage, "no pictures were given", "use --data PATH");
    if (codec_.vae.empty()) {
      throw Error(ErrorKind::usage, "no autoencoder was given", where_autoencoders_come_from());
    }
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    const std::shared_ptr<const Vae> vae = codec_.open(type);
    const SourceOptions how = {
        .split = part_, .channels = vae->config().image_channels, .size = size_};
    // What has no parts is what it is called.
    const SourcePtr pictures =
        part_ == Split::test ? open_unseen(data_, how) : open_images(data_, how);
    std::error_code ignored;
    if (std::filesystem::equivalent(data_, out_, ignored)) {
      throw Error(ErrorKind::usage, "latents would be written among the pictures",
                  "choose an --out that is not --data");
    }
    // Refuses before anything is written.
    const Shape shape = latent_shape(vae->config(), layout_of(*pictures).shape);
    if (shape[1] != shape[2]) {
      host.log()->warn("eqm train takes square latents only, and these are {} x {}: see --size",
                       shape[1], shape[2]);
    }
    const FolderLock lock(folder);
    sweep_temporaries(folder);
    host.begin_stoppable_work();
    return encode(*pictures, *vae, folder, host);
  }

 private:
  // Of every part that is there.
  int check() const {
    bool any = false;
    for (const char* part : {"train", "test"}) {
      const std::filesystem::path folder = std::filesystem::path(out_) / part;
      if (!has_latent_manifest(folder)) continue;
      const LatentManifest manifest = check_latents(folder);
      std::cout << fmt::format("{:<18} {} of {} shards, whole; latents of {} pictures\n", part,
                               manifest.shards.size(), manifest.shard_count(), manifest.examples());
      any = true;
    }
    if (any) return 0;
    throw Error(ErrorKind::input, fmt::format("'{}' holds no latents", out_),
                "give the --out that they were encoded to");
  }

  int encode(const Source& pictures, const Vae& vae, const std::filesystem::path& folder,
             Host& host) const {
    EncodeProgress last;
    bool begun = false;
    const bool whole = encode_set(pictures, vae, folder, how_, [&](const EncodeProgress& now) {
      if (!begun) {
        host.progress().begin("encoding", now.all, "pictures");
        host.progress().resume_at(now.before);
        begun = true;
      }
      last = now;
      host.progress().update(
          now.done, now.skipped > 0 ? fmt::format("{} skipped", now.skipped) : std::string());
      return !host.stop_requested();
    });
    if (begun) host.progress().end();
    if (!whole) {
      host.log()->info("stopped; the same command goes on after the last finished shard");
      return exit_code_of(interrupt_requested());
    }
    const LatentManifest manifest = read_latent_manifest(folder);
    std::cout << fmt::format("{:<18} {}\n{:<18} {}\n", "pictures", manifest.examples(), "shards",
                             manifest.shards.size());
    if (begun) {
      std::cout << fmt::format("{:<18} {:.0f} nats a picture\n", "KL divergence", last.divergence);
    }
    if (manifest.skipped() > 0) {
      host.log()->warn("{} damaged pictures were skipped: the manifest lists them",
                       manifest.skipped());
    }
    if (begun) {
      host.log()->info("wrote {}", folder.string());
    } else {
      host.log()->info("nothing was left to do; --check compares the checksums");
    }
    return 0;
  }

  std::string data_, out_ = "out/latents";
  Split part_ = Split::train;
  int64_t size_ = 0;
  bool check_ = false;
  EncodeOptions how_;
  CodecOptions codec_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> encode_verb() {
  return std::make_unique<Encode>();
}

}  // namespace eqm::cli
