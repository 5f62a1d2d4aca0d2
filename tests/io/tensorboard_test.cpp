#include "eqm/io/tensorboard.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "eqm/io/png.h"
#include "tests/support/content_of.h"
#include "tests/support/event_decoder.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::content_of;
using test::Event;
using test::expect_error;
using test::FileSizeLimit;
using test::read_events;
using test::read_records;
using test::TemporaryFolder;

constexpr double kTime = 1700000000.5;

std::vector<std::byte> small_png() {
  return encode_png(
      {.width = 3, .height = 2, .channels = 1, .pixels = {0, 50, 100, 150, 200, 255}});
}

TEST(EventWriter, names_the_file_by_time_and_host) {
  const TemporaryFolder folder;
  const EventWriter named(folder.path(), {.wall_time = kTime, .host = "node7"});
  EXPECT_EQ(named.path(), folder / "events.out.tfevents.1700000000.node7");
  const EventWriter own(folder.path());
  EXPECT_GT(own.path().filename().string().size(),
            std::string("events.out.tfevents.0123456789.").size());
}

TEST(EventWriter, starts_with_version_and_session) {
  const TemporaryFolder folder;
  const EventWriter writer(folder.path(), {.wall_time = kTime});
  const std::vector<Event> events = read_events(writer.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[0].wall_time, kTime);
  EXPECT_EQ(events[1].session_status, 1);
  EXPECT_EQ(events[1].step, 0);
}

TEST(EventDecoder, notices_a_flipped_bit_anywhere) {
  const TemporaryFolder folder;
  const EventWriter writer(folder.path());
  const std::string content = content_of(writer.path());
  for (size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    std::ofstream(folder / "damaged", std::ios::binary) << damaged;
    EXPECT_THROW(read_records(folder / "damaged"), std::runtime_error) << i;
  }
}

TEST(EventWriter, writes_scalars) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  const double huge = 1e300, nan = std::numeric_limits<double>::quiet_NaN();
  writer.scalar("train/loss", 1, 0.1, kTime);
  writer.scalar("η", (int64_t{1} << 40), -2.5, kTime + 1);
  writer.scalar("odd", 3, nan, kTime);
  writer.scalar("odd", 4, huge, kTime);
  const std::vector<Event> events = read_events(writer.path());
  ASSERT_EQ(events.size(), 6u);
  EXPECT_EQ(events[2].tag, "train/loss");
  EXPECT_EQ(events[2].step, 1);
  EXPECT_EQ(events[2].value, 0.1f);
  EXPECT_EQ(events[2].wall_time, kTime);
  EXPECT_EQ(events[3].tag, "η");
  EXPECT_EQ(events[3].step, int64_t{1} << 40);
  EXPECT_EQ(events[3].value, -2.5f);
  EXPECT_TRUE(std::isnan(events[4].value));
  EXPECT_TRUE(std::isinf(events[5].value));
}

TEST(EventWriter, writes_pictures) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  const std::vector<std::byte> png = small_png();
  writer.image("samples", 500, 3, 2, 1, png, kTime);
  const Event event = read_events(writer.path()).back();
  EXPECT_EQ(event.tag, "samples");
  EXPECT_EQ(event.step, 500);
  EXPECT_EQ(event.width, 3);
  EXPECT_EQ(event.height, 2);
  EXPECT_EQ(event.colorspace, 1);
  const Image read = decode_png(std::as_bytes(std::span(event.png)), "the event");
  EXPECT_EQ(read.pixels, (std::vector<uint8_t>{0, 50, 100, 150, 200, 255}));
}

TEST(EventWriter, says_in_a_new_file_from_where_on_the_old_ones_are_outdated) {
  const TemporaryFolder folder;
  EventWriter before(folder.path(), {.wall_time = kTime});
  before.scalar("loss", 120, 1, kTime);
  const EventWriter resumed(folder.path(), {.first_step = 101, .wall_time = kTime + 60});
  EXPECT_NE(before.path(), resumed.path());
  const std::vector<Event> events = read_events(resumed.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].file_version, "brain.Event:2");
  EXPECT_EQ(events[1].session_status, 1);
  EXPECT_EQ(events[1].step, 101);
  EXPECT_EQ(read_events(before.path()).size(), 3u) << "older files stay as they are";
}

TEST(EventWriter, makes_names_in_the_order_of_the_writers_whatever_the_clock) {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (const double time : {kTime, kTime, kTime - 1000, 0.0, kTime + 10}) {
    const std::string host = names.size() % 2 == 0 ? "z" : "a";
    names.push_back(EventWriter(folder.path(), {.wall_time = time, .host = host}).path());
  }
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST(EventWriter, ignores_odd_names_in_the_folder) {
  const TemporaryFolder folder;
  for (const char* name : {"events.out.tfevents.", "events.out.tfevents.x",
                           "events.out.tfevents.9223372036854775807.a", "events.out"}) {
    std::ofstream(folder / name) << "x";
  }
  const EventWriter writer(folder.path(), {.wall_time = kTime, .host = "h"});
  EXPECT_EQ(writer.path().filename(), "events.out.tfevents.1700000000.h");
}

TEST(EventWriter, leaves_whole_records_when_the_disk_is_full) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  writer.scalar("loss", 1, 0.5, kTime);
  const std::vector<std::byte> large(10000, std::byte{7});
  {
    const FileSizeLimit full_disk(4096);
    expect_error(ErrorKind::io, "tfevents", [&] { writer.image("s", 2, 1, 1, 3, large, kTime); });
  }
  EXPECT_EQ(read_events(writer.path()).size(), 3u);
  writer.scalar("loss", 3, 0.25, kTime);
  writer.flush();
  EXPECT_EQ(read_events(writer.path()).back().step, 3);
}

TEST(EventWriter, refuses_what_tensorboard_could_not_read) {
  const TemporaryFolder folder;
  EventWriter writer(folder.path());
  const std::vector<std::byte> png = small_png();
  expect_error(ErrorKind::usage, "tag", [&] { writer.scalar("", 1, 1, kTime); });
  expect_error(ErrorKind::usage, "tag", [&] { writer.scalar("\xff", 1, 1, kTime); });
  expect_error(ErrorKind::usage, "0 by 2", [&] { writer.image("s", 1, 0, 2, 1, png, kTime); });
  expect_error(ErrorKind::usage, "2 channels", [&] { writer.image("s", 1, 3, 2, 2, png, kTime); });
  expect_error(ErrorKind::usage, "0 bytes", [&] { writer.image("s", 1, 3, 2, 1, {}, kTime); });
  EXPECT_EQ(read_events(writer.path()).size(), 2u);
}

TEST(EventWriter, needs_a_folder) {
  const TemporaryFolder folder;
  expect_error(ErrorKind::io, "absent", [&] { EventWriter(folder / "absent"); });
}

// What protoc prints for a record, by the schema beside this file.
std::string decoded(const std::string& record, const TemporaryFolder& folder) {
  std::ofstream(folder / "record", std::ios::binary) << record;
  const std::string command =
      fmt::format("'{}' --decode=eqm.test.Event '--proto_path={}' event.proto < '{}' 2>&1",
                  EQM_PROTOC, EQM_SOURCE_FOLDER "/tests/io", (folder / "record").string());
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::string text;
  for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) {
    text.push_back(static_cast<char>(letter));
  }
  EXPECT_EQ(::pclose(pipe), 0) << text;
  return text;
}

TEST(EventWriter, is_understood_by_protoc) {
  if (std::string_view(EQM_PROTOC).ends_with("NOTFOUND")) GTEST_SKIP() << "there is no protoc";
  const TemporaryFolder folder;
  EventWriter writer(folder.path(), {.first_step = 7, .wall_time = kTime});
  writer.scalar("train/loss", 8, 0.25, kTime);
  writer.image("samples", 9, 3, 2, 4, std::as_bytes(std::span("PNG", 3)), kTime);
  const std::vector<std::string> records = read_records(writer.path());
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(decoded(records[0], folder),
            "wall_time: 1700000000.5\nfile_version: \"brain.Event:2\"\n");
  EXPECT_EQ(decoded(records[1], folder),
            "wall_time: 1700000000.5\nstep: 7\nsession_log {\n  status: START\n}\n");
  EXPECT_EQ(decoded(records[2], folder),
            "wall_time: 1700000000.5\nstep: 8\nsummary {\n  value {\n    tag: \"train/loss\"\n"
            "    simple_value: 0.25\n  }\n}\n");
  EXPECT_EQ(decoded(records[3], folder),
            "wall_time: 1700000000.5\nstep: 9\nsummary {\n  value {\n    tag: \"samples\"\n"
            "    image {\n      height: 2\n      width: 3\n      colorspace: 4\n"
            "      encoded_image_string: \"PNG\"\n    }\n  }\n}\n");
}

}  // namespace
}  // namespace eqm
