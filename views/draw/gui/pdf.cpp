// SPDX-License-Identifier: Apache-2.0
#include <QBuffer>
#include <QHashFunctions>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>

#include "views/draw/gui/painter.h"

namespace shardscope::inline views {

void set_pdf_date(std::string& pdf, const std::string& date) {
  std::string digits;
  for (const char c : date)
    if (c >= '0' && c <= '9' && digits.size() < 14) digits += c;
  digits.resize(14, '0');
  const std::string key = "/CreationDate (D:";
  const size_t at = pdf.find(key);
  if (at == std::string::npos) return;
  const size_t end = pdf.find(')', at);
  std::string text = digits + "Z)";
  if (end == std::string::npos || end + 1 - at - key.size() < text.size()) return;
  text.resize(end + 1 - at - key.size(), ' ');
  pdf.replace(at + key.size(), text.size(), text);
}

SameHashes::SameHashes() {
  QHashSeed::setDeterministicGlobalSeed();
}

SameHashes::~SameHashes() {
  QHashSeed::resetRandomGlobalSeed();
}

Result<std::string> to_pdf(const Scene& scene, const std::string& date, double width_mm) {
  const SameHashes same;
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter pdf(&buffer);
    const double points = width_mm > 0 && scene.width > 0 ? width_mm / 25.4 * 72 / scene.width : 0.75;
    pdf.setPageSize(QPageSize(QSizeF(scene.width * points, scene.height * points), QPageSize::Point,
                              QString(), QPageSize::ExactMatch));
    pdf.setPageMargins(QMarginsF(0, 0, 0, 0));
    pdf.setResolution(96);
    pdf.setCreator("Shardscope");
    QPainter painter(&pdf);
    painter.scale(points / 0.75, points / 0.75);
    paint(scene, painter);
  }
  std::string out = bytes.toStdString();
  if (!date.empty()) set_pdf_date(out, date);
  return out;
}

Result<void> can_draw(PictureFormat, const std::string&) {
  return {};
}

}  // namespace shardscope::inline views
