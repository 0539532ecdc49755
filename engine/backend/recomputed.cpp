// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/recomputed.h"

#include <algorithm>
#include <vector>

#include "engine/backend/functions.h"
#include "engine/program/ir/op_table.h"
#include "engine/program/ir/opcode.h"

namespace shardscope::inline backend {
namespace {

constexpr int64_t kLongestRow = int64_t{1} << 16;  // elements that one block of threads keeps

size_t at(InstructionId id) {
  return static_cast<size_t>(id.value);
}

double count(const Shape& shape) {
  if (!shape.is_tuple) return static_cast<double>(shape.element_count());
  double most = 0;
  for (const Shape& element : *shape.elements) most = std::max(most, count(element));
  return most;
}

// Clock cycles of f32 on compute capability 9.0 that XLA's cost model for GPUs takes for operations
// (xla/service/gpu/model/hlo_op_profiles_data.h); three where it has no row, as for bf16.
double xla_gpu_weight(Opcode opcode, ElementType type) {
  constexpr double kNoRow = 3;
  static const OpTable<double> kCycles({}, {{Opcode::add, 7},
                                            {Opcode::atan2, 431},
                                            {Opcode::cbrt, 178},
                                            {Opcode::cosine, 978},
                                            {Opcode::divide, 19},
                                            {Opcode::exponential, 79},
                                            {Opcode::exponential_minus_one, 190},
                                            {Opcode::log, 166},
                                            {Opcode::log_plus_one, 229},
                                            {Opcode::power, 510},
                                            {Opcode::rsqrt, 75},
                                            {Opcode::sine, 958},
                                            {Opcode::sqrt, 75},
                                            {Opcode::subtract, 7},
                                            {Opcode::tanh, 467}});
  const double cycles = type == ElementType::f32 ? kCycles[opcode] : 0;
  return cycles > 0 ? cycles : kNoRow;
}

// Whether they are the last `n` dimensions.
bool are_last(const std::vector<int64_t>& dims, size_t rank) {
  for (size_t k = 0; k < dims.size(); ++k)
    if (dims[k] != static_cast<int64_t>(rank - dims.size() + k)) return false;
  return true;
}

class Evaluations {
 public:
  Evaluations(const Computation& fused, CompileAs as)
      : fused_(fused), as_(as), of_(fused.instructions.size(), 0) {
    of_[at(fused.root)] = count(fused.root_instruction().shape);
    for (size_t k = of_.size(); k-- > 0;) ask(fused.instructions[k], of_[k]);
  }

  double operations() const {
    double out = 0;
    for (size_t k = 0; k < of_.size(); ++k) {
      const Instruction& i = fused_.instructions[k];
      const OpClass kind = operation(i.opcode).kind;
      if (kind == OpClass::elementwise) out += of_[k] * weight_of(i.opcode, i.shape.type);
      if (kind == OpClass::reduction)
        out += of_[k] * share(i.operands[0], i) * weight_of(Opcode::add, i.shape.type);
    }
    return out;
  }

  double read_again(double fast_bytes) const {
    constexpr double kCloseBy = 20, kNear = 2.5;  // how much faster: within a processor, on the chip
    double out = 0;
    for (size_t k = 0; k < of_.size(); ++k) {
      const Instruction& i = fused_.instructions[k];
      if (i.opcode != Opcode::parameter || i.shape.is_tuple) continue;
      const auto once = static_cast<double>(i.shape.bytes());
      const double all = of_[k] / std::max(1.0, count(i.shape)) * once;
      const double speed = once < fast_bytes / 2 ? kCloseBy : once < fast_bytes ? kNear : 1;
      out += std::max(0.0, all - once) / speed;
    }
    return out;
  }

 private:
  const Shape& shape(InstructionId id) const { return fused_.at(id).shape; }
  double weight_of(Opcode opcode, ElementType type) const {
    return as_ == CompileAs::xla_gpu ? xla_gpu_weight(opcode, type) : function_of(opcode).operations;
  }
  // Elements of the operand for one of its reader.
  double share(InstructionId operand, const Instruction& reader) const {
    return count(shape(operand)) / std::max(1.0, count(reader.shape));
  }

  void ask(const Instruction& i, double times) {
    for (size_t which = 0; which < i.operands.size(); ++which) {
      double& of = of_[at(i.operands[which])];
      of = std::max(of, asked(i, which, times));
    }
  }

  double asked(const Instruction& i, size_t which, double times) const {
    const InstructionId operand = i.operands[which];
    switch (i.opcode) {
      case Opcode::tuple:
        return count(shape(operand));
      case Opcode::reduce:
        return which == 0 ? times * share(operand, i) : 1;
      case Opcode::broadcast:
        return is_row_by_row(i) ? times * share(operand, i) : times;
      case Opcode::concatenate:
      case Opcode::pad:
        return times * share(operand, i);
      case Opcode::dynamic_update_slice:
        return which == 1 ? times * share(operand, i) : times;
      default:
        return times;
    }
  }

  // Whether it spreads along whole rows what was reduced along them.
  bool is_row_by_row(const Instruction& broadcast) const {
    const size_t rank = broadcast.shape.rank();
    std::vector<int64_t> added;
    for (size_t d = 0; d < rank; ++d)
      if (std::ranges::find(*broadcast.dimensions, static_cast<int64_t>(d)) == broadcast.dimensions->end())
        added.push_back(static_cast<int64_t>(d));
    if (added.empty() || !are_last(added, rank)) return false;
    const double rows = count(shape(broadcast.operands[0]));
    const double all = count(broadcast.shape);
    if (rows == 0 || all / rows > static_cast<double>(kLongestRow)) return false;
    return reduces_rows(broadcast.operands[0], rows, all);
  }

  // Each value is looked at once, however often it is read.
  bool reduces_rows(InstructionId first, double rows, double all) const {
    std::vector<InstructionId> open{first};
    std::vector<bool> seen(of_.size(), false);
    while (!open.empty()) {
      const Instruction& i = fused_.at(open.back());
      open.pop_back();
      if (i.opcode == Opcode::reduce && count(shape(i.operands[0])) == all &&
          are_last(*i.dimensions, shape(i.operands[0]).rank()))
        return true;
      const Operation& of = operation(i.opcode);
      // JAX keeps the dimension that it reduced, as one of size 1.
      const bool adds_ones = i.opcode == Opcode::broadcast && count(shape(i.operands[0])) == rows;
      // And where it differentiates reduces dimensions of size 1.
      const bool drops_ones = i.opcode == Opcode::reduce && count(shape(i.operands[0])) == rows;
      if (of.kind != OpClass::elementwise && !has(i.opcode, Trait::same_order) && !adds_ones && !drops_ones)
        continue;
      for (const InstructionId operand : i.operands) {
        if (seen[at(operand)] || count(shape(operand)) != rows) continue;
        seen[at(operand)] = true;
        open.push_back(operand);
      }
    }
    return false;
  }

  const Computation& fused_;
  CompileAs as_;
  std::vector<double> of_;
};

}  // namespace

double recomputed_operations(const Computation& fused, CompileAs as) {
  return Evaluations(fused, as).operations();
}

WeighedOnGpu weighed_on_gpu(const Computation& fused, double fast_bytes) {
  const Evaluations made(fused, CompileAs::xla_gpu);
  return {made.operations(), made.read_again(fast_bytes)};
}

}  // namespace shardscope::inline backend
