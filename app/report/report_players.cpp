// SPDX-License-Identifier: Apache-2.0
#include "app/report/report_players.h"

#include <fmt/format.h>
#include <memory>

#include "engine/base/xml.h"
#include "engine/report/run_difference.h"
#include "views/player/played_run.h"

namespace shardscope::inline app_report {
namespace {

constexpr size_t kMostBytes =
    1'100'000;  // of all players: pictures and tables need the rest of two megabytes
constexpr int32_t kMostBeats = 40;
constexpr int32_t kMostDevices = 64;  // a picture of more is a table, whose beats are as large each

// The first run as two pictures, its rivals as one.
PlayedRunOptions options_of(const Run& run, bool first) {
  PlayedRunOptions out;
  out.title = run_name(run);
  out.views = {{"ring", 640, 460}};
  if (first) out.views.push_back({"grid", 640, 460});
  out.most_beats = kMostBeats;
  return out;
}

}  // namespace

Result<PagePlayers> report_players(const Comparison& comparison, const std::stop_token& stop) {
  PagePlayers out;
  PlayedPage page;
  size_t bytes = 0;
  for (const RunWithStory& told : best_of(comparison.runs)) {
    if (stop.stop_requested()) return cancelled();
    if (!told.story || told.run->mesh.device_count() > kMostDevices) continue;
    const std::unique_ptr<TraceSource> trace = memory_trace(told.run);
    const ViewInput input{*told.run, *trace, told.story.get()};
    TRY(std::string figure, played_run(page, input, options_of(*told.run, out.figures.empty()), stop));
    bytes += figure.size();
    out.figures.emplace_back("moment", std::move(figure));
    if (bytes + page.tables().size() > kMostBytes) break;
  }
  if (!out.figures.empty()) out.tables = page.tables();
  return out;
}

}  // namespace shardscope::inline app_report
