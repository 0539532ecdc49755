// SPDX-License-Identifier: Apache-2.0
#include "app/report/lesson/lesson_films.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/xml.h"
#include "views/draw/paint.h"
#include "views/scene/chip/kernel_canvas.h"
#include "views/scene/core/run_views.h"

namespace shardscope::inline app_report {
namespace {

const RunView* run_view(const std::string& id) {
  const auto row = std::ranges::find_if(run_views(), [&](const RunView& v) { return v.id == id; });
  return row == run_views().end() ? nullptr : &*row;
}

PlayedPicture kernel_picture(const NamedKernel& kernel, const PlayedView& view, int32_t step) {
  const kernels::KernelReplay& replay = *kernel.replay;
  const KernelLayout& layout = replay.program().layout;
  const KernelFrame frame = replay.frame(step);
  // Films play while questions stand: what is wrong in a broken kernel is not marked there.
  const std::vector<int32_t> unlike = kernel.shortest ? std::vector<int32_t>() : kernel.unlike;
  const auto scene = [&](const Theme& theme) {
    return layout_kernel_moment(layout, frame, replay.steps(), unlike,
                                {view.width, view.height, theme, measure_text});
  };
  PlayedPicture out{scene(light_theme()), scene(dark_theme()), {}};
  for (const ItemId& item : pointable(out.light)) {
    std::vector<std::string> lines = describe_kernel({layout, frame, replay.steps()}, item);
    if (!lines.empty()) out.tips.push_back({item, std::move(lines)});
  }
  return out;
}

}  // namespace

void ShownFilms::take(const NamedRun& named, int32_t most_beats) {
  run = named;
  trace = memory_trace(named.run);
  add_beats(played_beats(input(), most_beats));
}

void ShownFilms::take(const NamedKernelPtr& named) {
  kernel = named;
  const int64_t steps = named->replay->steps(), apart = steps / kMostFilmBeats + 1;
  std::vector<int32_t> shown;
  for (int64_t step = 0; step <= steps; step += apart) shown.push_back(static_cast<int32_t>(step));
  add_beats(shown);
}

void ShownFilms::take_end(const NamedKernelPtr& named, int32_t steps) {
  kernel = named;
  const auto last = static_cast<int32_t>(named->replay->steps());
  for (int32_t step = std::max(0, last - steps); step <= last; ++step) add_beats({step});
}

void ShownFilms::add_beats(const std::vector<int32_t>& more) {
  beats.insert(beats.end(), more.begin(), more.end());
  std::ranges::sort(beats);
  beats.erase(std::unique(beats.begin(), beats.end()), beats.end());
}

int32_t ShownFilms::ended(int32_t beat) const {
  return run.story ? run.story->beat_at(run.story->moment_of(beat)) : beat;
}

int32_t ShownFilms::place_of(int32_t beat) const {
  const auto at = std::ranges::lower_bound(beats, beat);
  return static_cast<int32_t>(std::min(at, beats.end() - 1) - beats.begin());
}

PlayedBeat ShownFilms::words(int32_t beat) const {
  if (!kernel) return played_beat(input(), shardscope::moment_of(input(), beat));
  const kernels::KernelReplay& replay = *kernel->replay;
  const KernelFrame frame = replay.frame(beat);
  return {beat, fmt::format("after {} of {} steps", beat, replay.steps()),
          narrate_kernel({replay.program().layout, frame, replay.steps()})};
}

bool ShownFilms::plays(const std::string& view) const {
  return kernel ? view == "kernel" : run_view(view) != nullptr;
}

PlayedView ShownFilms::size_of(const std::string& view) const {
  if (kernel) return {view, 1280, 640};
  return whole_view(input(), {view, 716, 540});
}

Result<PlayedPicture> ShownFilms::picture(const PlayedView& view, int32_t beat,
                                          const std::vector<StoryThing>& pointed) const {
  if (kernel) return kernel_picture(*kernel, view, beat);
  return played_picture(input(), view, {shardscope::moment_of(input(), beat), pointed, false});
}

std::string ShownFilms::text_view(const std::string& view) const {
  if (view == "hlo" && run.run)
    return "<pre class=\"hlo\">" + xml_escaped(print_program(run.run->program)) + "</pre>\n";
  return fmt::format("<p>(The view {} is in the window alone.)</p>\n", xml_escaped(view));
}

std::string title_of_view(const std::string& view) {
  const RunView* row = run_view(view);
  return row == nullptr ? "Kernel" : said(row->title);
}

}  // namespace shardscope::inline app_report
