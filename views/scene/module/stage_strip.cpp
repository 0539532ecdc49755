// SPDX-License-Identifier: Apache-2.0
#include "views/scene/module/stage_strip.h"

#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

constexpr float kStripHeight = 58;       // pixels at 100 %
constexpr float kGapPart = 0.32F;        // of a stage's share of the width: the arrow and what changed
constexpr size_t kMostStageTicks = 400;  // of one stage
// Where a stage's share is less than `kNamed`, those whose texts are seen have the room of a name and the
// others that of their number, with an arrow between them.
constexpr float kNamed = 44, kSeen = 104, kNumbered = 13, kArrow = 10;

std::string counts_of(const StripStage& stage) {
  return counted(stage.instructions, "instruction") + ", " + counted(stage.collectives, "collective");
}

// Where there is no room to say which.
std::string all_changes(const StripStage& stage) {
  return fmt::format("±{}", stage.added + stage.gone + stage.changed);
}

class StripPicture {
 public:
  StripPicture(const StageStrip& strip, const StripView& view, Pen& pen)
      : strip_(strip), view_(view), pen_(pen) {
    const float margin = pen.px(8), room = pen.canvas.width - 2 * margin;
    const auto count = static_cast<float>(strip.size());
    gap_ = strip.size() > 1 ? room / count * kGapPart : 0;
    // The last one has no arrow behind it.
    const float share = (room - gap_ * (count - 1)) / count;
    widths_.assign(strip.size(), share);
    if (share < pen.px(kNamed)) name_those_seen(room);
    float left = margin;
    for (const float width : widths_) {
      lefts_.push_back(left);
      left += width + gap_;
    }
  }

  void draw() {
    for (size_t k = 0; k < strip_.size(); ++k) {
      if (strip_[k].before >= 0) draw_arrow(k);
      draw_stage(k);
    }
  }

 private:
  bool is_seen(size_t k) const {
    return static_cast<int>(k) == view_.left || static_cast<int>(k) == view_.right;
  }

  void name_those_seen(float room) {
    float seen = 0;
    for (size_t k = 0; k < strip_.size(); ++k) seen += is_seen(k) ? 1 : 0;
    const auto count = static_cast<float>(strip_.size());
    const float boxes = room - pen_.px(kArrow) * (count - 1), others = count - seen;
    if (seen == 0 || others == 0) return;
    const float named = std::min(pen_.px(kSeen), (boxes - pen_.px(kNumbered) * others) / seen);
    if (named < pen_.px(kNamed)) return;
    gap_ = pen_.px(kArrow);
    for (size_t k = 0; k < strip_.size(); ++k)
      widths_[k] = is_seen(k) ? named : (boxes - named * seen) / others;
  }

  Rect box_of(size_t k) const {
    const float top = pen_.px(6);
    return {lefts_[k], top, widths_[k], std::max(1.0F, pen_.canvas.height - 2 * top)};
  }

  void draw_stage(size_t k) {
    const StripStage& stage = strip_[k];
    const Rect box = box_of(k);
    ItemId item;
    item.kind = ItemId::Kind::step;
    item.index = static_cast<int32_t>(k);
    const int32_t id = pen_.id(item);
    const bool seen = is_seen(k);
    pen_.rect(box, pen_.theme.panel, id);
    pen_.outline(box, seen ? pen_.theme.selection : pen_.theme.rule, pen_.px(seen ? 2 : 1), id);
    const float room = box.w - pen_.px(12), x = box.x + pen_.px(6);
    if (box.w < pen_.px(kNamed))
      pen_.text({box.x + box.w / 2, box.y + box.h * 0.26F}, std::to_string(k + 1),
                {pen_.theme.text, 0.85F, Align::center});
    else
      pen_.text({x, box.y + box.h * 0.26F}, pen_.elided(stage.title, room, 1, bold_if(seen)),
                {pen_.theme.text, 1, Align::left, bold_if(seen)});
    const std::string counts =
        pen_.fitting({counts_of(stage),
                      fmt::format("{} · {}", stage.instructions, counted(stage.collectives, "collective")),
                      fmt::format("{} · {}", stage.instructions, stage.collectives)},
                     room, 0.85F);
    pen_.text({x, box.y + box.h * 0.6F}, counts, {pen_.theme.muted_text, 0.85F, Align::left});
    draw_ticks(k, {x, box.y + box.h * 0.82F, std::max(1.0F, room), box.h * 0.12F}, id);
    std::string words;
    for (const std::string& each : stage_words(strip_, k)) words += (words.empty() ? "" : "; ") + each;
    pen_.accessible(box, id, words);
  }

  void draw_ticks(size_t k, const Rect& line, int32_t id) {
    pen_.rect({line.x, line.y + line.h / 2, line.w, pen_.px(1)}, pen_.theme.rule, id);
    if (k >= view_.related.size() || strip_[k].instructions == 0) return;
    const std::vector<int32_t>& related = view_.related[k];
    const float wide = std::max(pen_.px(3), line.w / static_cast<float>(strip_[k].instructions));
    const size_t step = related.size() / kMostStageTicks + 1;
    for (size_t each = 0; each < related.size(); each += step) {
      const float at = static_cast<float>(related[each]) / static_cast<float>(strip_[k].instructions);
      pen_.rect({line.x + std::min(at * line.w, std::max(0.0F, line.w - wide)), line.y, wide, line.h},
                pen_.theme.selection, id);
    }
  }

  // Straight from its neighbour, from one further back below what stands between.
  void draw_arrow(size_t k) {
    const auto before = static_cast<size_t>(strip_[k].before);
    const Rect from = box_of(before), to = box_of(k);
    const float y = to.y + to.h * 0.62F, start = to.x - gap_ + pen_.px(3);
    pen_.arrow({start, y}, {to.x - pen_.px(2), y}, pen_.theme.muted_text, pen_.px(1.5F));
    if (before + 1 < k) {
      const float low = from.y + from.h + pen_.px(3), middle = from.x + from.w / 2;
      pen_.line({middle, from.y + from.h}, {middle, low}, pen_.theme.muted_text, pen_.px(1.5F));
      pen_.line({middle, low}, {start, low}, pen_.theme.muted_text, pen_.px(1.5F));
      pen_.line({start, low}, {start, y}, pen_.theme.muted_text, pen_.px(1.5F));
    }
    pen_.text({to.x - gap_ / 2, to.y + to.h * 0.3F},
              pen_.fitting({change_text(strip_[k]), all_changes(strip_[k])}, gap_ - pen_.px(4), 0.85F),
              {pen_.theme.text, 0.85F, Align::center});
  }

  const StageStrip& strip_;
  const StripView& view_;
  Pen& pen_;
  std::vector<float> lefts_, widths_;  // by stage
  float gap_ = 0;
};

}  // namespace

float stage_strip_height(const Theme& theme) {
  return kStripHeight * theme.scale;
}

std::string change_text(const StripStage& stage) {
  std::string out;
  const auto add = [&](const char* sign, int64_t count) {
    if (count > 0) out += fmt::format("{}{}{}", out.empty() ? "" : " ", sign, count);
  };
  add("+", stage.added);
  add("−", stage.gone);
  add("~", stage.changed);
  return out.empty() ? "=" : out;
}

std::vector<std::string> stage_words(const StageStrip& strip, size_t stage) {
  const StripStage& it = strip[stage];
  std::vector<std::string> out{it.title + ": " + counts_of(it)};
  if (it.before >= 0)
    out.push_back(say("made from {}: {} new, {} gone, {} changed",
                      strip[static_cast<size_t>(it.before)].title, it.added, it.gone, it.changed));
  out.insert(out.end(), it.said.begin(), it.said.end());
  return out;
}

Scene layout_stage_strip(const StageStrip& strip, const StripView& view, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (strip.empty()) return scene;
  StripPicture(strip, view, pen).draw();
  return scene;
}

}  // namespace shardscope::inline views
