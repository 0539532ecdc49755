// SPDX-License-Identifier: Apache-2.0
// A broken kernel beside its mended twin: what changed, line by line.
#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "engine/base/text.h"
#include "views/scene/kernel_canvas.h"
#include "views/scene/pen.h"

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

}  // namespace

std::vector<KernelLinePair> compare_kernels(const KernelListing& broken, const KernelListing& mended) {
  return pair_lines(broken.lines, mended.lines);
}

Scene layout_kernel_fix(const KernelLayout& broken, const KernelLayout& mended, int32_t first_row,
                        const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const float margin = pen.px(12), row = pen.px(17), half = canvas.width / 2;
  const std::vector<KernelLinePair> pairs = compare_kernels(broken.listing, mended.listing);
  if (pairs.empty()) {
    pen.empty_state("no text of these kernels is at hand", "kernels of the catalogue have theirs");
    return scene;
  }
  pen.text({margin, pen.px(16)}, broken.kernel + ", broken",
           {pen.theme.warning, 1, Align::left, true, false});
  pen.text({half + margin, pen.px(16)}, mended.kernel + ", mended",
           {pen.theme.text, 1, Align::left, true, false});
  float y = pen.px(30);
  for (size_t i = static_cast<size_t>(std::max(0, first_row)); i < pairs.size() && y + row < canvas.height;
       ++i) {
    const auto side = [&](int32_t line, const KernelListing& listing, float x, Color color) {
      if (line == 0) return;
      const std::string& text = listing.lines[static_cast<size_t>(line) - 1];
      const Rect at{x, y, half - 2 * margin, row};
      const bool other = pairs[i].broken == 0 || pairs[i].mended == 0 ||
                         trim(broken.listing.lines[static_cast<size_t>(pairs[i].broken) - 1]) !=
                             trim(mended.listing.lines[static_cast<size_t>(pairs[i].mended) - 1]);
      ItemId item;
      item.kind = ItemId::Kind::instruction;
      item.index = line;
      if (other) {
        pen.rect(at, with_alpha(color, 0.22), pen.id(item));
        pen.accessible(at, pen.id(item),
                       fmt::format("line {}, {}: {}", line, x < half ? "broken" : "mended", text));
      }
      pen.text({x + pen.px(24), y + row / 2}, fmt::format("{}", line),
               {pen.theme.muted_text, 0.85F, Align::right, false, true});
      pen.text({x + pen.px(32), y + row / 2}, pen.elided(text, at.w - pen.px(34), 0.9F, false, true),
               {pen.theme.text, 0.9F, Align::left, false, true});
    };
    side(pairs[i].broken, broken.listing, margin, pen.theme.warning);
    side(pairs[i].mended, mended.listing, half + margin, pen.theme.compute);
    y += row;
  }
  pen.line({half, pen.px(30)}, {half, y}, pen.theme.rule);
  return scene;
}

}  // namespace shardscope
