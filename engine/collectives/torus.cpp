// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/torus.h"

#include <algorithm>

#include "engine/base/check.h"

namespace shardscope::inline collectives {

namespace {

// Two ranks have one link each way, wrapped or not.
RingForm form_along(const TorusAxis& axis, bool down) {
  if (axis.size > 2 && !axis.wraps) return RingForm::line;
  return down ? RingForm::one_way_down : RingForm::one_way;
}

// The axis along which a colour goes first.
const TorusAxis& first_axis(CollectiveKind kind, const TorusColour& colour) {
  return kind == CollectiveKind::all_gather ? colour.axes.front() : colour.axes.back();
}

// The step in which a colour begins.
int32_t begin_of(CollectiveKind kind, const std::vector<TorusColour>& colours, size_t colour) {
  int32_t begin = 0;
  for (size_t before = 0; before < colour; ++before) {
    if (colours[before] == colours[colour]) begin += first_axis(kind, colours[before]).size - 1;
  }
  return begin;
}

CollectiveSchedule::Outline torus_outline(CollectiveKind kind, int32_t ranks,
                                          const std::vector<TorusColour>& colours, bool turns) {
  CHECK(kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter);
  const auto count = static_cast<int32_t>(colours.size());
  CollectiveSchedule::Outline outline{kind, ranks, ranks * count, 0, Dependency::every_earlier, count, turns};
  for (const TorusAxis& axis : colours.front().axes) outline.steps += axis.size - 1;
  outline.steps += begin_of(kind, colours, colours.size() - 1);
  return outline;
}

}  // namespace

TorusSchedule::TorusSchedule(CollectiveKind kind, int32_t ranks, const std::vector<TorusColour>& colours,
                             bool turns)
    : CollectiveSchedule(torus_outline(kind, ranks, colours, turns)) {
  int32_t steps_of_one = 0;
  for (const TorusAxis& axis : colours.front().axes) steps_of_one += axis.size - 1;
  for (size_t c = 0; c < colours.size(); ++c) {
    const TorusColour& colour = colours[c];
    const int32_t first = begin_of(kind, colours, c);
    std::vector<Phase>& phases = colours_.emplace_back();
    int32_t bundle = 1;
    int32_t gathered = 0;
    for (const TorusAxis& axis : colour.axes) {
      const int32_t begin =
          first + (kind == CollectiveKind::all_gather ? gathered : steps_of_one - gathered - (axis.size - 1));
      phases.push_back({axis, bundle, begin, RingSchedule(kind, form_along(axis, colour.down), axis.size)});
      bundle *= axis.size;
      gathered += axis.size - 1;
    }
    CHECK(bundle == ranks, bundle, ranks);
  }
}

void TorusSchedule::append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const {
  for (size_t colour = 0; colour < colours_.size(); ++colour) {
    for (const Phase& phase : colours_[colour]) {
      if (step < phase.begin || step >= phase.begin + phase.ring.steps()) continue;
      // The bundles begin with the shard of this rank's place on the axes that come later.
      int32_t begin = static_cast<int32_t>(colour) * ranks();
      for (const Phase& other : colours_[colour]) {
        if (other.bundle > phase.bundle) begin += other.place(source) * other.bundle;
      }
      const size_t before = out.size();
      phase.ring.append_from(step - phase.begin, phase.place(source), out);
      for (size_t i = before; i < out.size(); ++i) {
        Transfer& t = out[i];
        t.step = step;
        t.source = source;
        t.target = source + (t.target - phase.place(source)) * phase.axis.stride;
        t.chunk = begin + t.chunk * phase.bundle;
        t.count = phase.bundle;
      }
    }
  }
}

int32_t TorusSchedule::home(int32_t chunk) const {
  int32_t rank = 0;
  for (const Phase& phase : colours_[static_cast<size_t>(chunk / ranks())]) {
    rank += chunk % ranks() / phase.bundle % phase.axis.size * phase.axis.stride;
  }
  return rank;
}

std::vector<TorusColour> torus_colours(const std::vector<TorusAxis>& axes) {
  return {{{axes.rbegin(), axes.rend()}, false}};
}

std::vector<TorusColour> bidirectional_torus_colours(const std::vector<TorusAxis>& axes) {
  std::vector<TorusColour> out;
  TorusColour colour = torus_colours(axes).front();
  const bool rings =
      std::any_of(axes.begin(), axes.end(), [](const TorusAxis& a) { return a.wraps && a.size > 2; });
  for (size_t k = 0; k < axes.size(); ++k) {
    colour.down = false;
    out.push_back(colour);
    colour.down = true;
    if (rings) out.push_back(colour);
    std::rotate(colour.axes.begin(), colour.axes.begin() + 1, colour.axes.end());
  }
  return out;
}

}  // namespace shardscope::inline collectives
