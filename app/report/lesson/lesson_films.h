// SPDX-License-Identifier: Apache-2.0
// A run or a kernel that steps of a lesson show, with the moments of it that are played.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/lesson/shown_step.h"
#include "views/player/played_run.h"

namespace shardscope::inline app_report {

inline constexpr int32_t kMostFilmBeats = 80;

struct ShownFilms {
  NamedRun run;
  std::unique_ptr<TraceSource> trace;
  NamedKernelPtr kernel;                 // instead of a run; its moments are the steps of its replay
  std::vector<int32_t> beats;            // ascending
  std::map<std::string, int32_t> films;  // by view, made when a step first shows it

  void take(const NamedRun& named, int32_t most_beats = kMostFilmBeats);
  void take(const NamedKernelPtr& named);
  void take_end(const NamedKernelPtr& named, int32_t steps);  // its last moment, and so many before
  void add_beats(const std::vector<int32_t>& more);
  ViewInput input() const { return {*run.run, *trace, run.story.get()}; }
  // The last beat that ends when `beat` does.
  int32_t ended(int32_t beat) const;
  // The place of the moment at which a beat ends.
  int32_t place_of(int32_t beat) const;
  PlayedBeat words(int32_t beat) const;

  bool plays(const std::string& view) const;  // else it is a text
  PlayedView size_of(const std::string& view) const;
  // Error: told to stop, or it is a view of something else.
  Result<PlayedPicture> picture(const PlayedView& view, int32_t beat,
                                const std::vector<StoryThing>& pointed) const;
  // HTML of a view that is a text, or that only the window has.
  std::string text_view(const std::string& view) const;
};

std::string title_of_view(const std::string& view);

}  // namespace shardscope::inline app_report
