// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "views/scene/story/collective_chunks.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/holdings_now.h"
#include "views/scene/story/step_transfers.h"

namespace shardscope {
namespace {

constexpr int32_t kMostAsked = 256;  // devices

// "Y: 3 of 4 partial sums" at `time`, "Y is complete" when every device has its part of it, nothing before
// the first product.
std::string product_state(const ViewInput& input, Picoseconds time) {
  const std::vector<BlockedArray> arrays = blocked_arrays(input.run.program);
  const HoldingsNow now = holdings_now(input, time);
  if (arrays.empty() || !now.exact) return "";
  const BlockedArray& y = arrays.back();
  if (y.info->role != ArrayRole::product) return "";
  int64_t least = INT64_MAX;
  int64_t most = 0;
  int64_t whole = 0;
  bool complete = true;
  for (size_t d = 0; d < now.devices.size(); ++d) {
    for (const HeldPiece& p : now.devices[d]) {
      if (p.array != ArrayRole::product || p.k_covered <= 0) continue;
      least = std::min(least, p.k_covered);
      most = std::max(most, p.k_covered);
      whole = p.k_whole;
    }
    const auto own = y.sharding.slices(DeviceId(static_cast<int64_t>(d)), y.info->dims);
    const BoxCover part = cover(now.devices[d], ArrayRole::product, own);
    complete = complete && part.area > 0.999 && part.k_covered >= part.k_whole;
  }
  if (whole == 0) return "";
  const int64_t parts = contraction_parts(arrays);
  if (complete && least >= whole) return y.letter + " is complete";
  if (most >= whole) return y.letter + ": first sums complete";
  return fmt::format("{}: {} partial sums", y.letter, partial_text(most, whole, parts));
}

// "multiplies (dot.3)", "converts (convert.2)": what devices compute in a step, and how many of them.
std::string computing(const ViewInput& input, const TraceSource::Step& step) {
  std::set<int32_t> instructions;
  std::set<int32_t> devices;
  const std::vector<Lane>& lanes = input.trace.lanes();
  const int32_t most = std::min(input.trace.devices(), kMostAsked);
  for (int32_t d = 0; d < most; ++d) {
    for (size_t l = 0; l < lanes.size(); ++l) {
      if (lanes[l].kind == LaneKind::link || lanes[l].kind == LaneKind::port) continue;
      const auto numbers = input.trace.events(DeviceId(d), static_cast<int>(l), step.range);
      if (!numbers.ok()) continue;
      for (const int32_t number : *numbers) {
        const auto e = find_event(input, number);
        if (!e || e->step != step.step || e->transfer_step != step.transfer_step ||
            e->start < step.range.start || e->end > step.range.end)
          continue;
        instructions.insert(e->instruction);
        devices.insert(d);
      }
    }
  }
  if (instructions.empty()) return "";
  std::vector<std::string> verbs;
  std::vector<std::string> names;
  for (const int32_t i : instructions) {
    const Instruction* found = find_instruction(input.run.program, i);
    const std::string verb = !found                               ? "works"
                             : found->opcode == Opcode::dot       ? "multiplies"
                             : found->opcode == Opcode::convert   ? "converts"
                             : found->opcode == Opcode::add       ? "adds"
                             : found->opcode == Opcode::copy      ? "copies"
                             : found->opcode == Opcode::transpose ? "transposes"
                                                                  : "computes";
    if (std::find(verbs.begin(), verbs.end(), verb) == verbs.end()) verbs.push_back(verb);
    names.push_back(instruction_name(input, i));
  }
  std::string what;
  for (size_t i = 0; i < verbs.size(); ++i) what += (i ? " and " : "") + verbs[i];
  std::string which = names.front();
  if (names.size() == 2) which += " and " + names.back();
  if (names.size() > 2) which += fmt::format(" and {} more", names.size() - 1);
  const bool every = static_cast<int32_t>(devices.size()) == most;
  const std::string who = every ? "every device" : "device " + device_name(input.run.mesh, *devices.begin());
  const std::string others =
      every || devices.size() == 1 ? "" : fmt::format(", {} others likewise", devices.size() - 1);
  return fmt::format("{} {} ({}){}", who, what, which, others);
}

// "(0,0) sends half of w0 to (0,1)", by the kind of the collective.
std::string sending(const ViewInput& input, const StepTransfers& step) {
  const Event& e = step.transfers.front();
  CarriedBlocks carried(input);
  const CarriedWords block = carried.of(e);
  const Instruction* found = find_instruction(input.run.program, e.instruction);
  const Opcode opcode = found ? found->opcode : Opcode::unknown;
  const std::string from = device_name(input.run.mesh, e.device);
  const std::string to = device_name(input.run.mesh, e.peer);
  const auto chunks = CollectiveChunks::make(input, e.instruction);
  std::string sentence;
  if (chunks && chunks->reduces()) {
    sentence = chunks->adds(e)
                   ? fmt::format("{} sends its sum of {} to {}, which adds its own", from, block.text, to)
                   : fmt::format("{} passes the finished sum of {} on to {}", from, block.text, to);
  } else if ((opcode == Opcode::all_gather && e.transfer_step > 0) ||
             (chunks && chunks->kind() == CollectiveKind::broadcast && e.device != block.owner)) {
    sentence = fmt::format("{} passes {} on to {}", from, block.text, to);
  } else if (block.array == ArrayRole::product) {
    sentence = fmt::format("{} sends its sum of {} to {}", from, block.text, to);
  } else {
    sentence = fmt::format("{} sends {} to {}", from, block.text, to);
  }
  std::string axes;
  if (found) {
    for (const std::string& axis : collective_axes(input.run.program, *found))
      axes += (axes.empty() ? "" : ",") + axis;
  }
  if (!axes.empty()) sentence += " over " + axes;
  if (step.transfers.size() > 1)
    sentence += fmt::format(", {} other transfers likewise", step.transfers.size() - 1);
  return sentence;
}

}  // namespace

std::string narrate(const ViewInput& input, int32_t place) {
  const std::optional<StepTransfers> step = step_transfers(input, place);
  if (!step) return "this program has no steps";
  std::string sentence = step->transfers.empty() ? computing(input, step->step) : sending(input, *step);
  if (sentence.empty()) sentence = "nothing travels";
  const auto steps = input.trace.steps();
  const bool last = steps.ok() && place + 1 >= std::ssize(*steps);
  const std::string state = product_state(input, last ? input.trace.total() : step->step.range.end);
  if (!state.empty()) sentence += "; " + state;
  return clock_name(input, place) + ": " + sentence;
}

}  // namespace shardscope
