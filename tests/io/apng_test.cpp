#include "eqm/io/apng.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/content_of.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using test::expect_error;

struct ReadChunk {
  std::string name, body;
};

uint32_t be32(const std::string& bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes.at(at + i));
  return value;
}

std::string be32_text(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xFF);
  return text;
}

uint32_t checksum(const std::string& bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Every chunk, with a checksum that fits.
std::vector<ReadChunk> read_chunks(const std::string& file) {
  std::vector<ReadChunk> chunks;
  EXPECT_EQ(file.substr(0, 8), "\x89PNG\r\n\x1a\n");
  for (size_t at = 8; at < file.size();) {
    const uint32_t size = be32(file, at);
    const std::string checked = file.substr(at + 4, 4 + size);
    EXPECT_EQ(be32(file, at + 8 + size), checksum(checked)) << checked.substr(0, 4);
    chunks.push_back({checked.substr(0, 4), checked.substr(4)});
    at += 12 + size;
  }
  return chunks;
}

// Noise, so that large pictures fill several chunks.
Image frame_of(int width, int height, int channels, unsigned seed) {
  Image image{.width = width, .height = height, .channels = channels, .pixels = {}};
  for (int k = 0; k < width * height * channels; ++k) {
    seed = seed * 1664525U + 1013904223U;
    image.pixels.push_back(static_cast<uint8_t>(seed >> 24));
  }
  return image;
}

// A frame as a picture of its own: the file's header and the frame's data.
Image frame_from(const std::vector<ReadChunk>& chunks, int number) {
  std::string png = "\x89PNG\r\n\x1a\n";
  const auto put = [&](const std::string& name, const std::string& body) {
    png += be32_text(static_cast<uint32_t>(body.size())) + name + body +
           be32_text(checksum(name + body));
  };
  int at = -1;
  for (const ReadChunk& chunk : chunks) {
    if (chunk.name == "IHDR") put(chunk.name, chunk.body);
    if (chunk.name == "fcTL") ++at;
    if (chunk.name == "fdAT" && at == number) put("IDAT", chunk.body.substr(4));
  }
  put("IEND", "");
  return decode_png(std::as_bytes(std::span(png)), "frame");
}

TEST(Apng, holds_every_frame_and_a_still_picture) {
  const test::TemporaryFolder folder;
  for (const int channels : {1, 3, 4}) {
    const auto path = folder.path() / "a.png";
    const Image still = frame_of(300, 200, channels, 9);
    ApngWriter writer(path, still, 3, {{"Software", "eqm"}});
    for (unsigned k = 0; k < 3; ++k) {
      writer.add(frame_of(300, 200, channels, k), static_cast<int>(100 * (k + 1)));
    }
    writer.commit();
    PngText text;
    EXPECT_EQ(read_png(path, &text).pixels, still.pixels) << "as a reader of PNG sees it";
    ASSERT_EQ(text.size(), 1U);
    const auto chunks = read_chunks(test::content_of(path));
    for (unsigned k = 0; k < 3; ++k) {
      EXPECT_EQ(frame_from(chunks, static_cast<int>(k)).pixels,
                frame_of(300, 200, channels, k).pixels);
    }
  }
}

TEST(Apng, chunks_come_in_the_order_of_the_format) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.png";
  ApngWriter writer(path, frame_of(400, 300, 1, 1), 2);
  writer.add(frame_of(400, 300, 1, 2), 40);
  writer.add(frame_of(400, 300, 1, 3), 2000);
  writer.commit();
  uint32_t sequence = 0;
  bool pixels_seen = false;
  std::vector<uint32_t> delays;
  const auto chunks = read_chunks(test::content_of(path));
  EXPECT_EQ(chunks.front().name, "IHDR");
  EXPECT_EQ(chunks.back().name, "IEND");
  for (const ReadChunk& chunk : chunks) {
    if (chunk.name == "acTL") {
      EXPECT_FALSE(pixels_seen) << "must come before the picture";
      EXPECT_EQ(be32(chunk.body, 0), 2U);
      EXPECT_EQ(be32(chunk.body, 4), 0U) << "for ever";
    }
    pixels_seen = pixels_seen || chunk.name == "IDAT";
    if (chunk.name != "fcTL" && chunk.name != "fdAT") continue;
    EXPECT_TRUE(pixels_seen) << "else the still picture were a frame";
    EXPECT_EQ(be32(chunk.body, 0), sequence++);
    if (chunk.name == "fdAT") continue;
    ASSERT_EQ(chunk.body.size(), 26U);
    EXPECT_EQ(be32(chunk.body, 4), 400U);
    EXPECT_EQ(be32(chunk.body, 8), 300U);
    EXPECT_EQ(be32(chunk.body, 20) & 0xFFFF, 1000U);
    delays.push_back(be32(chunk.body, 20) >> 16);
  }
  EXPECT_EQ(delays, (std::vector<uint32_t>{40, 2000}));
}

TEST(Apng, refuses_what_does_not_fit_and_leaves_no_file) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.png";
  const Image image = frame_of(4, 4, 1, 1);
  {
    ApngWriter writer(path, image, 1);
    const auto refused = [&](const std::string& part, const Image& frame, int milliseconds) {
      expect_error(ErrorKind::usage, part, [&] { writer.add(frame, milliseconds); });
    };
    refused("5 by 4", frame_of(5, 4, 1, 1), 10);
    refused("3 channels", frame_of(4, 4, 3, 1), 10);
    refused("0 milliseconds", image, 0);
    refused("65536 milliseconds", image, 65536);
    expect_error(ErrorKind::usage, "1 of 1 frames", [&] { writer.commit(); });
    writer.add(image, 10);
    refused("all 1 frames", image, 10);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  expect_error(ErrorKind::usage, "0 frames", [&] { ApngWriter(path, image, 0); });
}

}  // namespace
}  // namespace eqm
