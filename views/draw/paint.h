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
// The bytes of a PNG file; errors (too big) name `path`.
Result<std::string> to_png(const QImage& image, const std::string& path);
std::string to_svg(const Scene& scene, const std::string& title = "");
// For a page of paper: as wide as said, its letters as shapes.
std::string to_paper_svg(const Scene& scene, double width_mm, const std::string& title);
// While it lives Qt's hashes keep one order, in which a PDF's fonts are written: the same picture has the
// same bytes.
class SameHashes {
 public:
  SameHashes();
  ~SameHashes();
  SameHashes(const SameHashes&) = delete;
  SameHashes& operator=(const SameHashes&) = delete;
};

// One page as large as the picture, or so many millimetres wide. `date`: ISO 8601, instead of the clock's in
// the file's properties.
std::string to_pdf(const Scene& scene, const std::string& date = "", double width_mm = 0);
// Of a PDF as QPdfWriter makes it; its length stays what it was.
void set_pdf_date(std::string& pdf, const std::string& date);
Result<void> write_picture(const Scene& scene, const std::string& path,
                           double scale = 1);                    // by ending: png, svg, pdf
float measure_text(std::string_view text, float px, Face face);  // with the fonts that paint() uses

}  // namespace shardscope
