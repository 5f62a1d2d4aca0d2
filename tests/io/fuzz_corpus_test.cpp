// The seeds of the fuzz targets, and what fuzzing has found: each is read or refused.
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "eqm/data/latent_manifest.h"
#include "eqm/io/csv.h"
#include "eqm/io/gzip.h"
#include "eqm/io/idx.h"
#include "eqm/io/image.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/mat.h"
#include "eqm/io/npz.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/tar_reader.h"
#include "eqm/io/weights_file.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;
using SeedBytes = std::span<const std::byte>;

constexpr uint64_t kMost = 1 << 20;

fs::path corpus() {
  return EQM_SOURCE_FOLDER "/fuzz/corpus";
}

std::string_view seed_text(SeedBytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const std::map<std::string, std::function<void(SeedBytes)>>& readers() {
  static const std::map<std::string, std::function<void(SeedBytes)>> readers = {
      {"pickle", [](SeedBytes bytes) { PickleTree::parse(bytes, "seed"); }},
      {"zip",
       [](SeedBytes bytes) {
         const ZipFile zip = ZipFile::parse(bytes, "seed");
         for (const ZipEntry& entry : zip.entries()) read_entry(entry, "seed", kMost);
       }},
      {"checkpoint",
       [](SeedBytes bytes) { WeightsFile::parse(bytes, "seed", WeightsChoice::automatic); }},
      {"npz",
       [](SeedBytes bytes) {
         const NpzFile file = NpzFile::parse(bytes, "seed");
         for (const std::string& name : file.names()) file.read(name, kMost);
       }},
      {"safetensors", [](SeedBytes bytes) { SafetensorsFile::parse(bytes, "seed"); }},
      {"image",
       [](SeedBytes bytes) {
         read_image_header(bytes, "seed");
         decode_image(bytes, "seed");
       }},
      {"gzip",
       [](SeedBytes bytes) {
         GzipStream stream(bytes, "seed");
         std::vector<std::byte> content;
         stream.append_to(content, kMost);
       }},
      {"tar", [](SeedBytes bytes) { read_tar(bytes, "seed"); }},
      {"idx",
       [](SeedBytes bytes) {
         parse_idx({bytes.begin(), bytes.end()}, 3, "seed");
       }},
      {"mat",
       [](SeedBytes bytes) {
         const MatFile file = MatFile::parse(bytes, "seed");
         for (const MatVariable& variable : file.variables()) {
           if (variable.dtype) file.read(variable, kMost);
         }
       }},
      {"csv", [](SeedBytes bytes) { parse_csv(seed_text(bytes), "seed", std::nullopt); }},
      {"latents", [](SeedBytes bytes) { parse_latent_manifest(seed_text(bytes), "seed"); }},
  };
  return readers;
}

TEST(FuzzCorpus, every_seed_is_read_or_refused) {
  for (const auto& [name, read] : readers()) {
    int whole = 0;
    for (const auto& entry : fs::directory_iterator(corpus() / name)) {
      SCOPED_TRACE(entry.path().string());
      const MappedFile file = MappedFile::open(entry.path());
      try {
        read(file.bytes());
        ++whole;
      } catch (const Error& error) {
        EXPECT_EQ(name_of(error.kind()), name_of(ErrorKind::input)) << error.what();
      }
    }
    EXPECT_GT(whole, 0) << name;
  }
}

}  // namespace
}  // namespace eqm
