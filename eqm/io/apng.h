// Animations as PNG files (APNG: the chunks acTL, fcTL and fdAT around ordinary PNG data), which
// browsers play. Whoever does not know them shows the still picture. Frames are compressed and
// written one by one, so that a long animation needs no more memory than one frame.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "eqm/io/atomic_file.h"
#include "eqm/io/png.h"

namespace eqm {

// The most frames of one file: beyond any animation a viewer would hold in memory.
inline constexpr int kMostApngFrames = 10000;

class ApngWriter {
 public:
  // `still` is shown where animations are not known; it is no frame of the animation, which has
  // `frames` of them and repeats for ever. The file appears with commit() (see AtomicFile).
  ApngWriter(const std::filesystem::path& path, const Image& still, int frames,
             const PngText& text = {});

  // The next frame, as large as the still picture and with as many channels, shown for 1 to 65,535
  // milliseconds. Kind usage when it does not fit, or all frames were added.
  void add(const Image& frame, int milliseconds);

  // Kind usage before all frames were added.
  void commit();

 private:
  void write_chunk(const char* name, const std::vector<std::byte>& body);

  AtomicFile file_;
  int width_, height_, channels_;
  int frames_, added_ = 0;
  uint32_t sequence_ = 0;  // of fcTL and fdAT chunks together
};

}  // namespace eqm
