// SPDX-License-Identifier: Apache-2.0
#include <QFile>
#include <QPageLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QTextDocument>
#include <cmath>

#include "app/cli/output/pictures.h"
#include "engine/report/table.h"
#include "views/draw/paint.h"

namespace shardscope {
namespace {

constexpr int kDotsPerInch = 96;  // QTextDocument lays out in screen pixels
constexpr double kCaption = 24, kGap = 16;

QString table_html(const TextTable& table) {
  QString out = "<table border='0' cellspacing='0' cellpadding='3' width='100%'><tr>";
  const auto cell = [&](const char* tag, size_t column, const std::string& text) {
    return QString("<%1 align='%2'>%3</%1>")
        .arg(tag, table.right_aligned[column] ? "right" : "left",
             QString::fromStdString(text).toHtmlEscaped());
  };
  for (size_t c = 0; c < table.header.size(); ++c) out += cell("th", c, table.header[c]);
  out += "</tr>";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (size_t c = 0; c < row.size(); ++c) out += cell("td", c, row[c]);
    out += "</tr>";
  }
  return out + "</table>";
}

QString front_page(const Comparison& comparison) {
  const QString title =
      QString::fromStdString(comparison.title.empty() ? "Comparison" : comparison.title).toHtmlEscaped();
  const Verdict said = judge(comparison.runs);
  QString out = "<div style='font-family:\"DejaVu Sans\";font-size:9px'><h1>" + title +
                "</h1><p style='font-size:12px'>" + QString::fromStdString(said.text).toHtmlEscaped() +
                "</p>" + table_html(comparison_table(comparison));
  if (said.difference) out += "<br>" + table_html(term_table(said)) + "<br>" + table_html(part_table(said));
  const TextTable groups = group_table(comparison);
  if (groups.rows.size() > 1) out += "<br>" + table_html(groups);
  for (const SkippedRun& s : comparison.skipped) {
    out += "<p>not run: <b>" + QString::fromStdString(s.strategy).toHtmlEscaped() +
           "</b>: " + QString::fromStdString(reason_alone(s)).toHtmlEscaped() + "</p>";
  }
  return out + "<p>Times are simulated on a model of the chip.</p></div>";
}

}  // namespace

Result<void> write_pdf_report(const Comparison& comparison, const std::string& path,
                              const std::stop_token& stop) {
  TRY(const auto pictures, report_pictures(comparison, stop));
  QFile file(QString::fromStdString(path));
  if (!file.open(QIODevice::WriteOnly))
    return io_error("cannot write: " + file.errorString().toStdString(), path);
  {
    QPdfWriter writer(&file);
    writer.setResolution(kDotsPerInch);
    writer.setPageLayout(
        QPageLayout(QPageSize(QPageSize::A4), QPageLayout::Landscape, QMarginsF(12, 12, 12, 12)));
    writer.setTitle(QString::fromStdString(comparison.title));
    writer.setCreator("Shardscope");
    QPainter painter(&writer);
    const double width = writer.width();
    QTextDocument text;
    text.setHtml(front_page(comparison));
    text.setTextWidth(width);
    const double height = writer.height();
    for (double top = 0; top < text.size().height(); top += height) {
      if (top > 0) writer.newPage();
      painter.save();
      painter.translate(0, -top);
      text.drawContents(&painter, QRectF(0, top, width, height));
      painter.restore();
    }
    // Pictures follow the text down the page, and start a new one where the rest is too short.
    double y = std::fmod(text.size().height(), height) + kGap;
    for (const auto& [name, scene] : pictures) {
      const double scale = width / static_cast<double>(scene.width);
      const double needed = kCaption + scale * static_cast<double>(scene.height);
      if (y + needed > height) {
        writer.newPage();
        y = 0;
      }
      painter.drawText(QPointF(0, y + kCaption / 2), QString::fromStdString(name));
      painter.save();
      painter.translate(0, y + kCaption);
      painter.scale(scale, scale);
      paint(scene, painter);
      painter.restore();
      y += needed + kGap;
    }
  }
  file.close();
  if (file.error() != QFileDevice::NoError)
    return io_error("cannot write all of it: " + file.errorString().toStdString(), path);
  return {};
}

}  // namespace shardscope
