// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/cut_down.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardscope::kernels {
namespace {

// Which of its starter's DMAs each one is.
class Starts {
 public:
  void follow(const Machine& machine) {
    while (std::ssize(moves_) < machine.dma_count()) {
      const int32_t device = machine.dma(static_cast<int32_t>(moves_.size())).source_device;
      const int32_t nth = started_[device]++;
      numbers_[{device, nth}] = static_cast<int32_t>(moves_.size());
      moves_.emplace_back(device, nth);
    }
  }
  Move move_of(const Action& action) const {
    if (action.kind == Action::Kind::device) return {action.kind, action.index, 0};
    const auto& [device, nth] = moves_[static_cast<size_t>(action.index)];
    return {action.kind, device, nth};
  }
  std::optional<Action> action_of(const Move& move) const {
    if (move.kind == Action::Kind::device) return Action{move.kind, move.device};
    const auto number = numbers_.find({move.device, move.nth});
    if (number == numbers_.end()) return std::nullopt;
    return Action{move.kind, number->second};
  }

 private:
  std::vector<std::pair<int32_t, int32_t>> moves_;
  std::map<int32_t, int32_t> started_;
  std::map<std::pair<int32_t, int32_t>, int32_t> numbers_;
};

const KernelFinding* found(const std::vector<KernelFinding>& findings, FindingKind kind) {
  const auto it = std::ranges::find(findings, kind, &KernelFinding::kind);
  return it == findings.end() ? nullptr : &*it;
}

}  // namespace

std::optional<Failure> fails(const Judged& judged, const Moves& moves, FindingKind kind) {
  Machine machine(judged.program, judged.inputs);
  Starts starts;
  Failure out;
  std::vector<Action> enabled;
  for (const Move& move : moves) {
    const std::optional<Action> action = starts.action_of(move);
    if (!action) continue;
    machine.enabled(enabled);
    if (std::ranges::find(enabled, *action) == enabled.end()) continue;
    machine.apply(*action);
    starts.follow(machine);
    out.moves.push_back(move);
    out.choices.push_back(*action);
    if (const KernelFinding* finding = found(machine.findings(), kind)) {
      out.finding = *finding;
      return out;
    }
  }
  machine.enabled(enabled);
  if (!enabled.empty()) return std::nullopt;
  machine.finish();
  std::vector<KernelFinding> wrong;
  const KernelFinding* finding = found(machine.findings(), kind);
  if (finding == nullptr && machine.complete() && judged.inputs != nullptr) {
    wrong = judge_outputs(judged.program, machine, judged.expected);
    finding = found(wrong, kind);
  }
  if (finding == nullptr) return std::nullopt;
  out.finding = *finding;
  return out;
}

Moves moves_of(const KernelProgram& program, const std::vector<Action>& choices) {
  Machine machine(program, nullptr);
  Starts starts;
  Moves out;
  for (const Action& action : choices) {
    out.push_back(starts.move_of(action));
    machine.apply(action);
    starts.follow(machine);
  }
  return out;
}

// Leaves out ever smaller parts, as long as what is left fails still.
Result<Failure> cut_down(const Judged& judged, Failure failure, FindingKind kind, int64_t& replays,
                         const std::stop_token& stop) {
  for (size_t part = failure.moves.size() / 2; part >= 1;) {
    bool shorter = false;
    for (size_t end = failure.moves.size(); end > 0 && replays > 0; end -= std::min(end, part)) {
      if (stop.stop_requested()) return cancelled();
      if (end > failure.moves.size()) continue;
      Moves left = failure.moves;
      left.erase(left.begin() + static_cast<ptrdiff_t>(end - std::min(end, part)),
                 left.begin() + static_cast<ptrdiff_t>(end));
      --replays;
      if (auto still = fails(judged, left, kind)) {
        failure = *std::move(still);
        shorter = true;
      }
    }
    if (!shorter || replays == 0) part /= 2;
  }
  return failure;
}

}  // namespace shardscope::kernels
