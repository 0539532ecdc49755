// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/work_estimate.h"

#include <algorithm>
#include <map>

#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/local_work.h"

namespace shardscope {
namespace {

// Of two cores with AVX2, measured; a guess for others is as good as the question needs.
constexpr double kFlopsPerSecond = 40e9;
constexpr double kBytesPerSecond = 2e9;
constexpr double kPerInstruction = 1.5e-6;

// Of a loop that counts up to a constant.
double rounds_of(const Program& program, const Instruction& loop) {
  if (const auto known = known_trip_count(loop)) return static_cast<double>(*known);
  int64_t most = 1;
  for (const CalledComputation& called : loop.called) {
    if (called.key != "condition") continue;
    for (const Instruction& i : program.computation(called.computation).instructions)
      if (i.opcode == Opcode::constant && i.shape.rank() == 0)
        most = std::max(most, parse_int(*i.literal).value_or(1));
  }
  return static_cast<double>(most);
}

// Of a product, or of the products that a library is called for.
double flops_of(const Computation& c, const Instruction& i) {
  if (i.opcode != Opcode::custom_call) return dot_flops(c, i);
  const LocalWork work = called_work(c, i);
  double out = work.flops;
  for (const LocalProduct& product : work.products)
    out += 2.0 * static_cast<double>(product.size.batch * product.size.m) *
           static_cast<double>(product.size.n * product.size.k);
  return out;
}

class WorkEstimate {
 public:
  WorkEstimate(const Program& program, bool loops) : program_(program), loops_(loops) {}

  double of(const Computation& c) {
    if (const auto known = known_.find(&c); known != known_.end()) return known->second;
    double seconds = 0;
    for (const Instruction& i : c.instructions) seconds += kPerInstruction + of(c, i);
    return known_[&c] = seconds;
  }

 private:
  double of(const Computation& c, const Instruction& i) {
    switch (i.opcode) {
      case Opcode::while_:
        return loops_ ? rounds_of(program_, i) * called(i) : 0;
      case Opcode::call:
      case Opcode::fusion:
      case Opcode::conditional:
        return called(i);
      default:
        break;
    }
    if (is_free(i)) return 0;
    int64_t bytes = i.shape.bytes();
    for (const InstructionId operand : i.operands) bytes += c.at(operand).shape.bytes();
    return flops_of(c, i) / kFlopsPerSecond + static_cast<double>(bytes) / kBytesPerSecond;
  }

  double called(const Instruction& i) {
    double out = 0;
    for (const CalledComputation& each : i.called)
      out = std::max(out, of(program_.computation(each.computation)));
    return out;
  }

  const Program& program_;
  bool loops_;
  std::map<const Computation*, double> known_;
};

}  // namespace

double seconds_to_compute(const Program& program) {
  return static_cast<double>(program.mesh.device_count()) *
         WorkEstimate(program, true).of(program.entry_computation());
}

double seconds_of_round(const Program& program, const Instruction& loop) {
  WorkEstimate estimate(program, false);
  double seconds = 0;
  for (const CalledComputation& each : loop.called)
    seconds += estimate.of(program.computation(each.computation));
  return static_cast<double>(program.mesh.device_count()) * seconds;
}

}  // namespace shardscope
