// SPDX-License-Identifier: Apache-2.0
// Calls, loops and branches.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "engine/base/units.h"
#include "engine/numerics/plan/work_estimate.h"
#include "engine/numerics/rules/endless_loop.h"
#include "engine/numerics/rules/rules.h"
#include "engine/numerics/rules/transport.h"
#include "engine/program/analysis/talks.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline numerics {
namespace {

std::vector<const Computation*> branches_of(const Program& program, const Instruction& i) {
  std::vector<const Computation*> branches;
  for (const std::string_view key : {"true_computation", "false_computation"})
    if (const Computation* branch = called_computation(program, i, key)) branches.push_back(branch);
  for (const CalledComputation& called : i.called)
    if (called.key == "branch_computations") branches.push_back(&program.computation(called.computation));
  return branches;
}

// Ends a loop that has no end, or that takes more work than it may.
class LoopWatch {
 public:
  explicit LoopWatch(Step& step) : step_(step) {}

  Result<void> after_round(const Computation& condition, const Computation& body, const DeviceValues& state) {
    constexpr int64_t kRoundsOfAnyLoop = 16;
    if (++rounds_ < kRoundsOfAnyLoop) return {};
    if (!endless_) {
      endless_.emplace(step_.run.program, condition, body);
      if (std::isfinite(step_.run.most_loop_seconds))
        round_s_ = seconds_of_round(step_.run.program, step_.at());
    }
    const std::string where = "%" + step_.at().name;
    if (endless_->repeats(state))
      return too_big("the loop never ends: what its condition depends on comes back, seen after " +
                         group_digits(rounds_) + " rounds",
                     where, "say --check off to time it only");
    step_.run.loop_seconds += round_s_;
    if (step_.run.loop_seconds > step_.run.most_loop_seconds)
      return invalid("the loop has not ended after " + group_digits(rounds_) + " rounds", where,
                     "say --check full to wait for its end");
    return {};
  }

 private:
  Step& step_;
  double round_s_ = 0;
  int64_t rounds_ = 0;
  std::optional<EndlessLoop> endless_;
};

}  // namespace

Result<void> run_call(Step& step) {
  const Instruction& i = step.at();
  if (i.called.empty()) return cannot_run(i, " without a computation");
  std::vector<DeviceValues> arguments;
  for (const InstructionId operand : i.operands) arguments.push_back(step.frame.of(operand));
  const Computation& callee = step.run.program.computation(i.called.front().computation);
  TRY(step.results(), run_computation(step.run, callee, std::move(arguments)));
  return {};
}

Result<void> run_while(Step& step) {
  const Instruction& i = step.at();
  const Computation* body = called_computation(step.run.program, i, "body");
  const Computation* condition = called_computation(step.run.program, i, "condition");
  if (body == nullptr || condition == nullptr) return cannot_run(i, " without body and condition");
  std::vector<DeviceValues> state = {step.frame.of(i.operands.front())};
  LoopWatch watch(step);
  DeviceTransport* const transport = step.run.transport;
  const bool between =
      transport != nullptr && (talks(step.run.program, *body) || talks(step.run.program, *condition));
  for (;;) {
    TRY(const DeviceValues go_on, run_computation(step.run, *condition, state));
    const int64_t first = scalar_of(go_on.front());
    TRY(bool alike, between ? transport->agree(first) : Result<bool>(true));
    for (const DeviceValue& value : go_on) alike = alike && scalar_of(value) == first;
    if (!alike) return cannot_run(i, " whose condition differs between devices");
    if (first == 0) break;
    TRY(state.front(), run_computation(step.run, *body, std::vector<DeviceValues>(state)));
    TRY_VOID(watch.after_round(*condition, *body, state.front()));
  }
  step.results() = std::move(state.front());
  return {};
}

// Every branch that some device takes is executed once, on all devices; each keeps what its own branch gave.
Result<void> run_conditional(Step& step) {
  const Instruction& i = step.at();
  const std::vector<const Computation*> branches = branches_of(step.run.program, i);
  const Shape& selector = step.operand_shape(0);
  const bool by_truth = selector.type == ElementType::pred;
  if (branches.empty() || i.operands.size() != branches.size() + 1 || selector.is_tuple ||
      selector.rank() != 0 || (by_truth && branches.size() != 2))
    return invalid("conditional needs a scalar and one operand per branch", "%" + i.name);
  std::vector<size_t> taken(step.devices());
  for (size_t d = 0; d < step.devices(); ++d) {
    const int64_t value = scalar_of(step.operand(0, d));
    const auto last = static_cast<int64_t>(branches.size()) - 1;
    // Numbers outside of the branches take the last.
    taken[d] = static_cast<size_t>(by_truth                    ? (value != 0 ? 0 : 1)
                                   : value < 0 || value > last ? last
                                                               : value);
  }
  const std::set<size_t> used(taken.begin(), taken.end());
  DeviceTransport* const transport = step.run.transport;
  const bool between = transport != nullptr && std::ranges::any_of(branches, [&](const Computation* branch) {
                         return talks(step.run.program, *branch);
                       });
  const auto first = static_cast<int64_t>(taken.front());
  TRY(const bool alike, between ? transport->agree(first) : Result<bool>(true));
  for (const size_t branch : used) {
    if ((used.size() > 1 || !alike) && talks(step.run.program, *branches[branch]))
      return invalid("cannot run a conditional whose branches differ between devices and hold collectives",
                     "%" + i.name);
    TRY(const DeviceValues results,
        run_computation(step.run, *branches[branch], {step.frame.of(i.operands[branch + 1])}));
    for (size_t d = 0; d < step.devices(); ++d)
      if (taken[d] == branch) step.results()[d] = results[d];
  }
  return {};
}

Result<void> run_custom_call(Step& step) {
  const RunRule rule = call_rule(step.at());
  if (rule != nullptr) return rule(step);
  return cannot_run(step.at(), " of target \"" + custom_call_target(step.at()) + "\"");
}

}  // namespace shardscope::inline numerics
