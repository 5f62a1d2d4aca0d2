#include "eqm/io/torch_file.h"

#include <cstring>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/byte_cursor.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/pickle_builder.h"

namespace eqm {
namespace {

using namespace test::pickled;
using test::bytes_of;
using test::expect_input_error;
using Sizes = std::vector<int64_t>;

// Eight elements of four bytes: "aaaabbbb...".
std::string eight() {
  std::string bytes;
  for (char letter = 'a'; letter <= 'h'; ++letter) bytes += std::string(4, letter);
  return bytes;
}

// What the only tensor of a made file is; a copy, since the file goes away.
struct Found {
  Dtype dtype;
  Sizes shape, strides;
  std::string bytes;
};

Found only_tensor(const std::string& file) {
  const TorchFile torch = TorchFile::parse(bytes_of(file), "made.pt");
  const auto tensor = torch.tensor(torch.root());
  EXPECT_TRUE(tensor.has_value());
  if (!tensor) return {};
  torch.check_storage(tensor->storage);
  return {tensor->view.dtype, tensor->view.shape, tensor->view.strides,
          std::string(text_of(tensor->view.bytes))};
}

std::string zip_of(const std::string& tensor) {
  return torch_zip(tensor, {{"0", eight()}});
}

void expect_refused(const std::string& part, const std::string& file) {
  SCOPED_TRACE(part);
  expect_input_error(part, [&] { only_tensor(file); });
}

std::string floats(int64_t size = 8) {
  return storage("FloatStorage", "0", size);
}

TEST(TorchFile, reads_windows_on_a_storage) {
  const Found whole = only_tensor(zip_of(tensor(floats(), 0, {2, 4}, {4, 1})));
  EXPECT_EQ(whole.dtype, Dtype::f32);
  EXPECT_EQ(whole.shape, (Sizes{2, 4}));
  EXPECT_EQ(whole.bytes, eight());
  const Found part = only_tensor(zip_of(tensor(floats(), 1, {2, 2}, {1, 4})));
  EXPECT_EQ(part.strides, (Sizes{1, 4}));
  EXPECT_EQ(part.bytes, eight().substr(4, 24));  // from the second to the seventh
  EXPECT_EQ(only_tensor(zip_of(tensor(floats(), 7, {}, {}))).bytes, "hhhh");
  EXPECT_EQ(only_tensor(zip_of(tensor(floats(), 0, {0, 3}, {3, 1}))).bytes, "");
}

TEST(TorchFile, where_a_storage_lived_does_not_matter) {
  for (const char* place : {"cpu", "cuda:0", "cuda:7", "mps", "xla:1"}) {
    const std::string stored = storage("FloatStorage", "0", 8, place);
    EXPECT_EQ(only_tensor(zip_of(tensor(stored, 0, {8}, {1}))).bytes, eight());
  }
}

TEST(TorchFile, knows_every_storage_class) {
  const std::vector<std::pair<std::string, Dtype>> classes = {
      {"HalfStorage", Dtype::f16},    {"BFloat16Storage", Dtype::bf16},
      {"DoubleStorage", Dtype::f64},  {"LongStorage", Dtype::i64},
      {"IntStorage", Dtype::i32},     {"ShortStorage", Dtype::i16},
      {"CharStorage", Dtype::i8},     {"ByteStorage", Dtype::u8},
      {"BoolStorage", Dtype::boolean}};
  for (const auto& [name, dtype] : classes) {
    const auto count = static_cast<int64_t>(32 / size_of(dtype));
    EXPECT_EQ(only_tensor(zip_of(tensor(storage(name, "0", count), 0, {count}, {1}))).dtype, dtype);
  }
}

TEST(TorchFile, reads_parameters_and_tensors_of_derived_classes) {
  const std::string plain = tensor(floats(), 0, {8}, {1});
  const std::string parameter =
      call(global("torch._utils", "_rebuild_parameter"),
           {plain, truth(true), call(global("collections", "OrderedDict"), {})});
  EXPECT_EQ(only_tensor(zip_of(parameter)).bytes, eight());
  const std::string derived =
      call(global("torch._tensor", "_rebuild_from_type_v2"),
           {global("torch._utils", "_rebuild_tensor_v2"), global("mine", "Tensor"),
            tuple({floats(), number(0), numbers({8}), numbers({1})}), dict({})});
  EXPECT_EQ(only_tensor(zip_of(derived)).bytes, eight());
}

TEST(TorchFile, reads_untyped_storages) {
  const std::string untyped = tuple({text("storage"), global("torch.storage", "UntypedStorage"),
                                     text("0"), text("cpu"), number(32)}) +
                              "Q";
  const std::string third = call(global("torch._utils", "_rebuild_tensor_v3"),
                                 {untyped, number(2), numbers({4}), numbers({1}), truth(false),
                                  dict({}), global("torch", "uint16"), none()});
  const Found found = only_tensor(zip_of(third));
  EXPECT_EQ(found.dtype, Dtype::u16);
  EXPECT_EQ(found.bytes, eight().substr(4, 8));
}

TEST(TorchFile, other_objects_are_no_tensors) {
  const std::string file = zip_of(call(global("os", "system"), {text("touch /tmp/owned")}));
  const TorchFile torch = TorchFile::parse(bytes_of(file), "made.pt");
  EXPECT_FALSE(torch.tensor(torch.root()).has_value());
}

TEST(TorchFile, reads_the_older_format) {
  const std::string file =
      torch_legacy(dict({{"b", tensor(storage("FloatStorage", "7", 2), 0, {2}, {1})},
                         {"a", tensor(storage("HalfStorage", "5", 3), 1, {2}, {1})}}),
                   {"5", "7"}, {{3, "112233"}, {2, "aaaabbbb"}});
  const TorchFile torch = TorchFile::parse(bytes_of(file), "made.pt");
  EXPECT_EQ(text_of(torch.tensor(*torch.root().find("a"))->view.bytes), "2233");
  EXPECT_EQ(text_of(torch.tensor(*torch.root().find("b"))->view.bytes), "aaaabbbb");
}

TEST(TorchFile, reads_windows_of_the_older_format) {
  const std::string window =
      tuple({text("storage"), global("torch", "FloatStorage"), text("1"), text("cpu"), number(8),
             tuple({text("2"), number(4), number(3)})}) +
      "Q";
  EXPECT_EQ(only_tensor(torch_legacy(tensor(window, 1, {2}, {1}), {"1"}, {{8, eight()}})).bytes,
            "ffffgggg");
  expect_refused("reaches beyond",
                 torch_legacy(tensor(window, 2, {2}, {1}), {"1"}, {{8, eight()}}));
}

TEST(TorchFile, refuses_tensors_beyond_their_storage) {
  const std::string beyond = "reaches beyond";
  expect_refused(beyond, zip_of(tensor(floats(), 0, {9}, {1})));
  expect_refused(beyond, zip_of(tensor(floats(), 1, {8}, {1})));
  expect_refused(beyond, zip_of(tensor(floats(), 0, {2}, {8})));
  expect_refused(beyond, zip_of(tensor(floats(), 8, {1}, {1})));
  const int64_t huge = std::numeric_limits<int64_t>::max();
  expect_refused(beyond, zip_of(tensor(floats(), huge, {1}, {1})));
  expect_refused(beyond, zip_of(tensor(floats(), 0, {2, 2}, {huge, huge})));
  expect_refused(beyond, zip_of(tensor(floats(), 0, {huge, huge}, {0, 0})));
  // Repeated elements would make terabytes of a few bytes.
  expect_refused(beyond, zip_of(tensor(floats(), 0, {1'000'000'000}, {0})));
}

TEST(TorchFile, refuses_senseless_tensors) {
  const std::string shape = "no sensible shape";
  expect_refused(shape, zip_of(tensor(floats(), 0, {8}, {1, 1})));
  expect_refused(shape, zip_of(tensor(floats(), -1, {8}, {1})));
  expect_refused(shape, zip_of(tensor(floats(), 0, {-8}, {1})));
  expect_refused(shape, zip_of(tensor(floats(), 0, {8}, {-1})));
  expect_refused(shape, zip_of(tensor(floats(), 0, Sizes(65, 1), Sizes(65, 1))));
  expect_refused("has no storage", zip_of(tensor(number(1), 0, {8}, {1})));
  expect_refused("reference to a storage", zip_of(tensor(text("0") + "Q", 0, {8}, {1})));
  expect_refused("unknown type 'torch.QInt8Storage'",
                 zip_of(tensor(storage("QInt8Storage", "0", 8), 0, {8}, {1})));
}

TEST(TorchFile, refuses_storages_of_another_size_or_none) {
  expect_refused("has 32 bytes where 9 elements of 4", zip_of(tensor(floats(9), 0, {8}, {1})));
  expect_refused("storage '1' is missing", zip_of(vector_of("1", 8)));
  expect_refused("storage '../x' is missing", zip_of(vector_of("../x", 8)));
}

TEST(TorchFile, refuses_zips_of_something_else) {
  expect_refused("without 'data.pkl'", test::made_zip({{.name = "a", .content = "b"}}));
  expect_refused("two checkpoints",
                 test::made_zip({{.name = "a/data.pkl", .content = pickle("N")},
                                 {.name = "b/data.pkl", .content = pickle("N")}}));
  expect_refused("big-endian", test::made_zip({{.name = "a/data.pkl", .content = pickle("N")},
                                               {.name = "a/byteorder", .content = "big"}}));
}

TEST(TorchFile, refuses_damaged_storages_when_they_are_checked) {
  std::string file = zip_of(vector_of("0", 8));
  file[file.find("cccc")] = 'x';
  expect_refused("checksum", file);
}

TEST(TorchFile, refuses_broken_files_of_the_older_format) {
  expect_refused("not of torch.save", pickle("N"));
  expect_refused("big-endian", torch_legacy(vector_of("1", 2), {"1"}, {{2, "aaaabbbb"}}, false));
  expect_refused("claims 3 elements", torch_legacy(vector_of("1", 3), {"1"}, {{3, "aaaabbbb"}}));
  expect_refused("claims", torch_legacy(vector_of("1", 3), {"1"}, {{int64_t{1} << 62, "aaaa"}}));
  expect_refused("never used", torch_legacy(vector_of("1", 2), {"9"}, {{2, "aaaabbbb"}}));
  expect_refused("has 8 bytes where 3", torch_legacy(vector_of("1", 3), {"1"}, {{2, "aaaabbbb"}}));
  expect_refused("is missing", torch_legacy(vector_of("1", 2), {}, {}));
  expect_refused("ends early", torch_legacy(vector_of("1", 2), {"1"}, {}));
}

RC_GTEST_PROP(TorchFile, survives_damage, ()) {
  const bool zipped = *rc::gen::arbitrary<bool>();
  const std::string body = tensor(floats(), 1, {2, 2}, {1, 4});
  const std::string whole = zipped ? zip_of(body) : torch_legacy(body, {"0"}, {{8, eight()}});
  const auto span = bytes_of(whole);
  const test::Bytes damaged = test::with_changed_bytes({span.begin(), span.end()});
  try {
    const TorchFile torch = TorchFile::parse(damaged, "made.pt");
    if (const auto tensor = torch.tensor(torch.root())) torch.check_storage(tensor->storage);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace eqm
