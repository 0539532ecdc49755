// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/plan_summary.h"

#include <algorithm>
#include <utility>

#include "engine/schedule/calibrated_range.h"
#include "engine/schedule/repeated_sum.h"

namespace shardscope {
namespace {

// `sum` after the numbers that each of the works adds, in the order in which they are played.
template <class Of>
double over_works(const std::vector<WorkStretch>& stretches, double sum, const Of& of) {
  for (const WorkStretch& stretch : stretches)
    sum = repeated_sum(sum, stretch.times, [&](double s) {
      for (size_t w = stretch.begin; w < stretch.end; ++w) s += of(w);
      return s;
    });
  return sum;
}

void add_collectives(const PlayedPlan& played, std::vector<CollectiveSummary>& out) {
  constexpr size_t kNone = SIZE_MAX;
  const std::vector<Work>& works = played.plan.works;
  std::vector<size_t> summary_of(works.size(), kNone);
  for (const WorkStretch& stretch : played.stretches) {
    for (size_t w = stretch.begin; w < stretch.end; ++w) {
      const Work& work = works[w];
      if (work.kind != WorkKind::collective) continue;
      const auto opcode = opcode_text(played.program.entry_computation().at(work.instruction).opcode);
      auto it = std::ranges::find_if(out, [&](const CollectiveSummary& s) {
        return s.opcode == opcode && s.axis == work.axis && s.algorithm == work.algorithm;
      });
      if (it == out.end())
        it = out.insert(out.end(), {std::string(opcode), work.axis, 0, 0, work.algorithm, 0, work.why});
      summary_of[w] = static_cast<size_t>(it - out.begin());
      it->count += stretch.times;
      it->steps += work.steps() * stretch.times;
    }
  }
  const auto devices = static_cast<double>(played.devices);
  for (size_t s = 0; s < out.size(); ++s)
    out[s].bytes_sent_per_device = over_works(played.stretches, 0, [&](size_t w) {
      return summary_of[w] == s ? static_cast<double>(played.bytes_sent[w]) / devices : 0.0;
    });
}

}  // namespace

void add_summary(const PlayedPlan& played, Timeline& timeline) {
  const std::vector<Work>& works = played.plan.works;
  add_collectives(played, timeline.collectives);
  const double flops = over_works(played.stretches, 0, [&](size_t w) { return works[w].flops; });
  const double padded = over_works(played.stretches, 0, [&](size_t w) { return works[w].padded_flops; });
  if (padded > 0) timeline.mxu_utilisation = flops / padded;
  std::vector<std::string> all = mesh_assumptions(played.program.mesh, played.hardware);
  const auto add = [&](const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  add(played.plan.assumptions);
  add(timeline.assumptions);
  add(outside_calibration(played.hardware, played.plan));
  timeline.assumptions = std::move(all);
}

}  // namespace shardscope
