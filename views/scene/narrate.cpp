// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "views/scene/blocks.h"
#include "views/scene/event_text.h"
#include "views/scene/holdings_now.h"
#include "views/scene/step_transfers.h"

namespace shardscope {
namespace {

// "3 of 4 partial sums" of the product at `time`, "Y is complete", or nothing before the first.
std::string product_state(const ViewInput& input, Picoseconds time) {
  const std::vector<BlockedArray> arrays = blocked_arrays(input.run.program);
  const HoldingsNow now = holdings_now(input, time);
  if (!now.exact) return "";
  int64_t covered = 0;
  int64_t whole = 0;
  for (const auto& pieces : now.devices) {
    for (const HeldPiece& p : pieces) {
      if (p.array != ArrayRole::product || p.k_covered <= 0) continue;
      if (p.k_covered > covered) covered = p.k_covered, whole = p.k_whole;
    }
  }
  if (whole == 0) return "";
  if (covered >= whole) return "";
  return partial_text(covered, whole, contraction_parts(arrays)) + " partial sums";
}

std::string computing(const ViewInput& input, const TraceSource::Step& step) {
  std::set<int32_t> instructions;
  const std::vector<Lane>& lanes = input.trace.lanes();
  const int32_t device = 0;
  for (size_t l = 0; l < lanes.size(); ++l) {
    if (lanes[l].kind != LaneKind::compute) continue;
    const auto numbers = input.trace.events(DeviceId(device), static_cast<int>(l), step.range);
    if (!numbers.ok()) continue;
    for (const int32_t number : *numbers) {
      const auto e = find_event(input, number);
      if (e && e->step == step.step && e->start < step.range.end && e->end > step.range.start)
        instructions.insert(e->instruction);
    }
  }
  if (instructions.empty()) return "";
  const std::string first = instruction_name(input, *instructions.begin());
  return instructions.size() == 1
             ? "every device computes " + first
             : fmt::format("every device computes {} and {} more", first, instructions.size() - 1);
}

}  // namespace

std::string narrate(const ViewInput& input, int32_t place) {
  const std::optional<StepTransfers> step = step_transfers(input, place);
  if (!step) return "this program has no steps";
  const std::string head = step_name(step->step);
  std::string sentence;
  if (!step->transfers.empty()) {
    const Event& e = step->transfers.front();
    sentence = fmt::format("{} sends {} to {}", device_name(input.run.mesh, e.device), block_text(e),
                           device_name(input.run.mesh, e.peer));
    if (step->transfers.size() > 1)
      sentence += fmt::format(", {} others likewise", step->transfers.size() - 1);
  } else {
    sentence = computing(input, step->step);
  }
  const std::string state = product_state(input, step->step.range.end);
  if (!state.empty()) sentence += (sentence.empty() ? "" : "; ") + state;
  if (sentence.empty()) sentence = "nothing travels";
  return head + ": " + sentence;
}

}  // namespace shardscope
