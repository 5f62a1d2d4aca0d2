#include "eqm/codec/encode.h"

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/data/batch.h"
#include "eqm/data/class_names.h"
#include "eqm/data/layout.h"
#include "eqm/data/memory_source.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/text.h"
#include "eqm/tensor/bridge.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

struct ReadPictures {
  std::vector<Example> examples;
  std::vector<std::string> damaged;
};

ReadPictures read_pictures(const Source& source, const Layout& layout, int64_t first, int64_t count,
                           bool skip_damaged) {
  ReadPictures read;
  for (int64_t index = first; index < first + count; ++index) {
    try {
      Example example = source.get(index);
      require_layout(example, layout, source.name_of(index));
      read.examples.push_back(std::move(example));
    } catch (const Error& error) {
      if (!skip_damaged || error.kind() != ErrorKind::input) throw;
      read.damaged.push_back(in_quotes(source.name_of(index)));  // any bytes may be in a name
    }
  }
  return read;
}

// The first thing in which they differ, as people call it.
std::string difference(const LatentRecipe& a, const LatentRecipe& b) {
  if (a.size != b.size) return "{size}";  // first: it changes the pictures' fingerprint, too
  if (a.data != b.data || a.pictures != b.pictures) return "the pictures they are of";
  if (a.autoencoder != b.autoencoder) return "their autoencoder";
  if (a.views != b.views) return "{flip}";
  if (a.stored != b.stored) return "{stored}";
  if (a.per_shard != b.per_shard) return "{per-shard}";
  return "their tiles ({vae-memory-mb})";
}

// What one shard gathers.
struct ShardParts {
  std::vector<Tensor> posteriors;
  std::vector<int64_t> labels;
};

class SetEncoder {
 public:
  SetEncoder(const Source& pictures, const Vae& vae, const fs::path& folder,
             const EncodeOptions& options, const std::function<bool(const EncodeProgress&)>& go_on)
      : pictures_(pictures),
        vae_(vae),
        folder_(folder),
        options_(options),
        go_on_(go_on),
        layout_(layout_of(pictures)) {
    if (layout_.dtype != Dtype::u8) {
      throw Error(
          ErrorKind::input,
          fmt::format("only pictures can be encoded, but the data are {}", describe(layout_)),
          "give a folder or tar of PNG or JPEG files");
    }
    require_utf8_classes(pictures);
    const int64_t height = layout_.shape[1], width = layout_.shape[2];
    batch_ = std::min({options.batch, vae.rows_for(height, width), pictures.size()});
    // Those that are encoded and those that are read meanwhile, each in a few copies.
    const auto pixels = static_cast<double>(batch_ * layout_.shape[0] * height * width);
    require_memory(6 * pixels + vae.activations_for(batch_, height, width),
                   "choose a smaller {size} or {vae-memory-mb}");
    manifest_.recipe = {.size = layout_.shape[1],
                        .views = options.mirrored ? 2 : 1,
                        .tile = vae.tile_for(layout_.shape[1], layout_.shape[2]),
                        .stored = std::string(name_of(options.stored)),
                        .pictures = pictures.size(),
                        .per_shard = options.per_shard,
                        .data = pictures.fingerprint(),
                        .autoencoder = vae.fingerprint()};
  }

  bool run() {
    keep_finished();
    progress_.all = pictures_.size();
    while (!manifest_.complete()) {
      const auto number = static_cast<int64_t>(manifest_.shards.size());
      if (!encode_shard(number)) return false;
    }
    return true;
  }

 private:
  // Takes over what an earlier run left.
  void keep_finished() {
    if (!has_latent_manifest(folder_)) return;
    LatentManifest found = read_latent_manifest(folder_);
    if (found.recipe != manifest_.recipe) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} holds latents that differ in {}", in_quotes(folder_.string()),
                              difference(found.recipe, manifest_.recipe)),
                  "choose another {out}, or remove that folder");
    }
    const auto bad =
        std::find_if(found.shards.begin(), found.shards.end(),
                     [&](const LatentShard& shard) { return !is_there(shard, folder_); });
    found.shards.erase(bad, found.shards.end());  // made again, with those behind it
    manifest_ = std::move(found);
    const auto shards = static_cast<int64_t>(manifest_.shards.size());
    progress_.done = std::min(shards * options_.per_shard, pictures_.size());
    progress_.before = progress_.done;
    progress_.skipped = manifest_.skipped();
  }

  bool encode_shard(int64_t number) {
    const int64_t first = number * options_.per_shard;
    const int64_t end = std::min(first + options_.per_shard, pictures_.size());
    ShardParts shard;
    std::vector<std::string> damaged;
    const auto read_from = [&](int64_t at) {
      return read_pictures(pictures_, layout_, at, std::min(batch_, end - at),
                           options_.skip_damaged);
    };
    // The next pictures are read and decoded while these are encoded.
    auto next = std::async(std::launch::async, read_from, first);
    for (int64_t at = first; at < end; at += batch_) {
      const ReadPictures read = next.get();
      if (at + batch_ < end) {
        next = std::async(std::launch::async, read_from, at + batch_);
      }
      add(read.examples, shard);
      damaged.insert(damaged.end(), read.damaged.begin(), read.damaged.end());
      progress_.done += std::min(batch_, end - at);
      progress_.skipped += static_cast<int64_t>(read.damaged.size());
      if (!go_on_(progress_)) return false;
    }
    write(number, shard);
    manifest_.shards.back().skipped = std::move(damaged);
    write_latent_manifest(manifest_, folder_);
    return true;
  }

  void add(const std::vector<Example>& examples, ShardParts& shard) {
    if (examples.empty()) return;
    const SourcePtr some = memory_source(examples, pictures_.class_names(), "pictures");
    const Batch batch = read_batch(*some, 0, some->size());
    const Tensor x = to_tensor(batch.view(), batch.bytes).to(vae_.options().device());  // bytes
    Tensor moments = vae_.moments(x);
    const double sum = Posterior::from(moments).divergence().sum().item<double>();
    encoded_ += some->size();
    const auto share = static_cast<double>(some->size()) / static_cast<double>(encoded_);
    progress_.divergence +=
        share * (sum / static_cast<double>(some->size()) - progress_.divergence);
    if (options_.mirrored) moments = torch::cat({moments, vae_.moments(x.flip({3}))}, 1);
    const Tensor stored = moments.to(torch::kCPU, scalar_type(options_.stored));
    if (!stored.isfinite().all().item<bool>()) {
      throw Error(ErrorKind::numeric,
                  "the posteriors are too large for the type they are stored in",
                  "use {stored} float32");
    }
    shard.posteriors.push_back(stored);
    shard.labels.insert(shard.labels.end(), batch.labels.begin(), batch.labels.end());
  }

  void write(int64_t number, const ShardParts& shard) {
    const fs::path path = folder_ / fmt::format("shard-{:05}.safetensors", number);
    const auto count = static_cast<int64_t>(shard.labels.size());
    const Tensor posteriors = shard.posteriors.empty()
                                  ? torch::zeros({0, 2 * vae_.config().latent_channels})
                                  : torch::cat(shard.posteriors).contiguous();
    const Tensor labels = torch::tensor(shard.labels, torch::kInt64);
    std::vector<NamedTensor> tensors = {{"posteriors", to_view(posteriors)}};
    std::map<std::string, std::string> metadata = {
        {"views", std::to_string(manifest_.recipe.views)}};
    if (!pictures_.class_names().empty()) {
      tensors.push_back({"labels", to_view(labels)});
      metadata["class_names"] = nlohmann::json(pictures_.class_names()).dump();
    }
    write_safetensors(path, tensors, metadata);
    manifest_.shards.push_back(describe_shard(path, count));
  }

  const Source& pictures_;
  const Vae& vae_;
  const fs::path& folder_;
  const EncodeOptions& options_;
  const std::function<bool(const EncodeProgress&)>& go_on_;
  Layout layout_;
  int64_t batch_ = 1;
  LatentManifest manifest_;
  EncodeProgress progress_;
  int64_t encoded_ = 0;  // pictures of this run
};

}  // namespace

bool encode_set(const Source& pictures, const Vae& vae, const fs::path& folder,
                const EncodeOptions& options,
                const std::function<bool(const EncodeProgress&)>& go_on) {
  return SetEncoder(pictures, vae, folder, options, go_on).run();
}

}  // namespace eqm
