// SPDX-License-Identifier: Apache-2.0
#include "engine/run/local_cost.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/program/analysis/analysis.h"
#include "engine/program/registered.h"
#include "engine/program/text/library_convolution.h"

namespace shardscope::inline run {
namespace {

// The row of the chip that times work without products: kernels of several operations.
const WorkRate* fused_rate(const LocalWork& work, const Hardware& hardware) {
  if (work.keeps_rows)
    if (const WorkRate* rows = work_rate(hardware, "fused-rows")) return rows;
  return work_rate(hardware, "fused");
}

struct ProductTime {
  double compute_s = 0, memory_s = 0;  // memory: 0 where it is timed with the rest of the kernel
};

// Of a product in a kernel; a kernel of one product reads and writes as a library's does.
Result<ProductTime> product_time(const LocalWork& work, const Hardware& hardware, const Peak& peak,
                                 const ProductSize& size, double padded) {
  if (work.attention)
    if (const WorkRate* row = work_rate(hardware, "attention"); row != nullptr && row->efficiency)
      return ProductTime{padded / (peak.flops_per_s * *row->efficiency), 0};
  const ProductTiles* row = product_tiles(hardware, peak.type);
  if (row == nullptr) return ProductTime{padded / compute_rate(hardware, peak), 0};
  TRY_VOID(memory_rate(hardware));
  const bool alone = work.products.size() == 1 && !work.attention;
  const TileChoice choice = fastest_tiles(hardware, *row, peak, size, alone ? work.bytes : 0);
  return ProductTime{choice.compute_s, alone ? choice.memory_s : 0};
}

double launch_seconds(const LocalWork& work, const Hardware& hardware) {
  if (work.products.empty() && work.flops == 0) {
    const WorkRate* row = fused_rate(work, hardware);
    return row != nullptr ? row->launch_s : hardware.compute.elementwise_launch_s;
  }
  if (work.attention)
    if (const WorkRate* row = work_rate(hardware, "attention")) return row->launch_s;
  const double scratch = work.scratch ? hardware.programs.scratch_s : 0;
  if (!work.products.empty())
    if (const Result<Peak> peak = peak_for(hardware, work.products.back().how); peak.ok())
      if (const ProductTiles* row = product_tiles(hardware, peak->type)) return scratch + row->launch_s;
  return scratch + hardware.compute.launch_overhead_s;
}

Result<void> time_traffic(const LocalWork& work, const Hardware& hardware, LocalCost& out) {
  TRY(out.memory, memory_time(hardware, work.bytes));
  TRY(out.bytes_per_s, memory_rate(hardware));
  out.rate_key = "memory.hbm_bytes_per_s";
  const WorkRate* row = work.products.empty() && work.flops == 0 ? fused_rate(work, hardware) : nullptr;
  if (row == nullptr) return {};
  out.rate_key = "work." + row->kind;
  out.bytes_per_s = *hardware.memory.hbm_bytes_per_s * row->hbm_efficiency;
  out.memory = to_picoseconds(static_cast<double>(work.bytes) / out.bytes_per_s);
  return {};
}

// What its products take together; their flops go into `out`.
Result<ProductTime> time_products(const LocalWork& work, const Hardware& hardware, LocalCost& out) {
  ProductTime all;
  for (const LocalProduct& product : work.products) {
    const auto& [batch, m, n, k] = product.size;
    TRY(const Peak peak, peak_for(hardware, product.how));
    const ProductSize once{batch, m, k, n}, size = in_passes(once, peak.passes);
    if (!peak.assumption.empty()) out.assumptions.push_back(peak.assumption);
    const double padded = padded_flops(hardware, size);
    out.draws_power = out.draws_power || draws_power(peak.type);
    TRY(const ProductTime own, product_time(work, hardware, peak, size, padded));
    all.compute_s += own.compute_s;
    all.memory_s = std::max(all.memory_s, own.memory_s);
    out.padded_flops += padded_flops(hardware, once);
    out.flops += 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(k) *
                 static_cast<double>(n);
  }
  return all;
}

Result<LocalCost> cost_of(const LocalWork& work, ElementType type, const Hardware& hardware) {
  LocalCost out;
  out.bytes = work.bytes;
  out.operations = work.operations;
  out.flops = out.padded_flops = work.flops;
  out.assumptions = work.assumptions;
  TRY(ProductTime products, time_products(work, hardware, out));
  if (work.flops > 0) {
    TRY(const Peak peak, peak_for(hardware, type));
    if (!peak.assumption.empty()) out.assumptions.push_back(peak.assumption);
    products.compute_s += work.flops / compute_rate(hardware, peak);
  }
  out.products = to_picoseconds(products.compute_s);
  TRY_VOID(time_traffic(work, hardware, out));
  if (products.memory_s > 0) {
    out.memory = to_picoseconds(products.memory_s);
    out.bytes_per_s = static_cast<double>(work.bytes) / products.memory_s;
    TRY(const Peak peak, peak_for(hardware, work.products.front().how));
    const ProductTiles* row = product_tiles(hardware, peak.type);
    out.rate_key = fmt::format("product.{}", name(row != nullptr ? row->types.front() : peak.type));
  }
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

// A call of cuDNN: what it reads and writes beside its scratch memory, and the product that it is.
LocalWork convolution_work(const Computation& caller, const Instruction& call,
                           const Instruction& convolution) {
  LocalWork out;
  out.bytes = convolution.shape.bytes();
  for (const InstructionId operand : call.operands) out.bytes += caller.at(operand).shape.bytes();
  out.products = {{dot_size(caller, convolution), multiplied_by_library(caller, call)}};
  out.assumptions.emplace_back(kConvolutionAsProduct);
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
  if (said == nullptr)
    if (const auto convolution = library_convolution(caller, instruction))
      return cost_of(convolution_work(caller, instruction, *convolution), type, hardware);
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
