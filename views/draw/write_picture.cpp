// SPDX-License-Identifier: Apache-2.0
#include <QBuffer>
#include <QFile>
#include <QHashFunctions>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>

#include "views/draw/paint.h"

namespace shardscope {
namespace {

Error cannot_write(const std::string& path, const QSaveFile& file) {
  // Qt knows no reason where a part was written.
  QString reason = file.errorString();
  if (reason == "Unknown error") reason = "only a part of it was taken, is the disk full";
  return io_error("cannot write the picture: " + reason.toLower().toStdString(), path,
                  "choose another place");
}

// Qt's commit() takes no notice of a last block that was written in part, as on a disk that is just full.
bool commit(QSaveFile& file) {
  return file.flush() && file.commit();
}

Result<void> write_bytes(const std::string& path, const QByteArray& bytes) {
  QSaveFile file(QString::fromStdString(path));
  if (!file.open(QIODevice::WriteOnly)) return cannot_write(path, file);
  if (file.write(bytes) != bytes.size() || !commit(file)) return cannot_write(path, file);
  return {};
}

Result<void> write_png(const Scene& scene, const std::string& path, double scale) {
  const QImage image = to_image(scene, scale);
  if (image.isNull()) return too_big("the picture does not fit in memory", path, "choose a smaller size");
  // In memory first: libpng writes to stderr when a file takes no more.
  QByteArray bytes;
  QBuffer buffer(&bytes);
  if (!buffer.open(QIODevice::WriteOnly) || !image.save(&buffer, "png"))
    return too_big("the picture does not fit in memory", path, "choose a smaller size");
  return write_bytes(path, bytes);
}

}  // namespace

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

std::string to_pdf(const Scene& scene, const std::string& date, double width_mm) {
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

Result<void> write_picture(const Scene& scene, const std::string& path, double scale) {
  const QString name = QString::fromStdString(path).toLower();
  if (name.endsWith(".png")) return write_png(scene, path, scale);
  if (name.endsWith(".svg")) return write_bytes(path, QByteArray::fromStdString(to_svg(scene)));
  if (name.endsWith(".pdf")) return write_bytes(path, QByteArray::fromStdString(to_pdf(scene)));
  return invalid("unknown picture format, expected a name that ends in .png, .svg or .pdf", path,
                 "rename the file");
}

}  // namespace shardscope
