// SPDX-License-Identifier: Apache-2.0
// Scene -> QPainter: PNG, SVG and PDF are the same picture as the screen's.
#pragma once

#include <QImage>
#include <string>

#include "engine/base/result.h"
#include "views/draw/paint.h"
#include "views/scene/core/scene.h"

class QPainter;

namespace shardscope::inline views {

void paint(const Scene& scene, QPainter& painter);
QImage to_image(const Scene& scene, double scale = 1);
// The bytes of a PNG file; errors (too big) name `path`.
Result<std::string> to_png(const QImage& image, const std::string& path);
// While it lives Qt's hashes keep one order, in which a PDF's fonts are written: the same picture has the
// same bytes.
class SameHashes {
 public:
  SameHashes();
  ~SameHashes();
  SameHashes(const SameHashes&) = delete;
  SameHashes& operator=(const SameHashes&) = delete;
};
// Of a PDF as QPdfWriter makes it; its length stays what it was.
void set_pdf_date(std::string& pdf, const std::string& date);

}  // namespace shardscope::inline views
