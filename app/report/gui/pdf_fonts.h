// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QPaintDevice>
#include <cstdint>

namespace shardscope::inline app_report {

enum class PdfFace : uint8_t { plain, bold, mono };

// DejaVu, as in the pictures: its digits all have one width.
inline QFont pdf_font(double points, PdfFace face = PdfFace::plain) {
  QFont font;
  font.setFamilies(face == PdfFace::mono
                       ? QStringList{"DejaVu Sans Mono", "Liberation Mono", "monospace"}
                       : QStringList{"DejaVu Sans", "Noto Sans", "Liberation Sans", "sans-serif"});
  font.setPointSizeF(points);
  font.setBold(face == PdfFace::bold);
  font.setHintingPreference(QFont::PreferNoHinting);
  return font;
}

inline double pdf_dots(const QPaintDevice& device, double mm) {
  return mm / 25.4 * device.logicalDpiX();
}

}  // namespace shardscope::inline app_report
