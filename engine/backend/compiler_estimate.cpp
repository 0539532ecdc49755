// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/compiler_estimate.h"

#include <algorithm>
#include <vector>

#include "engine/backend/counted_loop.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/ir/call_config.h"
#include "engine/program/memory/value_place.h"

namespace shardscope::inline backend {
namespace {

constexpr double kMostCycles = 1e15;  // of one kernel; more is no time
constexpr double kFastestClock = 1.8e9;

// The computations of a module call others, never themselves: each is added up once.
class Adder {
 public:
  explicit Adder(const Program& program) : program_(program), known_(program.computations.size()) {}

  double cycles(ComputationId id) {
    std::optional<double>& known = known_[static_cast<size_t>(id.value)];
    if (!known) {
      const Computation& c = program_.computation(id);
      double sum = 0;
      for (size_t k = 0; k < c.instructions.size(); ++k) sum += of(c, k);
      known = sum;
    }
    return *known;
  }

 private:
  double of(const Computation& c, size_t k) {
    const Instruction& i = c.instructions[k];
    const auto own = static_cast<double>(estimated_cycles(i));
    if (!has(i.opcode, Trait::part) || i.called.empty() || own > 0) return own;
    const auto loop = counted_loop(program_, c, k);
    const double rounds = static_cast<double>(known_trip_count(i).value_or(loop ? loop->rounds : 1));
    double sum = 0, longest = 0;
    for (const CalledComputation& called : i.called) {
      sum += cycles(called.computation);
      longest = std::max(longest, cycles(called.computation));
    }
    return value_place(i).lies == Lies::branched ? longest : rounds * sum;
  }

  const Program& program_;
  std::vector<std::optional<double>> known_;
};

}  // namespace

int64_t estimated_cycles(const Instruction& instruction) {
  const auto cycles = number_at(config_behind(instruction, "\"estimated_cycles\""));
  return cycles && *cycles < kMostCycles ? static_cast<int64_t>(*cycles) : 0;
}

std::optional<double> core_clock_hz(const Hardware& hardware) {
  const auto peak = hardware.compute.peak_flops_per_s.find(ElementType::bf16);
  const auto rows = static_cast<double>(hardware.compute.mxu_rows);
  if (rows <= 1 || peak == hardware.compute.peak_flops_per_s.end()) return std::nullopt;
  double clock = peak->second / (2 * rows * static_cast<double>(hardware.compute.mxu_cols));
  while (clock >= kFastestClock) clock /= 2;
  return clock;
}

std::optional<double> compiler_estimate_s(const Program& program, const Hardware& hardware) {
  const auto clock = core_clock_hz(hardware);
  if (!clock) return std::nullopt;
  const double cycles = Adder(program).cycles(program.entry);
  return cycles > 0 ? std::optional(cycles / *clock) : std::nullopt;
}

}  // namespace shardscope::inline backend
