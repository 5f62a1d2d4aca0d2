// Files of NumPy: every array reads as NumPy wrote it, and ours have the layout of theirs.
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/byte_cursor.h"
#include "eqm/io/npz.h"
#include "eqm/io/safetensors.h"
#include "tests/support/golden_folder.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = 1 << 28;

fs::path npz_folder() {
  return test::golden_root() / "nets" / "npz";
}

std::vector<fs::path> npz_files() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(npz_folder())) {
    if (entry.path().extension() == ".npz") paths.push_back(entry.path());
  }
  return paths;
}

nlohmann::json layouts() {
  std::ifstream file(npz_folder() / "npz_layout.json");
  return nlohmann::json::parse(file);
}

// The expected arrays have the names of those in the files, some with a word before.
bool is_expected(const SafetensorsFile& expected, const std::string& name, const NpyArray& array) {
  for (const std::string& candidate : expected.names()) {
    if (candidate != name && !candidate.ends_with("_" + name)) continue;
    const TensorView& view = expected.at(candidate);
    if (view.dtype == array.dtype && view.shape == array.shape &&
        text_of(view.bytes) == text_of(array.bytes)) {
      return true;
    }
  }
  return false;
}

TEST(GoldenNpz, arrays_are_what_numpy_wrote) {
  const SafetensorsFile expected = SafetensorsFile::open(npz_folder() / "npz_expected.safetensors");
  int compared = 0;
  for (const fs::path& path : npz_files()) {
    const NpzFile file = NpzFile::open(path);
    for (const std::string& name : file.names()) {
      SCOPED_TRACE(path.string() + " " + name);
      const NpyArray array = file.read(name, kMostBytes);
      EXPECT_TRUE(is_expected(expected, name, array));
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

// The same arrays, written by us: names, methods, sizes and headers are NumPy's.
TEST(GoldenNpz, our_files_have_the_layout_of_numpys) {
  const nlohmann::json known = layouts();
  for (const auto& [name, entries] : known.items()) {
    SCOPED_TRACE(name);
    const NpzFile source = NpzFile::open(npz_folder() / name);
    const test::TemporaryFolder folder;
    const bool packed = entries.at(0).at("method") == 8;
    NpzWriter writer(folder / "ours.npz", packed ? ZipMethod::deflated : ZipMethod::stored);
    for (const std::string& array : source.names()) {
      const NpyArray content = source.read(array, kMostBytes);
      writer.begin(array, content.dtype, {content.shape.begin() + 1, content.shape.end()});
      writer.write(content.bytes);
      writer.end();
    }
    writer.commit();
    const ZipFile ours = ZipFile::open(folder / "ours.npz");
    ASSERT_EQ(ours.entries().size(), entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
      const ZipEntry& entry = ours.entries()[i];
      const nlohmann::json& theirs = entries.at(i);
      EXPECT_EQ(entry.name, theirs.at("name"));
      EXPECT_EQ(static_cast<int>(entry.method), theirs.at("method"));
      EXPECT_EQ(entry.size, theirs.at("usize"));
      const auto content = read_entry(entry, ours.source(), kMostBytes);
      EXPECT_EQ(npy_header_size(content, entry.name), theirs.at("npy_data_offset"));
      const std::string header = theirs.at("npy_header");
      EXPECT_EQ(text_of(content).substr(10, header.size()), header);
    }
  }
}

}  // namespace
}  // namespace eqm
