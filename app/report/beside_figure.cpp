// SPDX-License-Identifier: Apache-2.0
#include "app/report/beside_figure.h"

#include <fmt/format.h>
#include <memory>

#include "views/draw/paint.h"
#include "views/scene/compare/beside.h"

namespace shardscope::inline app_report {
namespace {

constexpr float kHigh = 560;  // of a picture in a report

constexpr const char* kBesideLegend =
    "Above what is simulated of a device, below what was measured of one, cross-hatched; both begin at 0. In "
    "white what is not an operation of the run.";

}  // namespace

Result<Scene> beside_picture(const MeasuredBeside& beside, const Canvas& canvas,
                             const std::stop_token& stop) {
  const std::unique_ptr<TraceSource> trace = memory_trace(beside.run);
  const Result<Story> story = tell(beside.run->program, beside.run->timeline, stop);
  if (!story.ok() && story.error().kind == ErrorKind::cancelled) return story.error();
  const ViewInput input{*beside.run, *trace, story.ok() ? &*story : nullptr};
  return layout_beside({input, *beside.trace, beside.residual}, {}, {}, canvas);
}

Result<void> add_measured(const MeasuredBeside& beside, float width, const std::stop_token& stop,
                          ReportPictures& out) {
  TRY(Scene scene, beside_picture(beside, {width, kHigh, light_theme(), measure_text}, stop));
  out.add("measured",
          {"measured", fmt::format("Measured beside {}", run_name(*beside.run)),
           fmt::format("simulated {}, measured {}. {}", format_picoseconds(beside.residual.simulated),
                       format_picoseconds(beside.residual.measured), kBesideLegend),
           0},
          std::move(scene));
  return {};
}

}  // namespace shardscope::inline app_report
