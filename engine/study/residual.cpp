// SPDX-License-Identifier: Apache-2.0
#include "engine/study/residual.h"

#include <algorithm>

namespace shardscope::inline study {

const char* name(ResidualTerm term) {
  switch (term) {
    case ResidualTerm::compute:
      return "compute";
    case ResidualTerm::memory:
      return "memory";
    case ResidualTerm::latency:
      return "latency";
    case ResidualTerm::bandwidth:
      return "bandwidth";
    case ResidualTerm::launch:
      return "launch";
    case ResidualTerm::sync:
      return "sync";
    case ResidualTerm::unmatched:
      break;
  }
  return "unmatched";
}

std::optional<double> ResidualOperation::share() const {
  if (!measured || simulated <= 0) return std::nullopt;
  return static_cast<double>(residual()) / static_cast<double>(simulated);
}

ResidualTerm ResidualOperation::bound() const {
  return static_cast<ResidualTerm>(std::ranges::max_element(terms) - terms.begin());
}

int operation_of(const Residual& residual, int32_t instruction) {
  for (size_t o = 0; o < residual.operations.size(); ++o)
    if (std::ranges::binary_search(residual.operations[o].instructions, instruction))
      return static_cast<int>(o);
  return -1;
}

std::vector<int32_t> drawn_events(const Residual& residual, const MeasuredTrace& trace, int operation) {
  std::vector<int32_t> out;
  if (residual.steps.empty()) return out;
  const TimeRange& step = residual.steps[residual.step];
  for (size_t e = 0; e < trace.events.size() && e < residual.operation_of.size(); ++e) {
    const MeasuredEvent& event = trace.events[e];
    if (event.start >= step.end) break;
    if (event.start < step.start || event.device != residual.measured_device) continue;
    if (residual.operation_of[e] == operation) out.push_back(static_cast<int32_t>(e));
  }
  return out;
}

}  // namespace shardscope::inline study
