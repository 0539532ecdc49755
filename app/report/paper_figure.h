// SPDX-License-Identifier: Apache-2.0
// One picture of a run for a paper: as wide as a column, cut to what it shows, its caption below; no
// playhead.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/run/run.h"
#include "engine/story/story.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline app_report {

struct PaperFigure {
  double width_mm = 178;          // 85: one column of two
  std::optional<int32_t> beat{};  // of views that show a moment; none: the one that tells most
};
// "85mm", "178 mm", "85": 20 to 400.
Result<double> parse_paper_width(const std::string& text);

// The beat that a still picture shows: the one asked for, else the one that tells most. Error: there is none.
Result<int32_t> shown_beat(const Story& story, const std::optional<int32_t>& asked);

// "at 46.6 µs, step 3 of 12: Collective-permute of X along col: …": what a still picture shows.
std::string moment_words(const ViewInput& input, const Selection& selection);
// The width, at least `width`, in which a ring whose height is so much of it shows every device and link;
// `width` where none does.
float whole_ring_width(const ViewInput& input, float width, float height_part);

// A QGuiApplication is there. Errors: no such view or beat; cancelled.
Result<Scene> paper_figure(const RunPtr& run, std::string_view view, const PaperFigure& figure,
                           const std::stop_token& stop);
// By the ending of `path`: .svg with letters as shapes, .pdf with its fonts inside, .png of 300 dots an inch.
Result<std::string> paper_bytes(const Scene& scene, double width_mm, const std::string& path,
                                const std::string& date);

}  // namespace shardscope::inline app_report
