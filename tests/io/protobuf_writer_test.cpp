#include "eqm/io/protobuf_writer.h"

#include <bit>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/event_decoder.h"

namespace eqm {
namespace {

using test::Message;
using namespace std::string_literals;

// The examples of the format's public description.
TEST(ProtobufWriter, writes_the_documented_bytes) {
  ProtobufWriter number;
  number.integer(1, 150);
  EXPECT_EQ(number.bytes(), "\x08\x96\x01");
  ProtobufWriter text;
  text.text(2, "testing");
  EXPECT_EQ(text.bytes(), "\x12\x07testing");
  ProtobufWriter message;
  message.message(3, number);
  EXPECT_EQ(message.bytes(), "\x1a\x03\x08\x96\x01");
}

TEST(ProtobufWriter, writes_negative_numbers_as_ten_bytes) {
  ProtobufWriter writer;
  writer.integer(1, -1);
  EXPECT_EQ(writer.bytes(), "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(ProtobufWriter, writes_floats_with_the_lowest_byte_first) {
  ProtobufWriter writer;
  writer.number(1, 1.0f);
  writer.number(2, 1.0);
  EXPECT_EQ(writer.bytes(), "\x0d\0\0\x80\x3f\x11\0\0\0\0\0\0\xf0\x3f"s);
}

TEST(ProtobufWriter, writes_field_numbers_past_one_byte) {
  ProtobufWriter writer;
  writer.integer(16, 1);
  EXPECT_EQ(writer.bytes(), "\x80\x01\x01");
}

RC_GTEST_PROP(ProtobufWriter, is_read_back_by_an_independent_reader,
              (int64_t whole, uint64_t bits, uint32_t float_bits, const std::string& text)) {
  ProtobufWriter inner;
  inner.integer(1, whole);
  inner.text(1000, text);
  ProtobufWriter outer;
  outer.number(2, std::bit_cast<double>(bits));
  outer.number(3, std::bit_cast<float>(float_bits));
  outer.message(4, inner);
  const Message message(outer.bytes());
  RC_ASSERT(message.numbers.at(2) == bits);
  RC_ASSERT(message.numbers.at(3) == float_bits);
  RC_ASSERT(message.inner(4).as_integer(1) == whole);
  RC_ASSERT(message.inner(4).texts.at(1000) == text);
}

}  // namespace
}  // namespace eqm
