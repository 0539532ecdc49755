// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "views/draw/paint.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {
namespace {

Error not_drawn(const char* format, const std::string& path) {
  return invalid(fmt::format("this program draws no {}: it is built without the window", format), path,
                 "write SVG or HTML, or use a program with the window (the package shardscope)");
}

}  // namespace

Result<void> can_draw(PictureFormat format, const std::string& path) {
  if (format == PictureFormat::svg) return {};
  return not_drawn(format == PictureFormat::png ? "PNG" : "PDF", path);
}

Result<std::string> to_png(const Scene&, double, const std::string& path, double) {
  return not_drawn("PNG", path);
}

Result<std::string> to_pdf(const Scene&, const std::string&, double) {
  return not_drawn("PDF", "");
}

float measure_text(std::string_view text, float px, Face face) {
  return estimate_text_width(text, px, face);
}

std::optional<std::string> text_outline(const TextItem&) {
  return std::nullopt;
}

}  // namespace shardscope::inline views
