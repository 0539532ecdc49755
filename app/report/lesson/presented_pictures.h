// SPDX-License-Identifier: Apache-2.0
// The pictures of a step on a wall: which there are, how they share it, how large their letters are, and
// what of them is not to be seen.
#pragma once

#include <string>
#include <vector>

#include "engine/lesson/shown_step.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline app_report {

// The views of a step: its kernel's, or the ring where it names none; none where there is no run.
inline constexpr const char* kKernelView = "kernel";
std::vector<std::string> step_views(const ShownStep& step);
// Before them what the text of the step has in lines of code: a picture of its own, as nobody reads code in a
// running text.
inline constexpr const char* kCodeView = "code";
std::vector<std::string> presented_views(const ShownStep& step);
// Lines of a view that is a text; empty: it is none.
std::vector<std::string> presented_lines(const ShownStep& step, const std::string& view);

enum class Answered : bool { no, yes };
struct PresentedMoment {
  double part = 1;  // of the way to the step's moment
  Answered answered = Answered::no;
};
// A view of a step. Error: no such view.
Result<Scene> presented_picture(const ShownStep& step, const std::string& view, const PresentedMoment& at,
                                const Canvas& canvas);
// What of a picture is outside of it, covered, cut, too small to be read.
std::vector<std::string> unseen(const std::string& view, const Scene& scene, const Canvas& canvas);

// How the pictures share a room, so that as much as possible of them is to be seen.
struct PresentedPlan {
  float letters = 0;          // pixels
  bool below = false;         // not side by side
  std::vector<float> shares;  // of the room's width or height, a view each
  size_t faults = 0;          // that are left
  size_t bent = 0;            // lines of code that take more than one row
  std::vector<Rect> places(const Rect& room) const;
  Theme theme(Theme presented) const;
};
// `room`: with its presented theme. Error: no such view.
Result<PresentedPlan> plan_presented(const ShownStep& step, const Canvas& room);

}  // namespace shardscope::inline app_report
