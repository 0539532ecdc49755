// SPDX-License-Identifier: Apache-2.0
#include "engine/run/local_cost.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/program/registered.h"

namespace shardscope::inline run {
namespace {

// Seconds of a product in a kernel of several.
Result<double> product_seconds(const LocalWork& work, const Hardware& hardware, const Peak& peak,
                               const ProductSize& size, double padded) {
  if (work.attention)
    if (const WorkRate* row = work_rate(hardware, "attention"); row != nullptr && row->efficiency)
      return padded / (peak.flops_per_s * *row->efficiency);
  const ProductTiles* row = product_tiles(hardware, peak.type);
  if (row == nullptr) return padded / compute_rate(hardware, peak);
  TRY_VOID(memory_rate(hardware));
  return fastest_tiles(hardware, *row, peak, size, 0).compute_s;
}

double launch_seconds(const LocalWork& work, const Hardware& hardware) {
  if (work.products.empty() && work.flops == 0) return hardware.compute.elementwise_launch_s;
  if (work.attention)
    if (const WorkRate* row = work_rate(hardware, "attention")) return row->launch_s;
  if (!work.products.empty())
    if (const Result<Peak> peak = peak_for(hardware, work.products.back().type); peak.ok())
      if (const ProductTiles* row = product_tiles(hardware, peak->type)) return row->launch_s;
  return hardware.compute.launch_overhead_s;
}

Result<LocalCost> cost_of(const LocalWork& work, ElementType type, const Hardware& hardware) {
  LocalCost out;
  out.bytes = work.bytes;
  out.operations = work.operations;
  out.flops = out.padded_flops = work.flops;
  out.assumptions = work.assumptions;
  double seconds = 0;
  for (const LocalProduct& product : work.products) {
    const auto& [batch, m, n, k] = product.size;
    // A product of complex numbers is four real ones.
    const ProductSize size{batch * (is_complex(product.type) ? 4 : 1), m, k, n};
    TRY(const Peak peak, peak_for(hardware, product.type));
    if (!peak.assumption.empty()) out.assumptions.push_back(peak.assumption);
    const double padded = padded_flops(hardware, size);
    TRY(const double own, product_seconds(work, hardware, peak, size, padded));
    seconds += own;
    out.padded_flops += padded;
    out.flops += 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(k) *
                 static_cast<double>(n);
  }
  if (work.flops > 0) {
    TRY(const Peak peak, peak_for(hardware, type));
    if (!peak.assumption.empty()) out.assumptions.push_back(peak.assumption);
    seconds += work.flops / compute_rate(hardware, peak);
  }
  out.products = to_picoseconds(seconds);
  TRY(out.memory, memory_time(hardware, work.bytes));
  if (hardware.compute.vector_flops_per_s)
    out.vectors = to_picoseconds(work.operations / *hardware.compute.vector_flops_per_s);
  const Picoseconds compute = std::max(out.products, out.vectors);
  (compute >= out.memory ? out.cost.compute : out.cost.memory) = std::max(compute, out.memory);
  out.cost.overhead = to_picoseconds(launch_seconds(work, hardware));
  return out;
}

// An operation that says what it takes takes that, instead of what its computation does.
LocalWork kernel_work(const Program& program, const Computation& caller, const Instruction& fusion) {
  LocalWork out = fused_work(program, caller, fusion);
  if (!is_operation(fusion)) return out;
  const auto [flops, bytes] = operation_cost(fusion);
  if (bytes) out.bytes = static_cast<int64_t>(*bytes);
  if (!flops) return out;
  out.products.clear();
  out.operations = 0;
  out.flops = *flops;
  return out;
}

// What its flops are of.
ElementType type_of(const Computation& caller, const Instruction& i) {
  for (const InstructionId operand : i.operands)
    if (!caller.at(operand).shape.is_tuple) return caller.at(operand).shape.type;
  return i.shape.is_tuple ? ElementType::f32 : i.shape.type;
}

}  // namespace

Result<LocalCost> local_cost(const Program& program, const Computation& caller,
                             const Instruction& instruction, const Hardware& hardware,
                             const ModuleTiming& timing) {
  const ElementType type = type_of(caller, instruction);
  if (instruction.opcode == Opcode::fusion)
    return cost_of(kernel_work(program, caller, instruction), type, hardware);
  const CustomCallCost* said = find_custom_call(timing, instruction);
  if (said == nullptr) return cost_of(called_work(caller, instruction), type, hardware);
  LocalWork work;
  work.flops = said->flops;
  work.bytes = said->bytes;
  TRY(LocalCost out, cost_of(work, type, hardware));
  out.said = true;
  if (!said->seconds) return out;
  out.cost = {};
  out.cost.compute = to_picoseconds(*said->seconds);
  out.assumptions.clear();
  return out;
}

}  // namespace shardscope::inline run
