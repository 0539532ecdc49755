// SPDX-License-Identifier: Apache-2.0
// Blocks put on pages one after the other, before anything is drawn: how many pages there are is known then.
#pragma once

#include <QFont>
#include <QPagedPaintDevice>
#include <QTextLayout>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class QPainter;

namespace shardscope::inline app_report {

// A text in lines of at most `width`, for one device.
class SetText {
 public:
  SetText(const std::string& text, const QFont& font, QPaintDevice& device, double width);
  double height() const { return height_; }
  double natural_width() const { return natural_; }  // of its longest line
  int lines() const;
  double line_height(int line) const;
  void draw(QPainter& painter, double x, double y, int first, int last) const;  // lines [first, last)

 private:
  std::shared_ptr<QTextLayout> layout_;
  double height_ = 0, natural_ = 0;
};

// A place in the document that its outline leads to.
struct PdfMark {
  std::string title;
  int page = 0;  // from 0
  double y = 0;  // from the top of the page, in dots
};

class PdfFlow {
 public:
  // The room of text on a page, in dots of the device.
  PdfFlow(double width, double height) : width_(width), height_(height) { new_page(); }
  double width() const { return width_; }
  double height() const { return height_; }
  double left() const { return height_ - y_; }  // of the page, below what stands on it
  bool empty_page() const { return y_ == 0; }
  void new_page();
  void skip(double by);                // nothing at the top of a page
  void keep_with_next(double needed);  // a new page unless so much is left
  using Draw = std::function<void(QPainter&, double y)>;
  void put(double height, Draw draw);  // at the pen, which moves down
  void mark(const std::string& title);
  void text(const std::string& text, const QFont& font, QPaintDevice& device, double indent = 0);

  int pages() const { return static_cast<int>(pages_.size()); }
  void draw(QPainter& painter, int page) const;
  const std::vector<PdfMark>& marks() const { return marks_; }

 private:
  struct Item {
    double y = 0;
    Draw draw;
  };
  double width_, height_, y_ = 0;
  std::vector<std::vector<Item>> pages_;
  std::vector<PdfMark> marks_;
};

}  // namespace shardscope::inline app_report
