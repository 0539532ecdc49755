// SPDX-License-Identifier: Apache-2.0
// Scene -> the bytes of a picture. PNG and PDF are what gui/painter.h draws, or, in a program that is built
// without the window, refused in one line (without_gui).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "views/draw/picture_name.h"
#include "views/scene/core/scene.h"

namespace shardscope::inline views {

std::string to_svg(const Scene& scene, const std::string& title = "");
// For a page of paper: as wide as said, its letters as shapes where text_outline() knows them.
std::string to_paper_svg(const Scene& scene, double width_mm, const std::string& title);
// The bytes of a PNG file; errors (too big) name `path`. `dots_per_mm`: what the file says of its size, if
// not 0.
Result<std::string> to_png(const Scene& scene, double scale, const std::string& path, double dots_per_mm = 0);
// One page as large as the picture, or so many millimetres wide. `date`: ISO 8601, instead of the clock's in
// the file's properties.
Result<std::string> to_pdf(const Scene& scene, const std::string& date = "", double width_mm = 0);
Result<void> write_picture(const Scene& scene, const std::string& path,
                           double scale = 1);  // by ending: png, svg, pdf
// With the fonts that painter.h uses; estimated while there is no QGuiApplication.
float measure_text(std::string_view text, float px, Face face);
// The outlines of a text, where and as large as it is drawn, as the `d` of an SVG path. None: no fonts here.
std::optional<std::string> text_outline(const TextItem& item);

}  // namespace shardscope::inline views
