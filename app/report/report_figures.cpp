// SPDX-License-Identifier: Apache-2.0
#include "app/report/report_figures.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "app/report/beside_figure.h"
#include "app/report/paper_figure.h"
#include "app/report/timelines_figure.h"
#include "engine/base/text.h"
#include "engine/numerics/check/error_growth.h"
#include "engine/report/verdict.h"
#include "views/draw/paint.h"
#include "views/scene/charts/term_bars.h"
#include "views/scene/core/run_views.h"
#include "views/scene/grid/product_now.h"
#include "views/scene/story/now.h"

namespace shardscope::inline app_report {
namespace {

constexpr float kWidth = 1000;  // of every picture: 13 px text is 2.4 mm high on a page
constexpr size_t kMostBars = 60;

Canvas canvas_of(float height) {
  return {kWidth, height, light_theme(), measure_text};
}

bool timed(const Run& run) {
  return !run.untimed && run.timeline.total > 0;
}

std::vector<RunPtr> timed_runs(const Comparison& comparison) {
  std::vector<RunPtr> out;
  for (const RankedRun& r : rank(comparison.runs))
    if (timed(*r.run)) out.push_back(r.run);
  return out;
}

void add_bars(const Comparison& comparison, ReportPictures& out) {
  std::vector<TermBar> bars;
  size_t all = 0;
  for (const RankedRun& r : rank(comparison.runs)) {
    if (!timed(*r.run) || ++all > kMostBars) continue;
    const Breakdown b = breakdown_of(*r.run);
    bars.push_back({run_name(*r.run), b.terms, r.ranked ? b.price : 0, r.is_best()});
  }
  if (bars.empty()) return;
  std::string caption =
      "time of the slowest device over the whole run: compute, exposed communication and idle add up to the "
      "total.";
  if (all > kMostBars) caption += fmt::format(" The first {} of {} runs.", kMostBars, all);
  out.add("why", {"terms", "Where the time goes", caption, 0}, layout_term_bars(bars, canvas_of(0)));
}

// What a view shows of a run, and what is said below it.
struct RunPicture {
  const char* section;
  const char* view;
  const char* title;
  float height;
  enum : uint8_t { whole, start, telling } moment;  // telling: the beat that tells most
};

constexpr RunPicture kLinks{"links", "links", "Links", 420, RunPicture::whole};
constexpr RunPicture kMemory{"memory", "memory", "Memory", 340, RunPicture::whole};
constexpr RunPicture kNumbers{"numbers", "numerics", "Numbers", 420, RunPicture::whole};
constexpr RunPicture kSteps{"numbers", "steps", "Steps", 420, RunPicture::whole};
constexpr RunPicture kGrid{"moment", "grid", "Sharding", 420, RunPicture::telling};
constexpr RunPicture kRing{"moment", "ring", "Ring", 480, RunPicture::telling};
constexpr RunPicture kProduct{"moment", "product", "Product", 480, RunPicture::telling};
constexpr RunPicture kMesh{"problem", "ring", "Mesh", 300, RunPicture::start};

Result<void> add_view(const RunPtr& run, const RunPicture& what, const std::stop_token& stop,
                      ReportPictures& out) {
  const std::unique_ptr<TraceSource> trace = memory_trace(run);
  const Result<Story> story = tell(run->program, run->timeline, stop);
  if (!story.ok() && story.error().kind == ErrorKind::cancelled) return story.error();
  const bool of_moment = what.moment != RunPicture::whole;
  if (of_moment && !story.ok()) return {};
  const ViewInput input{*run, *trace, story.ok() ? &*story : nullptr};
  Selection selection;
  std::string caption = fmt::format("the whole run, {}.", format_picoseconds(run->timeline.total));
  if (of_moment) {
    selection.time = what.moment == RunPicture::start ? 0 : story->moment_of(telling_beat(*story));
    caption = what.moment == RunPicture::start
                  ? "its links, and what each device has before anything happens."
                  : moment_words(input, selection) + ".";
  }
  if (what.view == std::string_view(kProduct.view) &&
      array_multiplied(*story, products_at(*story, selection.time), selection.time) < 0)
    return {};  // what it multiplies is no matrix as a whole
  if (what.view == std::string_view(kSteps.view))
    caption = "what each step gives that does not carry over, and how long executing it took.";
  float height = what.height;
  // A row a device: no higher than its rows.
  if (what.view == std::string_view(kLinks.view))
    height = std::min(height, 100 + 28.0F * static_cast<float>(trace->devices()));
  Canvas canvas = canvas_of(height);
  if (what.view == std::string_view(kRing.view)) {
    canvas.width = whole_ring_width(input, kWidth, height / kWidth);
    canvas.height = canvas.width * height / kWidth;
  }
  TRY(Scene scene, layout_named(what.view, input, selection, canvas));
  const std::string name = run_name(*run);
  out.add(what.section,
          {fmt::format("{}-{}", what.view, out.scenes.size()), fmt::format("{} of {}", what.title, name),
           caption, 0},
          std::move(scene));
  return {};
}

// What two pictures below each other would say of the same moment, the second does not.
void say_once(ReportPictures& pictures) {
  for (size_t k = 1; k < pictures.figures.size(); ++k) {
    ReportFigure& figure = pictures.figures[k].figure;
    const SectionFigure& above = pictures.figures[k - 1];
    if (above.section == kRing.section && above.figure.caption == figure.caption)
      figure.caption = "the same moment.";
  }
}

Result<void> add_growth(const Run& run, const std::stop_token& stop, ReportPictures& out) {
  TRY(const auto lengths, parse_growth_lengths("16..16384"));
  TRY(const ErrorGrowth growth, measure_error_growth(lengths, run.experiment.seed, Workers(), stop));
  out.add("numbers",
          {"error-growth", "How the error of a sum grows with its length", "measured, beside the laws.", 0},
          layout_error_growth(growth, canvas_of(420)));
  return {};
}

}  // namespace

void ReportPictures::add(std::string section, ReportFigure figure, Scene scene) {
  figure.picture = scenes.size();
  figures.push_back({std::move(section), std::move(figure)});
  scenes.push_back(std::move(scene));
}

Result<ReportPictures> report_figures(const Comparison& comparison, const std::vector<RunWorth>& worth,
                                      const std::stop_token& stop) {
  ReportPictures out;
  const std::vector<RunPtr> runs = timed_runs(comparison);
  if (runs.empty()) return out;
  const Verdict said = judge(comparison.runs);
  const RunPtr winner = said.winner && timed(*said.winner) ? said.winner : runs.front();
  TRY_VOID(add_view(winner, kMesh, stop, out));
  add_bars(comparison, out);
  TRY_VOID(add_timelines(runs, kWidth, stop, out));
  if (comparison.measured) {
    TRY_VOID(add_measured(*comparison.measured, kWidth, stop, out));
  }
  std::vector<RunPtr> both{winner};
  if (said.other && timed(*said.other)) both.push_back(said.other);
  for (const RunPicture* what : {&kLinks, &kMemory})
    for (const RunPtr& run : both) TRY_VOID(add_view(run, *what, stop, out));
  for (const RunPicture* what : {&kGrid, &kRing, &kProduct}) TRY_VOID(add_view(winner, *what, stop, out));
  say_once(out);
  if (winner->numerics.checked) {
    TRY_VOID(add_view(winner, kNumbers, stop, out));
  }
  for (const RunPtr& run : both)
    if (run->steps && run->steps->executed()) TRY_VOID(add_view(run, kSteps, stop, out));
  // A chart of roundings is about these runs where theirs were looked at.
  const NumericsReport& numbers = winner->numerics;
  if (!winner->module && numbers.checked && numbers.max_abs > 0 && needs_sparse_integers(winner->problem)) {
    TRY_VOID(add_growth(*winner, stop, out));
  }
  for (const RunWorth& of : worth) {
    if (of.rows.empty()) continue;
    out.add("sensitivity",
            {fmt::format("sensitivity-{}", out.scenes.size()),
             fmt::format("What would help {}", run_name(*of.run)),
             "by how much the whole run would change; to the left is faster.", 0},
            layout_tornado(of.rows, canvas_of(0)));
  }
  return out;
}

}  // namespace shardscope::inline app_report
