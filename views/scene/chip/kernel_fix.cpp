// SPDX-License-Identifier: Apache-2.0
// A broken kernel beside its mended twin: what changed, line by line.
#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "engine/base/say.h"
#include "views/scene/chip/kernel_parts.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

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
      float low = y_;
      if (pairs[i].broken > 0)
        low = line(pairs[i].broken, true, {margin_, y_, half - 2 * margin_, row_}, changed);
      if (pairs[i].mended > 0)
        low = std::max(low,
                       line(pairs[i].mended, false, {half + margin_, y_, half - 2 * margin_, row_}, changed));
      y_ = low;
    }
    pen_.line({half, pen_.px(30)}, {half, y_}, pen_.theme.rule);
  }

  void paint_below(const std::vector<KernelLinePair>& pairs, size_t first) {
    const float width = pen_.canvas.width - 2 * margin_;
    title(margin_, width, "− " + broken_.kernel + "   + " + mended_.kernel, pen_.theme.text);
    for (size_t i = first; i < pairs.size() && fits(); ++i) {
      const bool changed = differ(pairs[i]);
      if (pairs[i].broken > 0 && changed) y_ = line(pairs[i].broken, true, {margin_, y_, width, row_}, true);
      if (pairs[i].mended > 0) y_ = line(pairs[i].mended, false, {margin_, y_, width, row_}, changed);
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
    return !same_lines(broken_.listing, mended_.listing, pair);
  }

  // Gives where the next line begins.
  float line(int32_t number, bool broken, Rect at, bool changed) {
    const std::string& text = text_of(number, broken);
    const std::vector<std::string> rows = code_rows(pen_, text, at.w - pen_.px(40), kCodeSize);
    at.h = row_ * static_cast<float>(rows.size());
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
    for (size_t k = 0; k < rows.size(); ++k)
      pen_.text({at.x + pen_.px(38), at.y + row_ * (static_cast<float>(k) + 0.5F)}, rows[k],
                {pen_.theme.text, kCodeSize, Align::left, Face::mono});
    return at.bottom();
  }

  Pen& pen_;
  const KernelLayout& broken_;
  const KernelLayout& mended_;
  float margin_, row_, y_;
};

}  // namespace

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

}  // namespace shardscope::inline views
