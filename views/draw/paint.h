// SPDX-License-Identifier: Apache-2.0
// Scene -> QPainter: PNG, SVG and PDF are the same picture as the screen's.
#pragma once

#include <QImage>
#include <string>

#include "engine/base/result.h"
#include "views/scene/core/scene.h"

class QPainter;

namespace shardscope {

void paint(const Scene& scene, QPainter& painter);
QImage to_image(const Scene& scene, double scale = 1);
std::string to_svg(const Scene& scene, const std::string& title = "");
Result<void> write_picture(const Scene& scene, const std::string& path,
                           double scale = 1);                    // by ending: png, svg, pdf
float measure_text(std::string_view text, float px, Face face);  // with the fonts that paint() uses

}  // namespace shardscope
