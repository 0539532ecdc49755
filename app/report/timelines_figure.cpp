// SPDX-License-Identifier: Apache-2.0
#include "app/report/timelines_figure.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "engine/report/run_difference.h"
#include "views/draw/paint.h"
#include "views/scene/compare/compare.h"
#include "views/scene/core/crop.h"

namespace shardscope::inline app_report {
namespace {

constexpr float kPageHigh = 640;  // of a picture, in its pixels
constexpr float kLeast = 320;     // a picture of two
constexpr float kRuler = 22;

constexpr const char* kLegend =
    "Lanes of the device whose terms are compared: computation in grey, each mesh axis in its hue, hatched "
    "where communication is exposed; the line below the lanes is the critical path.";

std::string ends_at(const std::vector<RunPtr>& runs) {
  Picoseconds latest = 0;
  for (const RunPtr& run : runs) latest = std::max(latest, run->timeline.total);
  return fmt::format("from 0 to {}, the whole of each run.", format_picoseconds(latest));
}

// As high as lets all runs be seen.
Canvas high_enough(const CompareInput& input, float width) {
  Canvas canvas{width, kLeast, light_theme(), measure_text};
  for (int i = 0; i < 32; ++i) {
    const float more = compare_overflow(input, {}, canvas);
    if (more < 0.5F) break;
    canvas.height += more + 1;
  }
  return canvas;
}

// Where a tall picture may be cut: above each run, and above the bars.
std::vector<float> cuts_of(const Scene& scene) {
  std::vector<float> out;
  std::optional<Rect> bar;
  for (const RectItem& item : scene.rects()) {
    if (item.id < 0) continue;
    const ItemId& id = scene.ids()[static_cast<size_t>(item.id)];
    if (id.kind == ItemId::Kind::candidate) out.push_back(item.rect.y);
    if (id.kind == ItemId::Kind::handle && (!bar || item.rect.y < bar->y)) bar = item.rect;
  }
  if (bar) out.push_back(bar->y - bar->h - 4);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Pictures no higher than a page, where that can be; the ruler stands on top of each.
std::vector<Scene> in_pages(const Scene& scene) {
  if (scene.height <= kPageHigh) return {scene};
  std::vector<Scene> out;
  const Scene ruler = part_of(scene, {0, 0, scene.width, kRuler});
  std::vector<float> cuts = cuts_of(scene);
  cuts.push_back(scene.height);
  float from = kRuler, to = kRuler;
  const auto close = [&] {
    if (to > from) out.push_back(stacked({ruler, part_of(scene, {0, from, scene.width, to - from})}));
    from = to;
  };
  for (const float cut : cuts) {
    if (cut - from > kPageHigh - kRuler) close();
    to = std::max(to, cut);
  }
  close();
  return out;
}

Result<void> add_compared(const std::vector<RunWithStory>& told_runs, const std::vector<RunPtr>& all,
                          float width, ReportPictures& out) {
  TRY(const RunDifference difference, difference_of(told_runs));
  std::vector<std::unique_ptr<TraceSource>> traces;
  std::vector<ViewInput> inputs;
  std::vector<RunPtr> runs;
  for (const RunWithStory& told : told_runs) {
    runs.push_back(told.run);
    traces.push_back(memory_trace(told.run));
    inputs.push_back({*told.run, *traces.back(), told.story.get()});
  }
  const CompareInput input{inputs, difference};
  CompareMarks marks;
  marks.cursor = -1;  // nobody points at a moment
  const std::vector<Scene> pages = in_pages(layout_compare(input, {}, marks, high_enough(input, width)));
  for (size_t p = 0; p < pages.size(); ++p) {
    std::string caption = fmt::format("{} {}", ends_at(runs), kLegend);
    if (all.size() > runs.size())
      caption += fmt::format(" The first {} of {} runs.", runs.size(), all.size());
    if (p > 0) caption = fmt::format("part {} of {}, on the same axis.", p + 1, pages.size());
    out.add("timelines", {fmt::format("timelines-{}", p + 1), "Timelines on one axis", caption, 0}, pages[p]);
  }
  return {};
}

// A playhead would say that somebody looks at a moment.
void add_alone(const RunPtr& run, const Story* story, float width, ReportPictures& out) {
  const std::unique_ptr<TraceSource> trace = memory_trace(run);
  const ViewInput input{*run, *trace, story};
  Selection nowhere;
  nowhere.time = -1;
  Canvas canvas{width, kLeast, light_theme(), measure_text};
  canvas.height = std::clamp(timeline_content_height(input, {}, canvas), kLeast, kPageHigh);
  out.add("timelines", {"timelines-1", fmt::format("Timeline of {}", run_name(*run)), ends_at({run}), 0},
          layout_timeline(input, {}, nowhere, canvas));
}

}  // namespace

Result<void> add_timelines(const std::vector<RunPtr>& runs, float width, const std::stop_token& stop,
                           ReportPictures& out) {
  std::vector<RunWithStory> shown;
  for (const RunPtr& run : runs) {
    if (stop.stop_requested()) return cancelled();
    if (shown.size() < kMostCompared) shown.push_back(told(run));
  }
  if (shown.size() > 1) return add_compared(shown, runs, width, out);
  if (shown.size() == 1) add_alone(shown.front().run, shown.front().story.get(), width, out);
  return {};
}

}  // namespace shardscope::inline app_report
