#include "eqm/io/mat.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/mat_builder.h"

namespace eqm {
namespace {

using test::bytes_of;
using test::expect_input_error;
using test::MadeMatrix;
using test::mat_element;
using test::mat_header;
using test::mat_matrix;
using test::mat_packed;
using test::mat_small;
using MatShape = std::vector<int64_t>;

constexpr uint64_t kMostMat = 1 << 20;

std::filesystem::path mat_seed(const std::string& name) {
  return std::filesystem::path(EQM_SOURCE_FOLDER) / "fuzz" / "corpus" / "mat" / name;
}

std::string content_of_mat(const std::string& file, const std::string& name = "X") {
  const MatFile mat = MatFile::parse(bytes_of(file), "made.mat");
  const MatVariable* variable = mat.find(name);
  if (variable == nullptr) return "nothing";
  return std::string(text_of(mat.read(*variable, kMostMat)));
}

// Files of scipy, whose array counts up row by row.
TEST(Mat, reads_arrays_that_scipy_wrote_packed_and_plain) {
  for (const char* name : {"digits.mat", "plain.mat"}) {
    SCOPED_TRACE(name);
    const MatFile file = MatFile::open(mat_seed(name));
    const MatVariable* x = file.find("X");
    ASSERT_NE(x, nullptr);
    EXPECT_EQ(x->shape, (MatShape{4, 5, 3, 6}));
    EXPECT_EQ(x->dtype, Dtype::u8);
    const std::vector<std::byte> bytes = file.read(*x, kMostMat);
    ASSERT_EQ(bytes.size(), 360U);
    size_t at = 0;
    for (int n = 0; n < 6; ++n) {
      for (int c = 0; c < 3; ++c) {
        for (int w = 0; w < 5; ++w) {
          for (int h = 0; h < 4; ++h, ++at) {
            const int value = (((h * 5 + w) * 3 + c) * 6 + n) % 251;
            ASSERT_EQ(std::to_integer<int>(bytes[at]), value);
          }
        }
      }
    }
    const MatVariable* y = file.find("y");
    ASSERT_NE(y, nullptr);
    EXPECT_EQ(y->shape, (MatShape{6, 1}));
    EXPECT_EQ(file.find("Y"), nullptr);
  }
}

TEST(Mat, lists_what_is_no_array_of_real_numbers_and_refuses_to_read_it) {
  const MatFile file = MatFile::open(mat_seed("mixed.mat"));
  EXPECT_EQ(file.variables().size(), 5U);
  for (const char* name : {"note", "s", "z", "c"}) {
    ASSERT_NE(file.find(name), nullptr) << name;
    EXPECT_FALSE(file.find(name)->dtype) << name;
    expect_input_error("no array of real numbers", [&] { file.read(*file.find(name), kMostMat); });
  }
  EXPECT_EQ(file.find("w")->dtype, Dtype::i16);
}

TEST(Mat, reads_data_within_a_tag) {
  const std::string parts = mat_element(6, test::little(9, 4) + test::little(0, 4)) +
                            mat_element(5, test::little(1, 4) + test::little(3, 4)) +
                            mat_small(1, "ab") + mat_small(2, "xyz");
  EXPECT_EQ(content_of_mat(mat_header() + mat_element(14, parts), "ab"), "xyz");
  EXPECT_EQ(content_of_mat(mat_header() + mat_packed(mat_element(14, parts)), "ab"), "xyz");
}

TEST(Mat, reads_several_variables_and_none) {
  const std::string two = mat_header() + mat_matrix({}) +
                          mat_packed(mat_matrix({.name = "other", .shape = {1, 1}, .data = "z"}));
  EXPECT_EQ(content_of_mat(two, "X"), "abcd");
  EXPECT_EQ(content_of_mat(two, "other"), "z");
  EXPECT_TRUE(MatFile::parse(bytes_of(mat_header()), "made.mat").variables().empty());
}

TEST(Mat, refuses_other_versions_and_says_how_to_save) {
  const auto refused = [](const std::string& file, const std::string& part) {
    expect_input_error(part, [&] { MatFile::parse(bytes_of(file), "made.mat"); });
  };
  refused("MATLAB 5.0", "within the header");
  refused(std::string(200, 'x'), "not a MATLAB file");
  refused(mat_header(std::string("\1\0MI", 4)), "big-endian");
  refused(mat_header(std::string("\0\2IM", 4)), "7.3");
}

TEST(Mat, refuses_lengths_that_do_not_fit) {
  const auto refused = [](const std::string& file, const std::string& part) {
    expect_input_error(part, [&] { content_of_mat(mat_header() + file); });
  };
  refused(mat_matrix({.data = "abc"}), "3 bytes");
  refused(mat_matrix({.data = "abcde"}), "5 bytes");
  refused(mat_matrix({.shape = {-2, -2}}), "[-2, -2]");
  refused(mat_matrix({.shape = {2'000'000'000, 2'000'000'000, 2'000'000'000}}), "shape");
  refused(mat_matrix({.shape = {4}}), "without dimensions");
  refused(mat_matrix({.shape = std::vector<int32_t>(33, 1)}), "without dimensions");
  refused(mat_matrix({.storage = 77}), "unknown type 77");
  refused(mat_element(9, "12345678"), "type 9");
  refused(test::little(14, 4) + test::little(1000, 4), "ends early");
  refused(mat_packed(std::string(6, '\0')), "ends early");
  refused(mat_packed(mat_element(9, "12345678")), "something else");
  refused(mat_packed(mat_matrix({}) + std::string(40, 'x')), "more than a variable announces");
  refused(mat_element(15, "this is not deflated"), "cannot be unpacked");
}

// A few bytes that claim a terabyte are refused before memory is asked for.
TEST(Mat, refuses_a_claim_that_so_few_bytes_cannot_unpack_to) {
  std::string parts = mat_element(6, test::little(9, 4) + test::little(0, 4)) +
                      mat_element(5, test::little(65'536, 4) + test::little(65'535, 4)) +
                      mat_element(1, "X") + test::little(2, 4) + test::little(4'294'901'760, 4);
  const std::string file =
      mat_header() + mat_packed(test::little(14, 4) + test::little(4'294'967'295, 4) + parts);
  expect_input_error("4294901760 bytes", [&] { content_of_mat(file); });
}

TEST(Mat, refuses_more_than_it_is_allowed_to_read) {
  const std::string bytes = mat_header() + mat_matrix({});
  const MatFile file = MatFile::parse(bytes_of(bytes), "made.mat");
  EXPECT_EQ(file.read(*file.find("X"), 4).size(), 4U);
  expect_input_error("at most 3", [&] { file.read(*file.find("X"), 3); });
}

TEST(Mat, cut_off_anywhere_is_refused) {
  for (const char* name : {"digits.mat", "plain.mat"}) {
    const MappedFile whole = MappedFile::open(mat_seed(name));
    for (const test::Bytes& cut : test::truncations(whole.bytes())) {
      if (cut.size() == 128) continue;  // a file of no variables
      expect_input_error("", [&] { MatFile::parse(cut, "cut.mat"); });
    }
  }
}

RC_GTEST_PROP(Mat, with_changed_bytes_is_read_or_refused, ()) {
  for (const char* name : {"digits.mat", "plain.mat", "mixed.mat"}) {
    const MappedFile whole = MappedFile::open(mat_seed(name));
    const test::Bytes bytes =
        test::with_changed_bytes({whole.bytes().begin(), whole.bytes().end()});
    try {
      const MatFile file = MatFile::parse(bytes, "changed.mat");
      for (const MatVariable& variable : file.variables()) {
        if (variable.dtype) file.read(variable, kMostMat);
      }
    } catch (const Error& error) {
      RC_ASSERT(error.kind() == ErrorKind::input);
    }
  }
}

}  // namespace
}  // namespace eqm
