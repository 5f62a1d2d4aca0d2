#include "eqm/io/tensorboard.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "eqm/base/error.h"
#include "eqm/io/crc32c.h"
#include "eqm/io/protobuf_writer.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "events.out.tfevents.";

// Field numbers of the public event.proto and summary.proto.
namespace field {
constexpr uint32_t wall_time = 1, step = 2, file_version = 3, summary = 5, session_log = 7;
constexpr uint32_t session_status = 1, summary_value = 1;
constexpr uint32_t tag = 1, simple_value = 2, image = 4;
constexpr uint32_t height = 1, width = 2, colorspace = 3, encoded_image = 4;
}  // namespace field

constexpr int64_t kSessionStart = 1;

// In the year 2286, when the seconds get an eleventh digit. Larger numbers in file names are not
// ours.
constexpr int64_t kEndOfTime = 9'999'999'999;

// A check sum stored beside the data it covers is rotated and shifted, so that a check sum over
// both does not degenerate.
uint32_t masked_crc(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
}

// A TFRecord: length, its check sum, data, its check sum.
std::string framed(const std::string& data) {
  std::string record;
  record.reserve(data.size() + 16);
  append_little_endian(record, uint64_t{data.size()});
  append_little_endian(record, masked_crc(record));
  record += data;
  append_little_endian(record, masked_crc(data));
  return record;
}

ProtobufWriter event_at(double wall_time, int64_t step) {
  ProtobufWriter event;
  event.number(field::wall_time, wall_time);
  event.integer(field::step, step);
  return event;
}

// The record of one value of a summary.
std::string summary_record(const ProtobufWriter& value, double wall_time, int64_t step) {
  ProtobufWriter summary;
  summary.message(field::summary_value, value);
  ProtobufWriter event = event_at(wall_time, step);
  event.message(field::summary, summary);
  return framed(event.bytes());
}

ProtobufWriter value_named(std::string_view tag) {
  if (tag.empty() || !is_utf8(tag)) {
    throw Error(ErrorKind::usage, "cannot log under the tag " + in_quotes(tag),
                "a tag is UTF-8 text such as 'train/loss'");
  }
  ProtobufWriter value;
  value.text(field::tag, tag);
  return value;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

// The latest seconds in the names of the folder's event files; 0 when there are none.
int64_t latest_in(const fs::path& folder) {
  int64_t latest = 0;
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    int64_t seconds = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), seconds);
    if (seconds < kEndOfTime) latest = std::max(latest, seconds);
  }
  return latest;
}

// TensorBoard reads files in the order of their names, so a new one must come last even if it
// starts within the same second or the clock was set back.
fs::path new_path(const fs::path& folder, const EventWriterOptions& options) {
  const auto now = static_cast<int64_t>(options.wall_time);
  const int64_t seconds = std::max(now, latest_in(folder) + 1);
  return folder / fmt::format("{}{:010}.{}", kPrefix, seconds,
                              options.host.empty() ? host_name() : options.host);
}

}  // namespace

double wall_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

EventWriter::EventWriter(const fs::path& folder, const EventWriterOptions& options)
    : file_(new_path(folder, options), AppendFile::Open::create) {
  ProtobufWriter version = event_at(options.wall_time, 0);
  version.text(field::file_version, "brain.Event:2");
  // TensorBoard takes the first START of a run as its beginning and each later one as a restart
  // that voids records from its step on. So a run's first file needs one as well.
  ProtobufWriter session;
  session.integer(field::session_status, kSessionStart);
  ProtobufWriter start = event_at(options.wall_time, options.first_step);
  start.message(field::session_log, session);
  file_.append(framed(version.bytes()) + framed(start.bytes()));
}

void EventWriter::scalar(std::string_view tag, int64_t step, double value, double wall_time) {
  ProtobufWriter entry = value_named(tag);
  entry.number(field::simple_value, static_cast<float>(value));
  file_.append(summary_record(entry, wall_time, step));
}

void EventWriter::image(std::string_view tag, int64_t step, int width, int height, int channels,
                        std::span<const std::byte> png, double wall_time) {
  const bool has_channels = channels == 1 || channels == 3 || channels == 4;
  if (width < 1 || height < 1 || !has_channels || png.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("cannot log a picture of {} by {} pixels, {} channels and {} bytes",
                            width, height, channels, png.size()),
                "it takes an encoded PNG with 1, 3 or 4 channels");
  }
  ProtobufWriter picture;
  picture.integer(field::height, height);
  picture.integer(field::width, width);
  picture.integer(field::colorspace, channels);  // 1 grey, 3 RGB, 4 RGBA: the same numbers
  picture.text(field::encoded_image, {reinterpret_cast<const char*>(png.data()), png.size()});
  ProtobufWriter entry = value_named(tag);
  entry.message(field::image, picture);
  file_.append(summary_record(entry, wall_time, step));
}

}  // namespace eqm
