// SPDX-License-Identifier: Apache-2.0
#include "app/report/pdf_report.h"

#include <QBuffer>
#include <QPageLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <algorithm>
#include <fmt/format.h>

#include "app/report/gui/pdf_flow.h"
#include "app/report/gui/pdf_fonts.h"
#include "app/report/gui/pdf_outline.h"
#include "app/report/gui/pdf_table.h"
#include "views/draw/gui/painter.h"

namespace shardscope::inline app_report {
namespace {

constexpr double kSideMm = 14, kTopMm = 14, kFootMm = 18;
constexpr double kPaperWidthMm = 210, kPaperHeightMm = 297;
constexpr double kMostPictureMm = 240;  // its caption has room below

struct PdfWriter {
  PdfFlow& flow;
  QPaintDevice& device;
  const std::vector<Scene>& pictures;

  double mm(double millimetres) const { return pdf_dots(device, millimetres); }

  void operator()(const ReportText& text) {
    flow.skip(mm(text.code ? 0.6 : 1.6));
    flow.text(text.text, text.code ? pdf_font(7, PdfFace::mono) : pdf_font(8.5), device,
              text.code ? mm(3) : 0);
  }
  void operator()(const ReportTable& table) {
    flow.skip(mm(2.5));
    flow.keep_with_next(mm(14));
    if (!table.caption.empty()) flow.text(table.caption, pdf_font(8), device);
    flow.skip(mm(0.8));
    put_table(flow, table, device);
  }
  void operator()(const ReportList& list) {
    flow.skip(mm(1));
    for (const auto& [head, text] : list.items) {
      const SetText set(head.empty() ? text : fmt::format("{}: {}", head, text), pdf_font(8.5), device,
                        flow.width() - mm(4));
      for (int line = 0; line < set.lines(); ++line)
        flow.put(set.line_height(line), [set, line, indent = mm(4)](QPainter& painter, double y) {
          if (line == 0) {
            const double r = set.line_height(0);
            painter.setBrush(Qt::black);
            painter.setPen(Qt::NoPen);
            painter.drawEllipse(QPointF(indent * 0.4, y + r * 0.55), r * 0.09, r * 0.09);
            painter.setPen(Qt::black);
          }
          set.draw(painter, indent, y, line, line + 1);
        });
      flow.skip(mm(0.5));
    }
  }
  SetText caption_of(const ReportFigure& figure) const {
    return {figure.title + ": " + figure.caption, pdf_font(8), device, flow.width()};
  }
  double scale_of(const Scene& scene, const SetText& caption) const {
    const double most = std::min(mm(kMostPictureMm), flow.height() - caption.height() - mm(20));
    return std::min(flow.width() / scene.width, most / std::max(1.0F, scene.height));
  }
  // What must stand on one page with the heading above it.
  double first_height(const ReportBlock& block) const {
    const auto* figure = std::get_if<ReportFigure>(&block);
    if (figure == nullptr || figure->picture >= pictures.size()) return mm(16);
    const Scene& scene = pictures[figure->picture];
    const SetText caption = caption_of(*figure);
    return scale_of(scene, caption) * scene.height + caption.height() + mm(6);
  }
  void operator()(const ReportFigure& figure) {
    if (figure.picture >= pictures.size()) return;
    const Scene& scene = pictures[figure.picture];
    const SetText caption = caption_of(figure);
    const double scale = scale_of(scene, caption);
    const double high = scale * scene.height;
    flow.skip(mm(2.5));
    flow.keep_with_next(high + caption.height() + mm(2));
    flow.put(high, [&scene, scale](QPainter& painter, double y) {
      painter.save();
      painter.translate(0, y);
      painter.scale(scale, scale);
      paint(scene, painter);
      painter.restore();
    });
    flow.skip(mm(0.8));
    flow.put(caption.height(),
             [caption](QPainter& painter, double y) { caption.draw(painter, 0, y, 0, caption.lines()); });
    flow.skip(mm(1.5));
  }
};

void fill(PdfFlow& flow, const Report& report, const std::vector<Scene>& pictures, QPaintDevice& device) {
  PdfWriter writer{flow, device, pictures};
  flow.mark(report.title);
  flow.text(report.title, pdf_font(15, PdfFace::bold), device);
  flow.skip(writer.mm(1.5));
  flow.text(report.verdict, pdf_font(10), device);
  for (const ReportSection& section : report.sections) {
    flow.skip(writer.mm(5));
    flow.keep_with_next(writer.mm(9) + writer.first_height(section.blocks.front()));
    flow.mark(section.title);
    flow.text(section.title, pdf_font(11.5, PdfFace::bold), device);
    for (const ReportBlock& block : section.blocks) std::visit(writer, block);
  }
}

void draw_foot(QPainter& painter, const PdfFlow& flow, QPaintDevice& device, const std::string& title,
               int page) {
  painter.setFont(pdf_font(7.5));
  painter.setPen(QColor(0x57, 0x60, 0x6A));
  const double y = flow.height() + pdf_dots(device, 7);
  const QString number = QString("page %1 of %2").arg(page + 1).arg(flow.pages());
  const QFontMetricsF metrics(painter.font(), &device);
  const double room = flow.width() - metrics.horizontalAdvance(number) - pdf_dots(device, 6);
  painter.drawText(QPointF(0, y), metrics.elidedText(QString::fromStdString(title), Qt::ElideRight, room));
  painter.drawText(QPointF(flow.width() - metrics.horizontalAdvance(number), y), number);
  painter.setPen(Qt::black);
}

}  // namespace

Result<std::string> report_pdf(const Report& report, const std::vector<Scene>& pictures,
                               const std::string& date) {
  const SameHashes same;
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  std::vector<PdfMark> marks;
  double dots_per_point = 1;
  {
    QPdfWriter writer(&buffer);
    writer.setResolution(600);
    writer.setPageLayout(QPageLayout(QPageSize(QPageSize::A4), QPageLayout::Portrait,
                                     QMarginsF(kSideMm, kTopMm, kSideMm, kFootMm), QPageLayout::Millimeter));
    writer.setTitle(QString::fromStdString(report.title));
    writer.setCreator("Shardscope " SHARDSCOPE_VERSION);
    PdfFlow flow(pdf_dots(writer, kPaperWidthMm - 2 * kSideMm),
                 pdf_dots(writer, kPaperHeightMm - kTopMm - kFootMm));
    fill(flow, report, pictures, writer);
    QPainter painter;
    if (!painter.begin(&writer)) return io_error("cannot draw the report", report.title);
    for (int page = 0; page < flow.pages(); ++page) {
      if (page > 0) writer.newPage();
      painter.setPen(Qt::black);
      flow.draw(painter, page);
      draw_foot(painter, flow, writer, report.title, page);
    }
    marks = flow.marks();
    dots_per_point = writer.logicalDpiX() / 72.0;
  }
  PdfPlace place;
  place.top_points = (kPaperHeightMm - kTopMm) / 25.4 * 72;
  place.dots_per_point = dots_per_point;
  return with_outline(bytes.toStdString(), marks, place, date);
}

}  // namespace shardscope::inline app_report
