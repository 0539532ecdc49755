// SPDX-License-Identifier: Apache-2.0
#include "app/report/lesson/presented_pictures.h"

#include <algorithm>
#include <cmath>

#include "app/report/lesson/compared_runs.h"
#include "engine/base/text.h"
#include "engine/report/page/markdown_html.h"
#include "engine/session/lessons/lesson_module.h"
#include "views/scene/chip/kernel_canvas.h"
#include "views/scene/core/listing.h"
#include "views/scene/core/run_views.h"
#include "views/scene/story/pointed.h"

namespace shardscope::inline app_report {
namespace {

constexpr const char* kProgramView = "hlo";

Scene nothing_on(const Canvas& to) {
  Scene out;
  out.width = to.width, out.height = to.height;
  out.background = to.theme.background;
  return out;
}

Result<Scene> run_picture(const ShownStep& step, const std::string& view, double part, const Canvas& to) {
  const auto trace = memory_trace(step.shown.run);
  const Story* story = step.shown.story.get();
  PointedMoment moment{0, step.pointed, false};
  if (story != nullptr) {
    const Picoseconds from = story->moment_of(step.before), end = story->moment_of(step.beat);
    moment.time = from + static_cast<Picoseconds>(part * static_cast<double>(end - from));
  }
  return layout_pointed(view, {*step.shown.run, *trace, story}, moment, to);
}

Scene kernel_picture(const ShownStep& step, double part, const Canvas& to) {
  const kernels::KernelReplay& replay = *step.kernel->replay;
  const auto at = step.before + std::lround(part * (step.beat - step.before));
  return layout_kernel_moment(replay.program().layout, replay.frame(std::min<int64_t>(at, replay.steps())),
                              replay.steps(),
                              step.hide.empty() ? step.kernel->unlike : std::vector<int32_t>(), to);
}

}  // namespace

std::vector<std::string> presented_lines(const ShownStep& step, const std::string& view) {
  if (view == kCodeView) return markdown_code(step.say);
  if (view == kProgramView && step.shown.run)
    return split(module_listing(step.shown.run->program, false), '\n');
  return {};
}

std::vector<std::string> step_views(const ShownStep& step) {
  if (step.kernel) return {kKernelView};
  if (!step.shown.run) return {};
  return step.views.empty() ? std::vector<std::string>{"ring"} : step.views;
}

std::vector<std::string> presented_views(const ShownStep& step) {
  std::vector<std::string> out = step_views(step);
  if (!presented_lines(step, kCodeView).empty()) out.insert(out.begin(), kCodeView);
  return out;
}

Result<Scene> presented_picture(const ShownStep& step, const std::string& view, const PresentedMoment& at,
                                const Canvas& to) {
  if (const auto lines = presented_lines(step, view); !lines.empty()) return layout_listing(lines, to);
  if (step.kernel) return kernel_picture(step, at.part, to);
  if (view == kComparedView) {
    const bool asked = step.question && at.answered == Answered::no;
    return ComparedRuns(step.compared).picture(asked ? TogetherSays::plans : TogetherSays::times, to);
  }
  const auto names = view_names();
  if (!step.shown.run || std::ranges::find(names, view) == names.end()) return nothing_on(to);
  return run_picture(step, view, at.part, to);
}

std::vector<Rect> PresentedPlan::places(const Rect& room) const {
  std::vector<Rect> out;
  float at = below ? room.y : room.x;
  for (size_t i = 0; i < shares.size(); ++i) {
    const float all = below ? room.h : room.w;
    const float end =
        i + 1 == shares.size() ? (below ? room.bottom() : room.right()) : std::floor(at + all * shares[i]);
    out.push_back(below ? Rect{room.x, at, room.w, end - at} : Rect{at, room.y, end - at, room.h});
    at = end;
  }
  return out;
}

Theme PresentedPlan::theme(Theme presented) const {
  presented.least_px = letters;
  presented.scale = letters / presented.base_px;
  return presented;
}

namespace {

// Tries one plan after the other, the usual one first.
class Planner {
 public:
  Planner(const ShownStep& step, const Canvas& room)
      : step_(step), room_(room), views_(presented_views(step)), moving_(step.before != step.beat) {}

  Result<PresentedPlan> plan() {
    PresentedPlan best;
    best.faults = SIZE_MAX;
    const bool usual = stand_below(views_);
    for (const float letters :
         {room_.theme.least_px, room_.theme.least_px * kLeastPresented / kPresentedText}) {
      for (const bool below : {usual, !usual}) {
        for (const std::vector<float>& shares : shares_of(views_.size())) {
          PresentedPlan one{letters, below, shares, 0, 0};
          TRY_VOID(judge(one, best.faults));
          if (std::pair(one.faults, one.bent) < std::pair(best.faults, best.bent)) best = one;
          if (best.faults == 0 && best.bent == 0) return best;
        }
        if (views_.size() < 2) break;
      }
    }
    return best;
  }

 private:
  static std::vector<std::vector<float>> shares_of(size_t views) {
    if (views < 2) return {{1}};
    std::vector<std::vector<float>> out;
    if (views == 2)
      for (const float first : {0.5F, 0.45F, 0.55F, 0.4F, 0.6F, 0.35F, 0.65F, 0.3F, 0.7F, 0.25F, 0.75F})
        out.push_back({first, 1 - first});
    else
      out.emplace_back(views, 1 / static_cast<float>(views));
    return out;
  }

  // Not counted further than `enough`.
  Result<void> judge(PresentedPlan& plan, size_t enough) {
    const auto places = plan.places({0, 0, room_.width, room_.height});
    for (size_t v = 0; v < views_.size() && plan.faults <= enough; ++v)
      TRY_VOID(judge_view(views_[v], places[v], plan));
    return {};
  }

  Result<void> judge_view(const std::string& view, const Rect& place, PresentedPlan& plan) {
    const Canvas to{place.w, place.h, plan.theme(room_.theme), room_.measure};
    const auto written = [](const auto& of) { return !of.empty(); };
    const auto lines = std::ranges::count_if(presented_lines(step_, view), written);
    for (const PresentedMoment& at : moments()) {
      TRY(const Scene scene, presented_picture(step_, view, at, to));
      plan.faults += unseen(view, scene, to).size();
      if (lines == 0) continue;
      const auto rows = std::ranges::count_if(scene.texts(), written, &TextItem::text);
      plan.bent += static_cast<size_t>(std::max<std::ptrdiff_t>(0, rows - lines));
      break;  // it is the same at all moments
    }
    return {};
  }

  std::vector<PresentedMoment> moments() const {
    std::vector<PresentedMoment> out{{1, Answered::no}};
    if (step_.question) out.push_back({1, Answered::yes});
    if (moving_) out.push_back({0, Answered::no}), out.push_back({0.5, Answered::no});
    return out;
  }

  const ShownStep& step_;
  const Canvas& room_;
  std::vector<std::string> views_;
  bool moving_;
};

}  // namespace

Result<PresentedPlan> plan_presented(const ShownStep& step, const Canvas& room) {
  return Planner(step, room).plan();
}

}  // namespace shardscope::inline app_report
