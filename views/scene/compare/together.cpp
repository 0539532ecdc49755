// SPDX-License-Identifier: Apache-2.0
#include "views/scene/compare/together.h"

#include <algorithm>
#include <array>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/run/metrics.h"
#include "engine/story/plan_words.h"
#include "views/scene/compare/compare_parts.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {
namespace {

struct TogetherColumn {
  RunMetric metric;
  const char* title;
};
constexpr std::array kColumns{TogetherColumn{RunMetric::time, to_say("time")},
                              TogetherColumn{RunMetric::compute, to_say("compute")},
                              TogetherColumn{RunMetric::communication, to_say("communication")},
                              TogetherColumn{RunMetric::sent, to_say("sent by a chip")}};

class Together {
 public:
  Together(Pen& pen, const std::vector<TogetherRun>& runs) : pen_(pen), runs_(runs) {
    for (const TogetherRun& run : runs_) {
      numbers_.push_back(numbers_of(run.input.run));
      latest_ = std::max(latest_, run.input.trace.total());
    }
  }

  void draw_times() {
    const float top = header_height(), margin = pen_.px(12);
    const float left = draw_header(margin, top) + pen_.px(16);
    const TimeAxis axis{left, std::max(1.0F, pen_.canvas.width - left - margin), {0, latest_}};
    draw_ruler(axis, top);
    const float each = (pen_.canvas.height - top - pen_.px(6)) / static_cast<float>(runs_.size());
    for (size_t r = 0; r < runs_.size(); ++r) {
      const float y = top + each * static_cast<float>(r);
      pen_.line({0, y}, {pen_.canvas.width, y}, pen_.theme.rule);
      draw_numbers(r, margin, y + each / 2);
      draw_lanes(r, axis, {left, y, axis.width, each});
      say_row(r, {0, y, pen_.canvas.width, each});
    }
  }

  // What each run does, in its own words.
  void draw_plans() {
    const float margin = pen_.px(16);
    const float each = (pen_.canvas.height - 2 * margin) / static_cast<float>(runs_.size());
    for (size_t r = 0; r < runs_.size(); ++r) {
      const float y = margin + each * static_cast<float>(r);
      const ViewInput& in = runs_[r].input;
      std::string plan = in.story != nullptr ? join(travels_in(*in.story), ", ") : "";
      if (plan.empty()) plan = said("nothing travels");
      pen_.text({margin, y + pen_.text_px()}, runs_[r].name,
                {pen_.theme.text, 1.2F, Align::left, Face::bold});
      float line = y + pen_.text_px() * 2.6F;
      for (const std::string& part :
           wrapped_lines(plan, pen_.text_px(), pen_.canvas.width - 2 * margin, pen_.canvas.measure)) {
        pen_.text({margin, line}, part, {pen_.theme.text, 1, Align::left});
        line += pen_.text_px() * 1.3F;
      }
      pen_.accessible({margin, y, pen_.canvas.width - 2 * margin, each}, run_id(r),
                      runs_[r].name + ": " + plan);
    }
  }

 private:
  int32_t run_id(size_t r) {
    return pen_.id({.kind = ItemId::Kind::candidate, .index = static_cast<int32_t>(r)});
  }
  float header_height() const { return pen_.text_px() * 2.9F; }

  // Words of a column's head, one a line.
  static std::vector<std::string> head_lines(const TogetherColumn& column) {
    const std::string title = said(column.title);
    const size_t cut = title.find(' ');
    if (cut == std::string::npos) return {title};
    return {title.substr(0, cut), title.substr(cut + 1)};
  }

  // Columns as wide as their widest number; returns where the last one ends.
  float draw_header(float from, float top) {
    name_width_ = 0;
    for (const TogetherRun& run : runs_)
      name_width_ = std::max(name_width_, pen_.width(run.name, 1, Face::bold));
    float x = from + name_width_;
    for (size_t c = 0; c < kColumns.size(); ++c) {
      float width = 0;
      for (const std::string& line : head_lines(kColumns[c])) width = std::max(width, pen_.width(line));
      for (const RunNumbers& numbers : numbers_)
        width = std::max(width, pen_.width(numbers.text(kColumns[c].metric)));
      x += pen_.px(14) + width;
      ends_[c] = x;
      const std::vector<std::string> lines = head_lines(kColumns[c]);
      for (size_t l = 0; l < lines.size(); ++l)
        pen_.text({x, top - pen_.text_px() * (0.8F + 1.15F * static_cast<float>(lines.size() - 1 - l))},
                  lines[l], {pen_.theme.muted_text, 1, Align::right});
    }
    return x;
  }

  void draw_ruler(const TimeAxis& axis, float top) {
    const float y = top - pen_.text_px() * 0.8F;
    pen_.text({axis.left, y}, "0", {pen_.theme.muted_text, 1, Align::left});
    pen_.text({axis.left + axis.width, y}, format_picoseconds(latest_),
              {pen_.theme.muted_text, 1, Align::right});
  }

  void draw_numbers(size_t r, float left, float y) {
    pen_.text({left, y}, runs_[r].name, {pen_.theme.text, 1, Align::left, Face::bold});
    for (size_t c = 0; c < kColumns.size(); ++c)
      pen_.text({ends_[c], y}, numbers_[r].text(kColumns[c].metric),
                {pen_.theme.text, 1, Align::right, bold_if(c == 0)});
  }

  void draw_lanes(size_t r, const TimeAxis& axis, const Rect& box) {
    const ViewInput& in = runs_[r].input;
    const int32_t device = focus_device(in, {});
    TimelineRows rows = folded_rows(in, device, 1, pen_);
    const float grow = std::clamp(box.h * 0.8F / std::max(1.0F, rows.height), 0.2F, 2.5F);
    rows = folded_rows(in, device, grow, pen_);
    TimelineFrame frame;
    frame.area = {box.x, box.y + std::max(0.0F, (box.h - rows.height) / 2), box.w, rows.height};
    frame.plot = frame.area;
    frame.axis = axis;
    TimelineViewport lanes;
    lanes.arrows = false;
    const Selection nothing;
    const TimelineContext context{in, lanes, nothing, frame, rows, static_cast<int32_t>(r), false};
    draw_timeline_strips(pen_, context);
    const float end = axis.x_of(in.trace.total());
    pen_.line({end, frame.plot.y}, {end, frame.plot.bottom()}, pen_.theme.text, 1.5F);
  }

  void say_row(size_t r, const Rect& box) {
    std::string words = runs_[r].name;
    for (const TogetherColumn& column : kColumns)
      words += ", " + said(column.title) + " " + numbers_[r].text(column.metric);
    pen_.accessible(box, run_id(r), words);
  }

  Pen& pen_;
  const std::vector<TogetherRun>& runs_;
  std::vector<RunNumbers> numbers_;
  Picoseconds latest_ = 1;
  float name_width_ = 0;
  std::array<float, kColumns.size()> ends_{};
};

}  // namespace

Scene layout_together(const std::vector<TogetherRun>& runs, TogetherSays says, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (runs.empty()) {
    pen.empty_state(said("The runs beside each other"), said("There are none."));
    return scene;
  }
  Together picture(pen, runs);
  says == TogetherSays::times ? picture.draw_times() : picture.draw_plans();
  return scene;
}

}  // namespace shardscope::inline views
