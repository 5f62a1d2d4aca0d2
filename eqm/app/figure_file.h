// A figure as the files that people open.
#pragma once

#include <filesystem>

#include "eqm/draw/canvas.h"
#include "eqm/io/png.h"

namespace eqm::app {

// The canvas as pixels, `scale` of them per unit.
Image image_of(const draw::Canvas& canvas, double scale = 1);

// Writes `stem`.png, sharp on today's screens, and `stem`.svg.
void write_figure(const std::filesystem::path& stem, const draw::Canvas& canvas,
                  const PngText& text);

}  // namespace eqm::app
