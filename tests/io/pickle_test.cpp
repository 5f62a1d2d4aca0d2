#include "eqm/io/pickle.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/byte_cursor.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/peak_memory.h"
#include "tests/support/pickle_builder.h"

namespace eqm {
namespace {

using namespace test::pickled;
using test::bytes_of;
using test::expect_input_error;
using test::little;
using std::string_literals::operator""s;

PickleTree parse_pickle(std::string_view bytes) {
  return PickleTree::parse(bytes_of(bytes), "made.pt");
}

void expect_refused_pickle(const std::string& part, const std::string& bytes) {
  SCOPED_TRACE(part);
  expect_input_error(part, [&] { parse_pickle(bytes); });
}

TEST(Pickle, reads_numbers_and_strings) {
  const std::string bytes = pickle(
      tuple({"K\x07", "M\x01\x02", "J\xff\xff\xff\xff"s, number(-5), "G\x3f\xf8\0\0\0\0\0\0"s,
             text("name"), "U\x01z", "C\x02\x01\x02", truth(true), none(), "\x8a\x00"s}));
  const PickleTree tree = parse_pickle(bytes);
  const PickleValue root = tree.root();
  ASSERT_EQ(root.size(), 11u);
  EXPECT_EQ(root.at(0).integer(), 7);
  EXPECT_EQ(root.at(1).integer(), 513);
  EXPECT_EQ(root.at(2).integer(), -1);
  EXPECT_EQ(root.at(3).integer(), -5);
  EXPECT_EQ(root.at(4).real(), 1.5);
  EXPECT_EQ(root.at(5).text(), "name");
  EXPECT_EQ(root.at(6).text(), "z");
  EXPECT_EQ(root.at(7).kind(), PickleKind::bytes);
  EXPECT_EQ(root.at(8).boolean(), true);
  EXPECT_EQ(root.at(9).kind(), PickleKind::none);
  EXPECT_EQ(root.at(10).integer(), 0);
  EXPECT_EQ(root.at(0).text(), std::nullopt);
  EXPECT_EQ(tree.length(), bytes.size());
}

TEST(Pickle, reads_collections) {
  const std::string ordered =
      call(global("collections", "OrderedDict"), {list({tuple({text("k"), number(9)})})});
  const std::string bytes = pickle(
      dict({{"a", list({number(1), number(2)})}, {"b", ordered}, {"a", number(3)}, {"c", ")"}}));
  const PickleTree tree = parse_pickle(bytes);
  EXPECT_EQ(tree.root().find("a")->integer(), 3);  // the last of equal keys
  EXPECT_EQ(tree.root().find("b")->find("k")->integer(), 9);
  EXPECT_EQ(tree.root().find("c")->size(), 0u);
  EXPECT_FALSE(tree.root().find("d").has_value());
}

TEST(Pickle, reads_protocol_4) {
  const std::string bytes =
      "\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94\x8c\x01k\x94\x8c\x01m\x8c\x01n\x93s."s;
  const PickleTree tree = parse_pickle(bytes);
  EXPECT_TRUE(tree.root().find("k")->is_global("m", "n"));
}

// What the famous attack does; here it is only written down.
TEST(Pickle, runs_nothing) {
  const std::string bytes = pickle(call(global("os", "system"), {text("touch /tmp/owned")}));
  const PickleTree tree = parse_pickle(bytes);
  EXPECT_EQ(tree.root().kind(), PickleKind::object);
  EXPECT_TRUE(tree.root().subject()->is_global("os", "system"));
  EXPECT_EQ(tree.root().arguments()->at(0).text(), "touch /tmp/owned");
  EXPECT_EQ(described(tree.root()), "an object of 'os.system'");
}

TEST(Pickle, keeps_the_state_and_items_of_objects) {
  const std::string object = call(global("argparse", "Namespace"), {});
  const std::string bytes = pickle(object + dict({{"lr", "G\x3f\xf8\0\0\0\0\0\0"s}}) + "b");
  EXPECT_EQ(parse_pickle(bytes).root().state()->find("lr")->real(), 1.5);
  const std::string filled = pickle(object + text("k") + number(1) + "s");
  EXPECT_EQ(parse_pickle(filled).root().find("k")->integer(), 1);
}

TEST(Pickle, values_that_hold_themselves_do_no_harm) {
  const std::string bytes = pickle("]q\x00h\x00"s + "a");
  EXPECT_EQ(parse_pickle(bytes).root().at(0).at(0).at(0).kind(), PickleKind::list);
}

TEST(Pickle, depth_does_not_matter) {
  const std::string bytes = pickle(std::string(500'000, '(') + "N" + std::string(500'000, 't'));
  EXPECT_EQ(parse_pickle(bytes).root().size(), 1u);
}

TEST(Pickle, refuses_other_things) {
  expect_refused_pickle("does not begin as a pickle does", "");
  expect_refused_pickle("does not begin as a pickle does", "hello, world");
  expect_refused_pickle("protocol 0", "\x80\x00."s);
  expect_refused_pickle("protocol 9", "\x80\x09.");
  expect_refused_pickle("instruction 0x82", pickle("\x82\x01"));  // the extension registry
  expect_refused_pickle("instruction 0x69", pickle("ios\nsystem\n"));
}

TEST(Pickle, refuses_misuse_of_the_stack) {
  const std::string stack = "more from its stack than there is";
  expect_refused_pickle(stack, pickle(""));
  expect_refused_pickle(stack, pickle("0"));
  expect_refused_pickle(stack, pickle("NR"));
  expect_refused_pickle(stack, pickle("N(a"));
  expect_refused_pickle(stack, pickle("(u"));
  expect_refused_pickle("mark", pickle("Nt"));
  expect_refused_pickle("never noted", pickle("h\x05"));
  expect_refused_pickle("key without a value", pickle("}(Nu"));
  expect_refused_pickle("adds items to something else than a list", pickle("NNa"));
  expect_refused_pickle("adds items to something else than a dictionary", pickle("]NNs"));
  expect_refused_pickle("names a class by no string", pickle("NN\x93"));
  expect_refused_pickle("than pairs",
                        pickle(call(global("collections", "OrderedDict"), {list({number(1)})})));
}

TEST(Pickle, refuses_false_lengths) {
  expect_refused_pickle("ends early", pickle("X\xff\xff\xff\xff"s));
  expect_refused_pickle("ends early", "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff."s);
  expect_refused_pickle("ends early", pickle("\x8b\xff\xff\xff\x7f"s));
  expect_refused_pickle("has no end", pickle("cos"));
  expect_refused_pickle("ends early", "\x80\x02N");
}

TEST(Pickle, memory_is_bounded) {
  expect_refused_pickle("more than 1000000 values", pickle(std::string(2'000'000, 'N')));
  // Each of these dictionaries repeats a long list, for five bytes of pickle.
  std::string bytes = "](" + joined(Parts(1000, tuple({number(1), number(2)}))) + "eq\x00"s;
  bytes += "0" + global("collections", "OrderedDict") + "q\x01"s + "0";
  for (int i = 0; i < 100'000; ++i) bytes += "h\x01h\x00\x85R"s;
  const uint64_t before = test::peak_memory();
  expect_refused_pickle("more than 4000000 items", pickle(bytes));
  EXPECT_LT(test::peak_memory() - before, uint64_t{256} << 20);
}

RC_GTEST_PROP(Pickle, survives_damage, ()) {
  const std::string whole = pickle(dict({{"a", vector_of("0", 4)},
                                         {"b", list({number(1), tuple({text("x")})})},
                                         {"c", call(global("os", "system"), {text("y")})}}));
  const auto span = bytes_of(whole);
  const test::Bytes damaged = test::with_changed_bytes({span.begin(), span.end()});
  try {
    parse_pickle(text_of(damaged));
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::input);
  }
}

}  // namespace
}  // namespace eqm
