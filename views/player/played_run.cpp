// SPDX-License-Identifier: Apache-2.0
#include "views/player/played_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/draw/paint.h"
#include "views/scene/core/run_views.h"
#include "views/scene/ring/ring_in_sight.h"
#include "views/scene/story/now.h"

namespace shardscope::inline views {
namespace {

std::vector<PlayedTip> tips_of(const ViewInput& input, const Scene& scene, Picoseconds now) {
  std::vector<PlayedTip> out;
  for (const ItemId& item : pointable(scene)) {
    std::vector<std::string> lines = describe(input, item, now);
    if (!lines.empty()) out.push_back({item, std::move(lines)});
  }
  return out;
}

}  // namespace

std::vector<ItemId> pointable(const Scene& scene) {
  std::vector<bool> pointed(scene.ids().size(), false);
  const auto see = [&](const auto& items) {
    for (const auto& item : items)
      if (item.id >= 0) pointed[static_cast<size_t>(item.id)] = true;
  };
  see(scene.rects()), see(scene.lines()), see(scene.circles());
  std::vector<ItemId> out;
  for (size_t i = 0; i < pointed.size(); ++i)
    if (pointed[i] && std::ranges::find(out, scene.ids()[i]) == out.end()) out.push_back(scene.ids()[i]);
  return out;
}

std::vector<int32_t> played_beats(const ViewInput& input, int32_t most) {
  if (!input.story) return {0};
  std::vector<int32_t> all;
  const auto count = static_cast<int32_t>(input.story->beats().size());
  for (int32_t beat = 0; beat < count; ++beat)
    if (beat == 0 || beat + 1 == count || moment_of(input, beat) != moment_of(input, beat + 1))
      all.push_back(beat);
  const auto there = static_cast<int32_t>(all.size());
  if (there <= most) return all;
  std::vector<int32_t> out;
  for (int32_t i = 0; i < most; ++i)
    out.push_back(all[static_cast<size_t>(std::llround(static_cast<double>(i) * (there - 1) / (most - 1)))]);
  return out;
}

PlayedView whole_view(const ViewInput& input, const PlayedView& view) {
  if (view.id != "ring") return view;
  // Below 720 there is no table beside the devices.
  const std::array sizes{Point{view.width, view.height},
                         Point{716, 540},
                         Point{716, 640},
                         Point{716, 800},
                         Point{1000, 700},
                         Point{1280, 800},
                         Point{1280, 1000}};
  for (const Point size : sizes)
    if (ring_in_sight(input, {}, {size.x, size.y, light_theme(), measure_text}))
      return {view.id, size.x, size.y};
  return view;
}

Picoseconds moment_of(const ViewInput& input, int32_t beat) {
  return input.story ? input.story->moment_of(beat) : 0;
}

Result<PlayedPicture> played_picture(const ViewInput& input, const PlayedView& view,
                                     const PointedMoment& now) {
  PlayedPicture out;
  TRY(out.light, layout_pointed(view.id, input, now, {view.width, view.height, light_theme(), measure_text}));
  TRY(out.dark, layout_pointed(view.id, input, now, {view.width, view.height, dark_theme(), measure_text}));
  out.tips = tips_of(input, out.light, now.time);
  return out;
}

PlayedBeat played_beat(const ViewInput& input, Picoseconds now) {
  Selection selection;
  selection.time = now;
  return {input.story ? input.story->beat_at(now) : 0, clock_text(input, selection),
          sentence_now(input, selection, SentenceLevel::moves)};
}

Result<std::string> played_run(PlayedPage& page, const ViewInput& input, const PlayedRunOptions& options,
                               const std::stop_token& stop) {
  PlayedFigure figure;
  figure.title = options.title;
  std::vector<PlayedView> views;
  for (const PlayedView& asked : options.views) {
    const PlayedView& view = views.emplace_back(whole_view(input, asked));
    const auto row = std::ranges::find_if(run_views(), [&](const RunView& v) { return v.id == view.id; });
    figure.films.push_back(page.add_film(view.id, row == run_views().end() ? view.id : said(row->title)));
  }
  const std::vector<int32_t> beats = played_beats(input, options.most_beats);
  const int32_t telling = input.story ? telling_beat(*input.story) : 0;
  for (const int32_t beat : beats) {
    if (stop.stop_requested()) return cancelled();
    const Picoseconds now = moment_of(input, beat);
    figure.beats.push_back(played_beat(input, now));
    if (beat <= telling) {
      figure.first = static_cast<int32_t>(figure.beats.size()) - 1;
      figure.stills.clear();
    }
    for (size_t v = 0; v < views.size(); ++v) {
      TRY(PlayedPicture picture, played_picture(input, views[v], {now, {}}));
      page.add_picture(figure.films[v], picture);
      if (beat <= telling) figure.stills.push_back(std::move(picture));
    }
  }
  return page.figure(figure);
}

}  // namespace shardscope::inline views
