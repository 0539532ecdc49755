// SPDX-License-Identifier: Apache-2.0
// A broken kernel beside its mended twin: what changed, line by line.
#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "views/scene/chip/kernel_canvas.h"
#include "views/scene/core/pen.h"

namespace shardscope {
namespace {

using Lines = std::vector<std::string>;

// Longest common subsequence of whole lines; the functions' own names, on their first lines, count as equal.
std::vector<KernelLinePair> pair_lines(const Lines& a, const Lines& b) {
  const size_t rows = a.size(), cols = b.size();
  const auto equal = [&](size_t i, size_t j) { return (i == 0 && j == 0) || trim(a[i]) == trim(b[j]); };
  std::vector<std::vector<int>> longest(rows + 1, std::vector<int>(cols + 1, 0));
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = cols; j-- > 0;) {
      longest[i][j] =
          equal(i, j) ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  std::vector<KernelLinePair> out;
  size_t i = 0, j = 0;
  while (i < rows || j < cols) {
    const int32_t left = static_cast<int32_t>(i) + 1, right = static_cast<int32_t>(j) + 1;
    if (i < rows && j < cols && equal(i, j)) {
      out.push_back({left, right});
      ++i;
      ++j;
    } else if (i < rows && (j == cols || longest[i + 1][j] >= longest[i][j + 1])) {
      out.push_back({left, 0});
      ++i;
    } else {
      out.push_back({0, right});
      ++j;
    }
  }
  // A line that went and one that came at the same place stand beside each other.
  std::vector<KernelLinePair> beside;
  size_t gone = 0;  // first of the run of lone left lines that have no partner yet
  for (const KernelLinePair& pair : out) {
    if (pair.mended != 0 && pair.broken == 0 && gone < beside.size() && beside[gone].mended == 0) {
      beside[gone++].mended = pair.mended;
      continue;
    }
    beside.push_back(pair);
    if (pair.mended != 0) gone = beside.size();
  }
  return beside;
}

constexpr float kNarrow = 700;  // below that the twins' lines stand below each other

class FixPainter {
 public:
  FixPainter(Pen& pen, const KernelLayout& broken, const KernelLayout& mended)
      : pen_(pen), broken_(broken), mended_(mended), margin_(pen.px(12)), row_(pen.px(17)), y_(pen.px(30)) {}

  void paint_beside(const std::vector<KernelLinePair>& pairs, size_t first) {
    const float half = pen_.canvas.width / 2;
    title(margin_, half - margin_, broken_.kernel + said(", broken"), pen_.theme.warning);
    title(half + margin_, half - margin_, mended_.kernel + said(", mended"), pen_.theme.text);
    for (size_t i = first; i < pairs.size() && fits(); ++i) {
      const bool changed = differ(pairs[i]);
      if (pairs[i].broken > 0) line(pairs[i].broken, true, {margin_, y_, half - 2 * margin_, row_}, changed);
      if (pairs[i].mended > 0)
        line(pairs[i].mended, false, {half + margin_, y_, half - 2 * margin_, row_}, changed);
      y_ += row_;
    }
    pen_.line({half, pen_.px(30)}, {half, y_}, pen_.theme.rule);
  }

  void paint_below(const std::vector<KernelLinePair>& pairs, size_t first) {
    const float width = pen_.canvas.width - 2 * margin_;
    title(margin_, width, "− " + broken_.kernel + "   + " + mended_.kernel, pen_.theme.text);
    for (size_t i = first; i < pairs.size() && fits(); ++i) {
      const bool changed = differ(pairs[i]);
      if (pairs[i].broken > 0 && changed) {
        line(pairs[i].broken, true, {margin_, y_, width, row_}, true);
        y_ += row_;
      }
      if (pairs[i].mended > 0) {
        line(pairs[i].mended, false, {margin_, y_, width, row_}, changed);
        y_ += row_;
      }
    }
  }

 private:
  bool fits() const { return y_ + row_ < pen_.canvas.height; }

  void title(float x, float room, const std::string& text, Color color) {
    pen_.text({x, pen_.px(16)}, pen_.elided(text, room, 1, Face::bold), {color, 1, Align::left, Face::bold});
  }

  const std::string& text_of(int32_t line, bool broken) const {
    return (broken ? broken_ : mended_).listing.lines[static_cast<size_t>(line) - 1];
  }

  bool differ(const KernelLinePair& pair) const {
    if (pair.broken == 1 && pair.mended == 1) return false;  // the functions' names always do
    return pair.broken == 0 || pair.mended == 0 ||
           trim(text_of(pair.broken, true)) != trim(text_of(pair.mended, false));
  }

  void line(int32_t number, bool broken, const Rect& at, bool changed) {
    const std::string& text = text_of(number, broken);
    ItemId item;
    item.kind = ItemId::Kind::instruction;
    item.index = number;
    if (changed) {
      const int32_t id = pen_.id(item);
      pen_.rect(at, with_alpha(broken ? pen_.theme.warning : pen_.theme.selection, 0.22), id);
      pen_.accessible(at, id, say("line {}, {}: {}", number, broken ? "broken" : "mended", text));
      pen_.text({at.x, at.y + row_ / 2}, broken ? "−" : "+",
                {pen_.theme.text, 0.9F, Align::left, Face::mono_bold});
    }
    pen_.text({at.x + pen_.px(30), at.y + row_ / 2}, fmt::format("{}", number),
              {pen_.theme.muted_text, 0.85F, Align::right, Face::mono});
    pen_.text({at.x + pen_.px(38), at.y + row_ / 2}, pen_.elided(text, at.w - pen_.px(40), 0.9F, Face::mono),
              {pen_.theme.text, 0.9F, Align::left, Face::mono});
  }

  Pen& pen_;
  const KernelLayout& broken_;
  const KernelLayout& mended_;
  float margin_, row_, y_;
};

}  // namespace

std::vector<KernelLinePair> compare_kernels(const KernelListing& broken, const KernelListing& mended) {
  return pair_lines(broken.lines, mended.lines);
}

Scene layout_kernel_fix(const KernelLayout& broken, const KernelLayout& mended, int32_t first_row,
                        const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const std::vector<KernelLinePair> pairs = compare_kernels(broken.listing, mended.listing);
  if (pairs.empty()) {
    pen.empty_state(said("no text of these kernels is at hand"),
                    said("kernels of the catalogue have theirs"));
    return scene;
  }
  FixPainter painter(pen, broken, mended);
  const size_t first = static_cast<size_t>(std::max(0, first_row));
  if (canvas.width < pen.px(kNarrow)) {
    painter.paint_below(pairs, first);
  } else {
    painter.paint_beside(pairs, first);
  }
  return scene;
}

}  // namespace shardscope
