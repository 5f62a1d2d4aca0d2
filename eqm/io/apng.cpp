#include "eqm/io/apng.h"

#include <cstring>
#include <span>
#include <string>

#include <fmt/format.h>
#include <zlib.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

constexpr size_t kSignature = 8, kChunkHead = 8, kChunkTail = 4;
constexpr int kMostMilliseconds = 65535;

using ApngBytes = std::vector<std::byte>;

void put_number(ApngBytes& bytes, uint64_t value, int size) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::byte>((value >> shift) & 0xFF));
  }
}

uint32_t number_at(std::span<const std::byte> bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | std::to_integer<uint32_t>(bytes[i]);
  return value;
}

struct PngChunk {
  std::string name;
  std::span<const std::byte> whole;  // with length and checksum
  std::span<const std::byte> body;
};

// Of a file of our own making.
std::vector<PngChunk> chunks_in(std::span<const std::byte> png) {
  std::vector<PngChunk> chunks;
  for (size_t at = kSignature; at < png.size();) {
    const size_t size = number_at(png.subspan(at));
    PngChunk& chunk = chunks.emplace_back();
    chunk.name.assign(reinterpret_cast<const char*>(&png[at + 4]), 4);
    chunk.whole = png.subspan(at, kChunkHead + size + kChunkTail);
    chunk.body = png.subspan(at + kChunkHead, size);
    at += chunk.whole.size();
  }
  return chunks;
}

[[noreturn]] void refuse_animation(const std::string& problem, const std::string& hint) {
  throw Error(ErrorKind::usage, "cannot write an animation: " + problem, hint);
}

}  // namespace

ApngWriter::ApngWriter(const std::filesystem::path& path, const Image& still, int frames,
                       const PngText& text)
    : file_(path),
      width_(still.width),
      height_(still.height),
      channels_(still.channels),
      frames_(frames) {
  if (frames < 1 || frames > kMostApngFrames) {
    refuse_animation(fmt::format("it cannot have {} frames", frames),
                     fmt::format("make 1 to {}", kMostApngFrames));
  }
  const ApngBytes png = encode_png(still, text);
  file_.write(std::span(png).first(kSignature));
  for (const PngChunk& chunk : chunks_in(png)) {
    if (chunk.name == "IEND") break;
    file_.write(chunk.whole);
    if (chunk.name != "IHDR") continue;
    ApngBytes control;  // acTL: frames, and how often they play (0: for ever)
    put_number(control, static_cast<uint64_t>(frames), 4);
    put_number(control, 0, 4);
    write_chunk("acTL", control);
  }
}

void ApngWriter::write_chunk(const char* name, const ApngBytes& body) {
  ApngBytes chunk;
  put_number(chunk, body.size(), 4);
  for (int i = 0; i < 4; ++i) chunk.push_back(static_cast<std::byte>(name[i]));
  chunk.insert(chunk.end(), body.begin(), body.end());
  const std::span<const std::byte> checked = std::span(chunk).subspan(4);
  put_number(chunk, crc32_z(0, reinterpret_cast<const Bytef*>(checked.data()), checked.size()), 4);
  file_.write(chunk);
}

void ApngWriter::add(const Image& frame, int milliseconds) {
  if (frame.width != width_ || frame.height != height_ || frame.channels != channels_) {
    refuse_animation(
        fmt::format("a frame has {} by {} pixels of {} channels and not {} by {} of {}",
                    frame.width, frame.height, frame.channels, width_, height_, channels_),
        "all frames are as the still picture");
  }
  if (milliseconds < 1 || milliseconds > kMostMilliseconds) {
    refuse_animation(fmt::format("a frame cannot last {} milliseconds", milliseconds),
                     fmt::format("give 1 to {}", kMostMilliseconds));
  }
  if (added_ == frames_) {
    refuse_animation(fmt::format("all {} frames were added", frames_), "announce more");
  }
  const ApngBytes png = encode_png(frame);
  ApngBytes control;
  put_number(control, sequence_++, 4);
  put_number(control, static_cast<uint64_t>(width_), 4);
  put_number(control, static_cast<uint64_t>(height_), 4);
  put_number(control, 0, 8);  // at the top left
  put_number(control, static_cast<uint64_t>(milliseconds), 2);
  put_number(control, 1000, 2);
  put_number(control, 0, 2);  // the next frame replaces all of it
  write_chunk("fcTL", control);
  for (const PngChunk& chunk : chunks_in(png)) {
    if (chunk.name != "IDAT") continue;
    ApngBytes data;
    put_number(data, sequence_++, 4);
    data.insert(data.end(), chunk.body.begin(), chunk.body.end());
    write_chunk("fdAT", data);
  }
  ++added_;
}

void ApngWriter::commit() {
  if (added_ != frames_) {
    refuse_animation(fmt::format("{} of {} frames are missing", frames_ - added_, frames_),
                     "add all that were announced");
  }
  write_chunk("IEND", {});
  file_.commit();
}

}  // namespace eqm
