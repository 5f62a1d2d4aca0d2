#include "eqm/io/file_kind.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/safetensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/gzip.h"
#include "tests/support/made_idx.h"
#include "tests/support/made_picture.h"
#include "tests/support/mat_builder.h"
#include "tests/support/tar_builder.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_builder.h"

namespace eqm {
namespace {

using test::plain_image;
using test::tar_end;
using test::tar_file;

const std::string& idx_file() {
  static const std::string file = test::idx_bytes(test::kIdxImages, {1, 1, 2}, "ab");
  return file;
}

class Kind : public ::testing::Test {
 protected:
  FileKind kind_of(const std::string& content) {
    write_file(folder_ / "file", content);
    return kind_of_file(folder_ / "file");
  }

  FileKind kind_of_gzipped(const std::string& content) {
    write_file(folder_ / "file.gz", test::gzipped(std::as_bytes(std::span(content))));
    return kind_of_file(folder_ / "file.gz");
  }

  test::TemporaryFolder folder_;
};

TEST_F(Kind, is_told_by_the_content) {
  EXPECT_EQ(kind_of(idx_file()), FileKind::idx);
  EXPECT_EQ(kind_of(tar_file("a", "x") + tar_end()), FileKind::tar);
  EXPECT_EQ(kind_of(test::png_of(plain_image(1, 1, 3, 0))), FileKind::picture);
  EXPECT_EQ(kind_of(test::jpeg_of(plain_image(1, 1, 3, 0))), FileKind::picture);
  write_safetensors(folder_ / "set", {});
  EXPECT_EQ(kind_of_file(folder_ / "set"), FileKind::safetensors);
  EXPECT_EQ(kind_of(test::made_zip({{.name = "a", .content = "x"}})), FileKind::zip);
  EXPECT_EQ(kind_of(test::mat_header()), FileKind::mat);
}

TEST_F(Kind, is_that_of_the_content_of_gzip) {
  EXPECT_EQ(kind_of_gzipped(idx_file()), FileKind::idx);
  EXPECT_EQ(kind_of_gzipped(tar_file("a", std::string(100'000, 'x')) + tar_end()), FileKind::tar);
  EXPECT_EQ(kind_of_gzipped("text"), FileKind::unknown);
  EXPECT_EQ(kind_of("\x1f\x8b"), FileKind::unknown);
  EXPECT_EQ(kind_of("\x1f\x8bnot gzip after all"), FileKind::unknown);
}

TEST_F(Kind, is_unknown_of_anything_else) {
  for (const std::string& content : {std::string(), std::string("text"), std::string(512, '\0'),
                                     std::string(1000, 'x'), std::string("PK\3")}) {
    EXPECT_EQ(kind_of(content), FileKind::unknown);
  }
}

TEST_F(Kind, knows_tars_of_any_age_by_their_checksum) {
  std::string old = tar_file("a", "x") + tar_end();
  EXPECT_EQ(kind_of(old), FileKind::tar);
  old[300] = 'x';
  EXPECT_EQ(kind_of(old), FileKind::unknown);
}

TEST_F(Kind, cannot_be_told_of_what_is_not_there) {
  test::expect_error(ErrorKind::io, "absent", [&] { kind_of_file(folder_ / "absent"); });
  test::expect_error(ErrorKind::io, "folder", [&] { kind_of_file(folder_.path()); });
}

RC_GTEST_PROP(KindOfBytes, never_fails, (const std::vector<uint8_t>& bytes)) {
  kind_of_bytes(std::as_bytes(std::span(bytes)));
}

}  // namespace
}  // namespace eqm
