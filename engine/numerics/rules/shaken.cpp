// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/rules/shaken.h"

#include <bit>
#include <cmath>

#include "engine/base/hash.h"
#include "engine/numerics/rules/convert.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline numerics {
namespace {

constexpr uint64_t kLastBits = (uint64_t{1} << 20) - 1;  // of the mantissa, 0 in short numbers

// Whether what it makes is rounded, and not one of its operands' elements.
bool rounds(const Step& step) {
  static const OpTable<char> kRounds({{OpClass::elementwise, 1}}, {{Opcode::convert, 0},
                                                                   {Opcode::compare, 0},
                                                                   {Opcode::select, 0},
                                                                   {Opcode::maximum, 0},
                                                                   {Opcode::minimum, 0},
                                                                   {Opcode::clamp, 0},
                                                                   {Opcode::negate, 0},
                                                                   {Opcode::abs, 0},
                                                                   {Opcode::dot, 1},
                                                                   {Opcode::ragged_dot, 1},
                                                                   {Opcode::convolution, 1}});
  const Instruction& i = step.at();
  if (kRounds[i.opcode] != 0) return true;
  if (called_computation(step.run.program, i, "to_apply") == nullptr || has(i.opcode, Trait::part))
    return false;
  const auto reducer = reducer_of(step.run.program, i);
  return reducer.ok() && kRounds[*reducer] != 0;
}

}  // namespace

double shaken(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  if (!std::isfinite(value) || (bits & kLastBits) == 0) return value;
  return std::nextafter(value, mixed_bits(bits) % 2 == 0 ? HUGE_VAL : -HUGE_VAL);
}

Result<void> shake(Step& executed) {
  const Shape& shape = executed.at().shape;
  const bool is_complex = shape.type == ElementType::c128;
  if (shape.is_tuple || (shape.type != ElementType::f64 && !is_complex) || !rounds(executed)) return {};
  const std::vector<ViewPtr> made = executed.plain(executed.result_views());
  std::vector<Array> out = executed.new_arrays();
  const int64_t parts = is_complex ? 2 : 1;
  for_stretches(out.size(), shape.element_count(), executed.run.workers, executed.run.stop,
                [&](size_t d, int64_t first, int64_t count) {
                  const auto* from = reinterpret_cast<const double*>(made[d]->data()) + first * parts;
                  auto* to = reinterpret_cast<double*>(out[d].mutable_data()) + first * parts;
                  for (int64_t e = 0; e < count * parts; ++e) to[e] = shaken(from[e]);
                });
  executed.give(out);
  return {};
}

}  // namespace shardscope::inline numerics
