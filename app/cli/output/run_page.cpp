// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/run_page.h"

#include <fmt/format.h>

#include "app/cli/output/pictures.h"
#include "engine/base/units.h"
#include "engine/base/xml.h"
#include "engine/report/page/page_frame.h"
#include "engine/report/report.h"
#include "engine/story/story.h"
#include "views/player/played_run.h"

namespace shardscope::inline cli {
namespace {

// Those that show places stand side by side, those along time are as wide as the page.
PlayedView view_of(const std::string& id, bool alone) {
  if (id == "timeline" || alone) return {id, 1280, alone ? 640.0F : 400.0F};
  return {id, 640, 460};
}

}  // namespace

std::vector<std::string> page_views() {
  return {"ring", "grid", "timeline"};
}

Result<std::string> run_page(const RunPtr& run, std::vector<std::string> views, const std::stop_token& stop) {
  start_offscreen_gui();
  if (views.empty()) views = page_views();
  const std::unique_ptr<TraceSource> trace = memory_trace(run);
  const Result<Story> story = tell(run->program, run->timeline, stop);
  if (!story.ok() && story.error().kind == ErrorKind::cancelled) return story.error();
  PlayedRunOptions options;
  for (const std::string& view : views) options.views.push_back(view_of(view, views.size() == 1));
  PlayedPage page;
  TRY(const std::string figure,
      played_run(page, {*run, *trace, story.ok() ? &*story : nullptr}, options, stop));
  const std::string title = run->experiment.title.empty() ? heading_of(*run) : run->experiment.title;
  return page_head({title}) +
         fmt::format("<p>{}: m={} k={} n={} {} on {}, {}. {} in all.</p>\n", xml_escaped(heading_of(*run)),
                     run->problem.m, run->problem.k, run->problem.n, name(run->problem.dtype),
                     xml_escaped(run->mesh.text()), xml_escaped(run->hardware.name),
                     format_picoseconds(run->timeline.total)) +
         figure + page.tables() + page_foot("Times are simulated on a model of the chip.");
}

}  // namespace shardscope::inline cli
