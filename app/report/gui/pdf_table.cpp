// SPDX-License-Identifier: Apache-2.0
#include "app/report/gui/pdf_table.h"

#include <QColor>
#include <QPainter>
#include <algorithm>

#include "app/report/gui/pdf_fonts.h"

namespace shardscope::inline app_report {
namespace {

constexpr double kWidest = 0.38;  // of the page: longer cells are set in lines
constexpr double kKeysWidest = 0.45;

struct Metrics {
  QFont plain = pdf_font(7), bold = pdf_font(7, PdfFace::bold);
  double pad = 0, gap = 0;  // inside a cell up and down, between columns
};

// Columns that stand beside each other, and how wide each is.
struct Band {
  std::vector<size_t> columns;
  std::vector<double> widths;
};

double natural_width(const ReportTable& table, size_t column, const Metrics& m, QPaintDevice& device) {
  const QFontMetricsF plain(m.plain, &device), bold(m.bold, &device);
  double out = bold.horizontalAdvance(QString::fromStdString(table.cells.header[column]));
  for (size_t r = 0; r < table.cells.rows.size(); ++r) {
    const bool best = r < table.best.size() && table.best[r];
    const QString text = QString::fromStdString(table.cells.rows[r][column]);
    out = std::max(out, (best ? bold : plain).horizontalAdvance(text));
  }
  return out + 1;
}

std::vector<Band> bands_of(const ReportTable& table, const Metrics& m, QPaintDevice& device, double page) {
  std::vector<double> widths;
  double all = 0;
  for (size_t c = 0; c < table.cells.header.size(); ++c) {
    widths.push_back(natural_width(table, c, m, device) + m.gap);
    all += widths.back();
  }
  // Only what does not fit is set in lines.
  for (double& width : widths) {
    if (all <= page) break;
    const double least = std::min(width, page * kWidest);
    const double cut = std::min(width - least, all - page);
    all -= cut, width -= cut;
  }
  const size_t keys = std::min(table.keys, widths.size());
  Band first;
  double key_width = 0;
  for (size_t c = 0; c < keys; ++c) {
    const double room = std::max(page / 20, page * kKeysWidest - key_width);
    first.columns.push_back(c);
    first.widths.push_back(std::min(widths[c], room));
    key_width += first.widths.back();
  }
  std::vector<Band> out;
  Band band = first;
  double width = key_width;
  for (size_t c = keys; c < widths.size(); ++c) {
    if (width + widths[c] > page && band.columns.size() > keys) {
      out.push_back(std::move(band));
      band = first;
      width = key_width;
    }
    band.columns.push_back(c);
    band.widths.push_back(std::min(widths[c], page - key_width));
    width += band.widths.back();
  }
  out.push_back(std::move(band));
  return out;
}

struct Line {
  std::vector<SetText> cells;
  double height = 0;
};

Line set_line(const std::vector<std::string>& texts, const Band& band, const QFont& font, const Metrics& m,
              QPaintDevice& device) {
  Line out;
  for (size_t i = 0; i < band.columns.size(); ++i) {
    out.cells.emplace_back(texts[band.columns[i]], font, device, band.widths[i] - m.gap);
    out.height = std::max(out.height, out.cells.back().height());
  }
  out.height += 2 * m.pad;
  return out;
}

// A row's cells; what is right aligned ends at its column's right edge, line by line.
PdfFlow::Draw drawn(Line line, const Band& band, const ReportTable& table, const Metrics& m, bool best,
                    double rule) {
  std::vector<bool> right;
  for (const size_t c : band.columns) right.push_back(table.cells.right_aligned[c]);
  return [line = std::move(line), widths = band.widths, right, m, best, rule](QPainter& painter, double y) {
    double all = 0;
    for (const double width : widths) all += width;
    if (best) painter.fillRect(QRectF(0, y, all, line.height), QColor(0xE8, 0xF3, 0xFF));
    painter.fillRect(QRectF(0, y + line.height - rule, all, rule), QColor(0xBB, 0xC3, 0xCC));
    double x = 0;
    for (size_t i = 0; i < widths.size(); ++i) {
      const double room = widths[i] - m.gap;
      const double at = right[i] ? x + room - line.cells[i].natural_width() : x;
      line.cells[i].draw(painter, at + m.gap / 2, y + m.pad, 0, line.cells[i].lines());
      x += widths[i];
    }
  };
}

void put_band(PdfFlow& flow, const ReportTable& table, const Band& band, const Metrics& m,
              QPaintDevice& device) {
  const double thin = pdf_dots(device, 0.1), thick = pdf_dots(device, 0.25);
  const Line head = set_line(table.cells.header, band, m.bold, m, device);
  bool at_head = false;
  for (size_t r = 0; r < table.cells.rows.size(); ++r) {
    const bool best = r < table.best.size() && table.best[r];
    Line line = set_line(table.cells.rows[r], band, best ? m.bold : m.plain, m, device);
    const double needed = line.height + (at_head ? 0 : head.height);
    if (flow.left() < std::min(needed, flow.height())) {
      flow.new_page();
      at_head = false;
    }
    if (!at_head) flow.put(head.height, drawn(head, band, table, m, false, thick));
    at_head = true;
    const double height = line.height;
    flow.put(height, drawn(std::move(line), band, table, m, best, thin));
  }
}

}  // namespace

void put_table(PdfFlow& flow, const ReportTable& table, QPaintDevice& device) {
  Metrics m;
  m.pad = pdf_dots(device, 0.55);
  m.gap = pdf_dots(device, 2.6);
  bool first = true;
  for (const Band& band : bands_of(table, m, device, flow.width())) {
    if (!first) flow.skip(pdf_dots(device, 2.5));
    first = false;
    put_band(flow, table, band, m, device);
  }
}

}  // namespace shardscope::inline app_report
