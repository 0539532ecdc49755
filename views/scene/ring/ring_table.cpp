// SPDX-License-Identifier: Apache-2.0
#include "views/scene/ring/ring_table.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/story/blocks.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/now.h"

namespace shardscope::inline views {
namespace {

constexpr float kTableText = 0.85F;

// What a device does in a beat.
struct Cell {
  std::vector<int32_t> sent;  // transfers
  std::vector<int32_t> targets;
  int32_t computes = -1;  // instruction
};

float table_head(const Pen& pen) {
  return std::max(pen.width("step", kTableText, Face::bold), pen.width("0000", kTableText)) + pen.px(12);
}

float least_cell(const Pen& pen, const ViewInput& input) {
  const std::string last = device_name(input.run.program.mesh, input.trace.devices() - 1);
  return std::max(pen.width(last, kTableText), pen.width("a00 +00", kTableText)) + pen.px(10);
}

}  // namespace

int32_t table_columns(const Pen& pen, const ViewInput& input, float width) {
  return static_cast<int32_t>(std::clamp((width - table_head(pen)) / least_cell(pen, input), 0.0F,
                                         static_cast<float>(input.trace.devices())));
}

namespace {

class BeatTable {
 public:
  BeatTable(Pen& pen, const RingContext& c, const Rect& area)
      : pen_(pen), c_(c), story_(*c.input.story), mesh_(c.input.run.program.mesh), area_(area) {
    line_ = pen.px(22);
    head_ = table_head(pen);
    const int32_t devices = c.input.trace.devices();
    columns_ = table_columns(pen, c.input, area.w);
    if (columns_ < 1) return;
    cell_ =
        std::clamp((area.w - head_) / static_cast<float>(columns_), least_cell(pen, c.input), pen.px(110));
    // The page of devices with the one that is pointed at.
    const int32_t focus = std::max({c.selection.hovered.device, c.selection.selected.device, 0});
    first_ = focus < devices ? focus / columns_ * columns_ : 0;
    columns_ = std::min(columns_, devices - first_);
  }

  void draw() {
    const int rows = static_cast<int>((area_.h - 2 * line_) / line_);
    if (columns_ < 1 || rows < 1) return;
    draw_head();
    const auto beats = static_cast<int32_t>(story_.beats().size());
    const int32_t now = current_beats(story_, c_.selection).last;
    const int32_t from = std::max(0, std::min(now - rows / 2, beats - rows));
    const int32_t to = std::min(beats, from + rows);
    float y = area_.y + 2.5F * line_;
    for (int32_t b = from; b < to; ++b, y += line_) draw_row(b, y, b == now);
  }

 private:
  void draw_head() {
    const int32_t devices = c_.input.trace.devices();
    std::string which;
    if (columns_ < devices)
      which = say(", {}–{} of {} devices", device_name(mesh_, first_),
                  device_name(mesh_, first_ + columns_ - 1), devices);
    const float y = area_.y + line_ / 2;
    pen_.text({area_.x, y},
              pen_.fitting(
                  {said("who sends which block") + which, said("who sends what") + which,
                   said("who sends what") + (which.empty() ? "" : fmt::format(" +{}", devices - columns_))},
                  area_.w, 1, Face::bold),
              {pen_.theme.text, 1, Align::left, Face::bold});
    pen_.text({area_.x, y + line_}, "step", {pen_.theme.muted_text, kTableText, Align::left});
    for (int32_t d = 0; d < columns_; ++d)
      pen_.text({middle_of(d), y + line_}, device_name(mesh_, first_ + d),
                {pen_.theme.muted_text, kTableText, Align::center});
  }

  float middle_of(int32_t column) const {
    return area_.x + head_ + (static_cast<float>(column) + 0.5F) * cell_;
  }

  std::vector<Cell> cells_of(int32_t beat) const {
    std::vector<Cell> out(static_cast<size_t>(columns_));
    for (const int32_t number : story_.beats()[static_cast<size_t>(beat)].events) {
      const Event& e = story_.timeline().events[static_cast<size_t>(number)];
      if (e.device < first_ || e.device >= first_ + columns_) continue;
      Cell& cell = out[static_cast<size_t>(e.device - first_)];
      if (!is_transfer(e)) {
        cell.computes = e.instruction;
        continue;
      }
      cell.sent.push_back(number);
      if (std::find(cell.targets.begin(), cell.targets.end(), e.peer) == cell.targets.end())
        cell.targets.push_back(e.peer);
    }
    return out;
  }

  // Whether a beat goes anywhere but to neighbours, so that the sender's column does not say where to.
  bool beyond_neighbours(int32_t beat) const {
    const std::vector<int32_t> sent = transfers_of(story_, beat);
    return std::any_of(sent.begin(), sent.end(), [&](int32_t number) {
      const Event& e = story_.timeline().events[static_cast<size_t>(number)];
      int axis = -1;
      return link_end(c_.input, c_.places.fabric(), e, &axis) != e.peer || axis < 0;
    });
  }

  void draw_row(int32_t beat, float y, bool chosen) {
    const Rect row{area_.x - pen_.px(4), y - line_ / 2,
                   head_ + static_cast<float>(columns_) * cell_ + pen_.px(8), line_};
    ItemId item;
    item.kind = ItemId::Kind::step;
    item.index = beat;
    const int32_t id = pen_.id(item);
    pen_.rect(row, chosen ? with_alpha(pen_.theme.selection, 0.16) : Color{0, 0, 0, 0}, id);
    pen_.text({area_.x, y}, std::to_string(beat),
              {chosen ? pen_.theme.text : pen_.theme.muted_text, kTableText, Align::left, bold_if(chosen)});
    const std::vector<Cell> cells = cells_of(beat);
    const bool arrows = beyond_neighbours(beat);
    std::string said = beat_name(story_, beat, beat);
    for (int32_t d = 0; d < columns_; ++d) {
      const Cell& cell = cells[static_cast<size_t>(d)];
      const Rect box{middle_of(d) - cell_ / 2 + 1, y - line_ / 2 + 2, cell_ - 2, line_ - 4};
      draw_cell(cell, box, arrows);
      for (size_t i = 0; i < cell.sent.size(); ++i) {
        const Event& e = story_.timeline().events[static_cast<size_t>(cell.sent[i])];
        said += fmt::format("; {} {} → {}", name_of_transfer(story_, cell.sent[i]),
                            device_name(mesh_, e.device), device_name(mesh_, e.peer));
      }
    }
    pen_.accessible(row, id, std::move(said));
  }

  void draw_cell(const Cell& cell, const Rect& box, bool arrows) {
    const Point middle{box.x + box.w / 2, box.y + box.h / 2};
    if (cell.sent.empty()) {
      std::string what = "·";
      if (cell.computes >= 0) {
        const Instruction* found = find_instruction(c_.input.run.program, cell.computes);
        if (found != nullptr)
          what = pen_.fitting({std::string(opcode_text(found->opcode)), "·"}, box.w - 2, kTableText);
      }
      pen_.text(middle, what, {pen_.theme.muted_text, kTableText, Align::center});
      return;
    }
    const Color fill = device_look(pen_.theme, mesh_, owner_of(c_.input, cell.sent.front(), first_)).fill;
    pen_.rect(box, fill);
    TextStyle style{text_on(pen_.theme, fill), kTableText, Align::center, Face::sans};
    std::string arrow;
    if (arrows && cell.targets.size() > 1) arrow = fmt::format(" →×{}", cell.targets.size());
    if (arrows && cell.targets.size() == 1) arrow = " →" + device_name(mesh_, cell.targets.front());
    for (const float size : {kTableText, 0.77F, 0.7F}) {
      style.size = size;
      const std::string names =
          names_that_fit(pen_, c_.input, cell.sent, style, box.w - 2 - pen_.width(arrow, size, style.face));
      if (names.empty()) continue;
      pen_.text(middle, names + arrow, style);
      return;
    }
    style.size = kTableText;
    pen_.text(middle, names_that_fit(pen_, c_.input, cell.sent, style, box.w - 2), style);
  }

  Pen& pen_;
  const RingContext& c_;
  const Story& story_;
  const Mesh& mesh_;
  Rect area_;
  float line_ = 0, head_ = 0, cell_ = 0;
  int32_t columns_ = 0, first_ = 0;
};

}  // namespace

void draw_permutation_table(Pen& pen, const RingContext& context, const Rect& area) {
  BeatTable(pen, context, area).draw();
}

}  // namespace shardscope::inline views
