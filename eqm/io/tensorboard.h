// TensorBoard's event files: scalars and pictures of a run, as TFRecords of protocol buffers. A
// resumed run gets a new file beside the old ones. It starts by saying from which step on older
// files are outdated, and TensorBoard leaves those records out. One writer per folder at a time;
// not for use from several threads. Failures to write are Errors of kind io; the record is then not
// in the file, and writing may go on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "eqm/io/append_file.h"

namespace eqm {

// Seconds since 1970, as events carry them.
double wall_time_now();

struct EventWriterOptions {
  int64_t first_step = 0;  // this writer's; records of earlier files from it on are void
  double wall_time = wall_time_now();  // names the file
  std::string host = {};               // names the file; empty: this machine
};

class EventWriter {
 public:
  // The folder must exist.
  explicit EventWriter(const std::filesystem::path& folder, const EventWriterOptions& options = {});

  // The format holds floats. What is not finite may be logged, too. Tags are UTF-8; slashes group
  // them.
  void scalar(std::string_view tag, int64_t step, double value, double wall_time);

  // `png`: an encoded picture of this size and 1 (grey), 3 (RGB) or 4 (RGBA) channels.
  void image(std::string_view tag, int64_t step, int width, int height, int channels,
             std::span<const std::byte> png, double wall_time);

  // Makes everything logged so far survive a power cut; without it, it survives the process.
  void flush() { file_.sync(); }

  const std::filesystem::path& path() const { return file_.path(); }

 private:
  AppendFile file_;
};

}  // namespace eqm
