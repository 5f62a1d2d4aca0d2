#include "eqm/io/zip_writer.h"

#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "eqm/io/byte_cursor.h"
#include "eqm/io/zip_stream.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_builder.h"

namespace eqm {
namespace {

using test::bytes_of;
using test::TemporaryFolder;

std::string written_text(const ZipFile& zip, const std::string& name) {
  const auto bytes = read_entry(*zip.find(name), zip.source(), 1 << 24);
  return std::string(text_of(bytes));
}

TEST(ZipWriter, what_it_writes_reads_back) {
  const TemporaryFolder folder;
  const std::string long_text(200'000, 'z');
  ZipWriter writer(folder / "a.zip");
  for (const ZipMethod method : {ZipMethod::stored, ZipMethod::deflated}) {
    const std::string kind = method == ZipMethod::stored ? "stored" : "packed";
    writer.begin(kind, method);
    writer.write(bytes_of("one "));
    writer.write(bytes_of(long_text));
    writer.end();
    writer.begin(kind + "-head", method, 4);
    writer.write(bytes_of("body"));
    writer.end(bytes_of("head"));
    writer.begin(kind + "-empty", method);
    writer.end();
  }
  writer.commit();
  const ZipFile zip = ZipFile::open(folder / "a.zip");
  ASSERT_EQ(zip.entries().size(), 6u);
  for (const std::string kind : {"stored", "packed"}) {
    EXPECT_EQ(written_text(zip, kind), "one " + long_text);
    EXPECT_EQ(written_text(zip, kind + "-head"), "headbody");
    EXPECT_EQ(written_text(zip, kind + "-empty"), "");
  }
  EXPECT_LT(zip.find("packed")->packed.size(), 1000u);
}

TEST(ZipWriter, nothing_appears_without_commit) {
  const TemporaryFolder folder;
  {
    ZipWriter writer(folder / "a.zip");
    writer.begin("a", ZipMethod::stored);
    writer.write(bytes_of("content"));
  }
  EXPECT_TRUE(folder.names().empty());
}

TEST(ZipWriter, many_entries_need_64_bit_counts) {
  const TemporaryFolder folder;
  ZipWriter writer(folder / "a.zip");
  for (int i = 0; i < 70'000; ++i) {
    writer.begin(std::to_string(i), ZipMethod::stored);
    writer.end();
  }
  writer.commit();
  EXPECT_EQ(ZipFile::open(folder / "a.zip").entries().size(), 70'000u);
}

RC_GTEST_PROP(ZipWriter, any_content_reads_back,
              (const std::string& head, const std::string& body)) {
  const TemporaryFolder folder;
  const auto method = *rc::gen::element(ZipMethod::stored, ZipMethod::deflated);
  ZipWriter writer(folder / "a.zip");
  writer.begin("a", method, head.size());
  writer.write(bytes_of(body));
  writer.end(bytes_of(head));
  writer.commit();
  RC_ASSERT(written_text(ZipFile::open(folder / "a.zip"), "a") == head + body);
}

}  // namespace
}  // namespace eqm
