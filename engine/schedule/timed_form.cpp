// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/timed_form.h"

#include <algorithm>

#include "engine/program/analysis/written_out.h"
#include "engine/schedule/work_costs.h"

namespace shardscope {
namespace {

// Of one instruction after the other, what is called once each; collectives by their bytes on a link.
double seconds_of(const Program& program, const Computation& computation, const Hardware& hardware) {
  double seconds = 0;
  for (const Instruction& i : computation.instructions) {
    const CostClass kind = operation(i.opcode).cost;
    const auto cost = instruction_cost({computation, i, hardware});
    if (cost.ok()) seconds += to_seconds(cost->cost.total());
    if (kind == CostClass::link && hardware.link.bytes_per_s)
      seconds += static_cast<double>(i.shape.bytes()) / *hardware.link.bytes_per_s;
    if (kind != CostClass::called) continue;
    for (const CalledComputation& c : i.called)
      seconds += seconds_of(program, program.computation(c.computation), hardware);
  }
  return seconds;
}

bool has_fusions(const Program& program) {
  return std::ranges::any_of(program.computations, [](const Computation& c) {
    return std::ranges::any_of(c.instructions,
                               [](const Instruction& i) { return i.opcode == Opcode::fusion; });
  });
}

}  // namespace

Result<TimedForm> timed_form(const Program& program, const Hardware& hardware) {
  if (!has_parts(program)) return TimedForm{program, {}};
  WorstBranches worst{[&](const Computation& branch) { return seconds_of(program, branch, hardware); }};
  TRY(Program flat, written_out(program, &worst));
  TimedForm out{std::move(flat), std::move(worst.assumptions)};
  if (has_fusions(program)) out.assumptions.push_back("fusions are timed instruction by instruction");
  return out;
}

}  // namespace shardscope
