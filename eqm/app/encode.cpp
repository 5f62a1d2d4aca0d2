#include "eqm/app/encode.h"

#include <system_error>

#include <fmt/format.h>

#include "eqm/app/open_images.h"
#include "eqm/base/error.h"
#include "eqm/data/latents.h"
#include "eqm/data/layout.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/folder_lock.h"

namespace eqm::app {
namespace {

const Names<Dtype>& latent_types() {
  static const Names<Dtype> names = {{"float16", Dtype::f16}, {"float32", Dtype::f32}};
  return names;
}

LatentPart part_of(const std::filesystem::path& folder, const LatentManifest& manifest) {
  return {.name = folder.filename().string(),
          .folder = folder,
          .shards = static_cast<int64_t>(manifest.shards.size()),
          .planned_shards = manifest.shard_count(),
          .pictures = manifest.examples()};
}

// Of every part that is there.
EncodingResult check_parts(const std::string& out) {
  EncodingResult result;
  for (const char* part : {"train", "test"}) {
    const std::filesystem::path folder = std::filesystem::path(out) / part;
    if (has_latent_manifest(folder)) result.parts.push_back(part_of(folder, check_latents(folder)));
  }
  if (!result.parts.empty()) return result;
  throw Error(ErrorKind::input, fmt::format("'{}' holds no latents", out),
              "give the {out} that they were encoded to");
}

EncodingResult encode_part(const Source& pictures, const Vae& vae,
                           const std::filesystem::path& folder, const EncodeOptions& how,
                           Host& host) {
  EncodeProgress last;
  bool begun = false;
  const bool whole = encode_set(pictures, vae, folder, how, [&](const EncodeProgress& now) {
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
  EncodingResult result;
  if (!whole) {
    host.log()->info("stopped; the same command resumes after the last finished shard");
    result.stopped = true;
    return result;
  }
  const LatentManifest manifest = read_latent_manifest(folder);
  result.parts.push_back(part_of(folder, manifest));
  if (begun) result.divergence = last.divergence;
  if (manifest.skipped() > 0) {
    host.log()->warn("{} damaged pictures were skipped: the manifest lists them",
                     manifest.skipped());
  }
  if (begun) {
    host.wrote(folder);
    host.log()->info("wrote {}", folder.string());
  } else {
    host.log()->info("nothing was left to do; {check} compares the checksums");
  }
  return result;
}

}  // namespace

void EncodingOptions::declare(OptionSet& options) {
  options.section("data");
  options.text("data", data, "pictures: a folder or tar by class, or a data set");
  options.choice("part", part, split_names(),
                 "part to encode, of a set that has parts; others are taken whole");
  options.count("size", size, Range::between(0, 8192),
                "crops and scales pictures to this height and width; 0 keeps their size");
  options.flag("flip", how.mirrored, "also encodes mirrored pictures, for training with {flip}");
  options.flag("skip-damaged", how.skip_damaged,
               "skips damaged pictures, and lists them in the manifest");
  options.section("output");
  options.text("out", out, "folder for the latents");
  options.choice("stored", how.stored, latent_types(), "number type of the stored latents");
  options.count("per-shard", how.per_shard, Range::between(1, 1e6), "pictures per shard");
  options.count("batch", how.batch, Range::between(1, 1e5),
                "pictures read at once; as many are encoded together as memory allows");
  options.flag("check", check,
               "only verifies existing latents against their manifest and checksums");
  codec.declare(options);
  runtime.declare(options);
}

EncodingResult run(const EncodingOptions& options, Host& host) {
  if (options.out.empty()) {
    throw Error(ErrorKind::usage, "no folder to write was given", "use {out}");
  }
  if (options.check) return check_parts(options.out);
  const std::filesystem::path folder =
      std::filesystem::path(options.out) / (options.part == Split::test ? "test" : "train");
  if (options.data.empty()) {
    throw Error(ErrorKind::usage, "no pictures were given", "use {data} PATH");
  }
  if (options.codec.vae.empty()) {
    throw Error(ErrorKind::usage, "no autoencoder was given", where_autoencoders_come_from());
  }
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  const std::shared_ptr<const Vae> vae = options.codec.open(type);
  const SourceOptions how = {
      .split = options.part, .channels = vae->config().image_channels, .size = options.size};
  // What has no parts is what it is called.
  const SourcePtr pictures =
      options.part == Split::test ? open_unseen(options.data, how) : open_images(options.data, how);
  std::error_code ignored;
  if (std::filesystem::equivalent(options.data, options.out, ignored)) {
    throw Error(ErrorKind::usage, "latents would be written among the pictures",
                "choose an {out} that is not {data}");
  }
  // Refuses before anything is written.
  const Shape shape = latent_shape(vae->config(), layout_of(*pictures).shape);
  if (shape[1] != shape[2]) {
    host.log()->warn("training takes square latents only, and these are {} x {}: see {{size}}",
                     shape[1], shape[2]);
  }
  const FolderLock lock(folder);
  sweep_temporaries(folder);
  host.begin_stoppable_work();
  return encode_part(*pictures, *vae, folder, options.how, host);
}

}  // namespace eqm::app
