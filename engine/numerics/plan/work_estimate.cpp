// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/plan/work_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/text.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline numerics {
namespace {

// Of two cores with AVX2, measured; a guess for others is as good as the question needs.
constexpr double kFlopsPerSecond = 40e9;
constexpr double kBytesPerSecond = 2e9;
constexpr double kPerInstruction = 1.5e-6;
constexpr double kPerStep = 3e-9;                // of a window or a sort
constexpr int64_t kInCaches = int64_t{8} << 20;  // bytes of arrays that take no longer for being wider

// Of a loop that goes on while it has not counted to a constant, and for nothing else; 1: what it waits for.
double rounds_of(const Program& program, const Instruction& loop) {
  if (const auto known = known_trip_count(loop)) return static_cast<double>(*known);
  int64_t most = 1;
  for (const CalledComputation& called : loop.called) {
    if (called.key != "condition") continue;
    const Computation& condition = program.computation(called.computation);
    const Instruction& test = condition.root_instruction();
    if (test.opcode != Opcode::compare) continue;
    for (const InstructionId side : test.operands)
      most = std::max(most, parse_int(*condition.at(side).literal).value_or(1));
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

// Steps that are taken for each element: over a window, and comparing when a dimension is sorted.
double steps_of(const Computation& c, const Instruction& i) {
  static const OpTable<char> kSorts({}, {{Opcode::sort, 1}});
  if (i.operands.empty()) return 0;
  const Shape& first = c.at(i.operands[0]).shape;
  const Shape& made = i.shape.is_tuple && !i.shape.elements->empty() ? (*i.shape.elements)[0] : i.shape;
  double each = 0;
  if (const Window* window = std::get_if<Window>(&*i.attributes); window && !first.is_tuple) {
    each = 1;
    for (const WindowDim& w : window->dims) each *= static_cast<double>(w.size);
  } else if (kSorts[i.opcode] != 0 && !first.is_tuple && !i.dimensions.empty()) {
    const auto d = static_cast<size_t>(i.dimensions.front());
    each = d < first.rank() ? std::log2(static_cast<double>(std::max<int64_t>(first.dims[d], 2))) : 0;
  }
  return each * static_cast<double>(made.element_count());
}

struct Counted {
  double most_rounds = HUGE_VAL;  // of a loop; 0: loops are left out
  bool arrays = true;             // their flops and bytes
  ComputedIn types = ComputedIn::own_types;
};

class WorkEstimate {
 public:
  WorkEstimate(const Program& program, Counted counted) : program_(program), counted_(counted) {}

  double of(const Computation& c) {
    if (const auto known = known_.find(&c); known != known_.end()) return known->second;
    double seconds = 0;
    for (const Instruction& i : c.instructions) seconds += kPerInstruction + of(c, i);
    return known_[&c] = seconds;
  }

 private:
  double of(const Computation& c, const Instruction& i) {
    if (has(i.opcode, Trait::part)) {
      if (i.opcode != Opcode::while_) return called(i);
      return counted_.most_rounds == 0 ? 0
                                       : std::min(rounds_of(program_, i), counted_.most_rounds) * called(i);
    }
    if (is_free(i) || !counted_.arrays) return 0;
    int64_t bytes = bytes_of(i.shape);
    for (const InstructionId operand : i.operands) bytes += bytes_of(c.at(operand).shape);
    return flops_of(c, i) / kFlopsPerSecond + static_cast<double>(bytes) / kBytesPerSecond +
           kPerStep * steps_of(c, i);
  }

  int64_t bytes_of(const Shape& shape) const {
    if (counted_.types == ComputedIn::own_types) return shape.bytes();
    if (!shape.is_tuple) {
      const int64_t bytes = shape.element_count() * bits(ElementType::f64) / 8;
      return bytes < kInCaches ? shape.bytes() : bytes;
    }
    int64_t bytes = 0;
    for (const Shape& element : shape.elements) bytes += bytes_of(element);
    return bytes;
  }

  double called(const Instruction& i) {
    double out = 0;
    for (const CalledComputation& each : i.called)
      out = std::max(out, of(program_.computation(each.computation)));
    return out;
  }

  const Program& program_;
  Counted counted_;
  std::map<const Computation*, double> known_;
};

double on_all_devices(const Program& program, double seconds) {
  return static_cast<double>(program.mesh.device_count()) * seconds;
}

}  // namespace

double seconds_to_compute(const Program& program, ComputedIn types) {
  return on_all_devices(program, seconds_on_one_device(program, types));
}

double seconds_on_one_device(const Program& program, ComputedIn types) {
  return WorkEstimate(program, {HUGE_VAL, true, types}).of(program.entry_computation());
}

double seconds_of_instructions(const Program& program, double most_rounds) {
  return on_all_devices(program, WorkEstimate(program, {most_rounds, false}).of(program.entry_computation()));
}

double seconds_of_round(const Program& program, const Instruction& loop) {
  WorkEstimate estimate(program, {0, true});
  double seconds = 0;
  for (const CalledComputation& each : loop.called)
    seconds += estimate.of(program.computation(each.computation));
  return on_all_devices(program, seconds);
}

}  // namespace shardscope::inline numerics
