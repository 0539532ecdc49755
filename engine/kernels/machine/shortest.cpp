// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/machine/shortest.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardscope::kernels {
namespace {

// An action under a name that stays when others are left out: a DMA is its starter's n-th, for numbers run
// over the starts of all devices.
struct Move {
  Action::Kind kind = Action::Kind::device;
  int32_t device = 0, nth = 0;
  bool operator==(const Move&) const = default;
};
using Moves = std::vector<Move>;

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

const KernelFinding* found(const Machine& machine, FindingKind kind) {
  const auto it = std::ranges::find(machine.findings(), kind, &KernelFinding::kind);
  return it == machine.findings().end() ? nullptr : &*it;
}

struct Failure {
  Moves moves;
  std::vector<Action> choices;
  KernelFinding finding;
};

// Those of `moves` that can be done, in order, until `kind` is found. Nothing: it is not.
std::optional<Failure> replay(const KernelProgram& program, const Moves& moves, FindingKind kind) {
  Machine machine(program, nullptr);
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
    if (const KernelFinding* finding = found(machine, kind)) {
      out.finding = *finding;
      return out;
    }
  }
  return std::nullopt;
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
Result<Failure> cut_down(const KernelProgram& program, Failure failure, FindingKind kind, int64_t& replays,
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
      if (auto still = replay(program, left, kind)) {
        failure = *std::move(still);
        shorter = true;
      }
    }
    if (!shorter || replays == 0) part /= 2;
  }
  return failure;
}

const KernelFinding* broken_by(const Outcome& outcome, const std::optional<FindingKind>& kind) {
  for (const KernelFinding& finding : outcome.findings)
    if ((kind ? finding.kind == *kind : breaks(finding.kind)) && finding.step < outcome.steps)
      return &finding;
  return nullptr;
}

}  // namespace

bool breaks(FindingKind kind) {
  return kind == FindingKind::uninitialised_read || kind == FindingKind::out_of_bounds;
}

Result<std::optional<ShortestSchedule>> find_shortest(const KernelProgram& program,
                                                      const ShortestOptions& options,
                                                      const std::stop_token& stop) {
  std::optional<ShortestSchedule> out;
  int64_t replays = options.replays, failures = 0;
  for (int64_t seed = 0; seed < options.schedules && failures < options.failures; ++seed) {
    if (stop.stop_requested()) return cancelled();
    const Schedule schedule = schedule_of(static_cast<uint64_t>(seed));
    const Outcome outcome = run_schedule(program, nullptr, nullptr, schedule);
    const KernelFinding* finding = broken_by(outcome, out ? out->finding.kind : options.of);
    if (finding == nullptr) continue;
    const FindingKind kind = finding->kind;
    std::optional<Failure> failure = replay(program, moves_of(program, outcome.choices), kind);
    if (!failure) continue;  // of the program itself, not of a step
    ++failures;
    if (!out)
      out = ShortestSchedule{schedule.seed, outcome.steps, std::ssize(failure->choices), failure->choices,
                             failure->finding};
    TRY(const Failure cut, cut_down(program, *std::move(failure), kind, replays, stop));
    if (cut.choices.size() < out->choices.size()) {
      out->choices = cut.choices;
      out->finding = cut.finding;
    }
  }
  return out;
}

}  // namespace shardscope::kernels
