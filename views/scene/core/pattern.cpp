// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/pattern.h"

#include <algorithm>
#include <cmath>

namespace shardscope::inline views {
namespace {

constexpr float kSpacing = 6;
constexpr int kMaxMarks = 4000;

// Lines x + y = c (falling = false) or x − y = c through `r`.
void diagonals(const Rect& r, bool rising, PatternMarks& marks) {
  const float lowest = rising ? r.x + r.y : r.x - r.bottom();
  const float highest = rising ? r.right() + r.bottom() : r.right() - r.y;
  const float spacing = std::max(kSpacing, (highest - lowest) / kMaxMarks);
  for (float c = std::ceil(lowest / spacing) * spacing; c < highest; c += spacing) {
    const float left = rising ? std::max(r.x, c - r.bottom()) : std::max(r.x, c + r.y);
    const float right = rising ? std::min(r.right(), c - r.y) : std::min(r.right(), c + r.bottom());
    if (right <= left) continue;
    marks.lines.push_back(rising ? std::pair{Point{left, c - left}, Point{right, c - right}}
                                 : std::pair{Point{left, left - c}, Point{right, right - c}});
  }
}

void dots(const Rect& r, PatternMarks& marks) {
  const float spacing = std::max(kSpacing, std::sqrt(r.w * r.h / kMaxMarks));
  for (float y = std::ceil((r.y + 1) / spacing) * spacing; y < r.bottom() - 1; y += spacing) {
    for (float x = std::ceil((r.x + 1) / spacing) * spacing; x < r.right() - 1; x += spacing)
      marks.dots.push_back({x, y});
  }
}

void bars(const Rect& r, PatternMarks& marks) {
  for (float x = std::ceil((r.x + 1) / kSpacing) * kSpacing; x < r.right() - 1; x += kSpacing)
    marks.lines.push_back({{x, r.y}, {x, r.bottom()}});
}

void zigzag(const Rect& r, PatternMarks& marks) {
  const float high = r.y + r.h * 0.25F;
  const float low = r.y + r.h * 0.75F;
  const float half = std::max(3.0F, r.w / kMaxMarks);
  bool up = true;
  for (float x = r.x; x < r.right(); x += half, up = !up) {
    const float end = std::min(x + half, r.right());
    const float part = (end - x) / half;
    const float from = up ? low : high;
    const float to = up ? high : low;
    marks.lines.push_back({{x, from}, {end, from + (to - from) * part}});
  }
}

}  // namespace

PatternMarks pattern_marks(const RectItem& item) {
  PatternMarks marks;
  if (item.rect.w < 3 || item.rect.h < 3) return marks;
  switch (item.pattern) {
    case Pattern::none:
      break;
    case Pattern::stripes:
      diagonals(item.rect, true, marks);
      break;
    case Pattern::dots:
      dots(item.rect, marks);
      break;
    case Pattern::cross:
      diagonals(item.rect, true, marks);
      diagonals(item.rect, false, marks);
      break;
    case Pattern::zigzag:
      zigzag(item.rect, marks);
      break;
    case Pattern::bars:
      bars(item.rect, marks);
      break;
  }
  return marks;
}

}  // namespace shardscope::inline views
