// SPDX-License-Identifier: Apache-2.0
#include "app/report/gui/pdf_flow.h"

#include <QPainter>
#include <QTextOption>
#include <algorithm>
#include <cmath>

namespace shardscope::inline app_report {

SetText::SetText(const std::string& text, const QFont& font, QPaintDevice& device, double width) {
  QString whole = QString::fromStdString(text);
  whole.replace('\n', QChar::LineSeparator);
  layout_ = std::make_shared<QTextLayout>(whole, font, &device);
  QTextOption option;
  option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
  layout_->setTextOption(option);
  layout_->beginLayout();
  for (QTextLine line = layout_->createLine(); line.isValid(); line = layout_->createLine()) {
    line.setLineWidth(std::max(1.0, width));
    line.setPosition({0, height_});
    height_ += line.height();
    natural_ = std::max(natural_, line.naturalTextWidth());
  }
  layout_->endLayout();
}

int SetText::lines() const {
  return layout_->lineCount();
}

double SetText::line_height(int line) const {
  return layout_->lineAt(line).height();
}

void SetText::draw(QPainter& painter, double x, double y, int first, int last) const {
  const double top = first < lines() ? layout_->lineAt(first).y() : 0;
  for (int i = first; i < last && i < lines(); ++i) layout_->lineAt(i).draw(&painter, {x, y - top});
}

void PdfFlow::new_page() {
  pages_.emplace_back();
  y_ = 0;
}

void PdfFlow::skip(double by) {
  if (!empty_page()) y_ = std::min(height_, y_ + by);
}

void PdfFlow::keep_with_next(double needed) {
  if (!empty_page() && left() < std::min(needed, height_)) new_page();
}

void PdfFlow::put(double height, Draw draw) {
  keep_with_next(height);
  pages_.back().push_back({y_, std::move(draw)});
  y_ += height;
}

void PdfFlow::mark(const std::string& title) {
  marks_.push_back({title, pages() - 1, y_});
}

void PdfFlow::text(const std::string& text, const QFont& font, QPaintDevice& device, double indent) {
  const SetText set(text, font, device, width_ - indent);
  for (int line = 0; line < set.lines(); ++line)
    put(set.line_height(line),
        [set, indent, line](QPainter& painter, double y) { set.draw(painter, indent, y, line, line + 1); });
}

void PdfFlow::draw(QPainter& painter, int page) const {
  for (const Item& item : pages_[static_cast<size_t>(page)]) item.draw(painter, item.y);
}

}  // namespace shardscope::inline app_report
