// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/kernel.h"

#include <algorithm>
#include <optional>

#include "engine/backend/compile_as.h"
#include "engine/backend/recomputed.h"
#include "engine/hardware/cost.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/analysis/local_work.h"
#include "engine/program/ir/op_table.h"

namespace shardscope::inline backend {
namespace {

// Of a chip that publishes no rate of its vector units: the order of what accelerators reach. On GPUs
// products of f32 are done by them, an addition and a multiplication at once.
constexpr double kUsualOperations = 1e13;

// XLA's cost model for GPUs (xla/service/gpu/model/gpu_performance_model_base.h): what a launch takes, how
// much of computing is hidden behind reading or the other way round, operations a cycle.
constexpr double kXlaGpuLaunch = 1e-6, kXlaGpuOverlap = 0.95, kOperationsACycle = 2;
// What one block of threads reads in a second: 32 bytes a cycle of an H200, which stands for all.
constexpr double kBytesABlock = 32 * 1.98e9;
// That compute at once: an H200's 132 processors of 128, which stand for all.
constexpr double kThreads = 132 * 128;

bool is_array(const Shape& shape) {
  return !shape.is_tuple && shape.rank() > 0;
}

double operations_per_s(const Hardware& hardware) {
  if (hardware.compute.vector_flops_per_s) return *hardware.compute.vector_flops_per_s;
  const auto f32 = hardware.compute.peak_flops_per_s.find(ElementType::f32);
  const bool by_vectors = compiler_of(hardware) == CompileAs::xla_gpu;
  return by_vectors && f32 != hardware.compute.peak_flops_per_s.end() ? f32->second / 2 : kUsualOperations;
}

// Of a slice: whether its elements follow one another in the array.
bool lies_together(const Computation& computation, const Instruction& slice) {
  const Shape& of = computation.at(slice.operands[0]).shape;
  bool cut = false;
  for (size_t d = 0; d < of.rank(); ++d) {
    if (slice.slice[d].stride != 1 || (cut && slice.shape.dims[d] != of.dims[d])) return false;
    cut = cut || slice.shape.dims[d] > 1;
  }
  return true;
}

Instruction parameter(const Instruction& of, int64_t number) {
  Instruction out;
  out.name = of.name;
  out.opcode = Opcode::parameter;
  out.shape = of.shape;
  out.parameter_number = number;
  return out;
}

// How many blocks of threads a kernel has that reduces columns, 32 of which each sums; none: enough of them.
std::optional<double> blocks_of_columns(const Computation& fused) {
  constexpr double kColumns = 32;
  const Instruction& root = fused.root_instruction();
  const Instruction& sum = root.shape.is_tuple ? fused.at(root.operands.front()) : root;
  if (sum.opcode != Opcode::reduce || sum.shape.is_tuple) return std::nullopt;
  const size_t rank = fused.at(sum.operands[0]).shape.rank();
  const bool rows =
      std::ranges::find(*sum.dimensions, static_cast<int64_t>(rank) - 1) != sum.dimensions->end();
  if (rows) return std::nullopt;
  return std::max(1.0, static_cast<double>(sum.shape.element_count()) / kColumns);
}

int64_t most_elements(const Computation& fused) {
  int64_t out = 1;
  for (const Instruction& i : fused.instructions)
    if (i.opcode != Opcode::parameter && !i.shape.is_tuple) out = std::max(out, i.shape.element_count());
  return out;
}

// Triton's kernels, which go through rows that they keep.
bool uses_its_sums(const Computation& fused) {
  return std::ranges::any_of(fused.instructions, [&](const Instruction& i) {
    return std::ranges::any_of(i.operands, [&](InstructionId id) {
      return operation(fused.at(id).opcode).kind == OpClass::reduction && !i.shape.is_tuple;
    });
  });
}

bool makes_array(const Instruction& i) {
  return is_array(i.shape);
}
bool makes_number(const Instruction& i) {
  return i.shape.rank() == 0;
}
bool reads_one_array(const Instruction& i) {
  return i.operands.size() == 2;
}

bool always_view(const Computation&, const Instruction&) {
  return true;
}
bool spreads_in_order(const Computation& computation, const Instruction& i) {
  const Shape& of = computation.at(i.operands[0]).shape;
  return of.rank() == 0 ||
         (of.element_count() == i.shape.element_count() && std::ranges::is_sorted(*i.dimensions));
}

// Whether XLA computes it while it compiles: a few numbers of nothing but constants.
bool is_folded(const Computation& computation, const Instruction& i, int depth = 0) {
  constexpr int kDeepest = 16;
  constexpr int64_t kMostNumbers = 64;
  if (i.opcode == Opcode::constant) return true;
  const OpClass kind = operation(i.opcode).kind;
  if (kind != OpClass::elementwise && kind != OpClass::movement) return false;
  if (depth == kDeepest || i.shape.is_tuple || i.shape.element_count() > kMostNumbers || i.operands.empty())
    return false;
  return std::ranges::all_of(i.operands, [&](InstructionId operand) {
    return is_folded(computation, computation.at(operand), depth + 1);
  });
}

}  // namespace

bool is_fusible(const Instruction& i) {
  static const OpTable<bool (*)(const Instruction&)> rules(
      {{OpClass::elementwise, &makes_array}, {OpClass::movement, &makes_array}},
      {{Opcode::constant, &makes_number},
       {Opcode::iota, &makes_array},
       {Opcode::gather, &makes_array},
       {Opcode::reduce, &reads_one_array},
       {Opcode::copy, nullptr},  // a copy engine's
       {Opcode::copy_start, nullptr},
       {Opcode::copy_done, nullptr}});
  if (!i.control_predecessors.empty() || i.shape.is_tuple) return false;
  const auto rule = rules[i.opcode];
  return rule != nullptr && rule(i);
}

bool is_view_alone(const Computation& computation, const Instruction& i) {
  static const OpTable<bool (*)(const Computation&, const Instruction&)> rules(
      {}, {{Opcode::constant, &always_view},
           {Opcode::iota, &always_view},
           {Opcode::bitcast, &always_view},
           {Opcode::reshape, &always_view},
           {Opcode::slice, &always_view},
           {Opcode::dynamic_slice, &always_view},
           {Opcode::broadcast, &spreads_in_order}});
  const auto rule = rules[i.opcode];
  return rule != nullptr && rule(computation, i);
}

Kernel kernel_of(const Computation& computation, std::vector<int32_t> members, std::vector<int32_t> roots) {
  Kernel out{std::move(members), std::move(roots), {}};
  for (const int32_t m : out.members)
    for (const InstructionId operand : computation.instructions[static_cast<size_t>(m)].operands) {
      const auto o = static_cast<int32_t>(operand.value);
      if (!std::ranges::binary_search(out.members, o)) out.inputs.push_back(o);
    }
  std::ranges::sort(out.inputs);
  out.inputs.erase(std::unique(out.inputs.begin(), out.inputs.end()), out.inputs.end());
  return out;
}

Computation as_computation(const Computation& computation, const Kernel& kernel) {
  Computation out;
  std::vector<std::pair<int32_t, InstructionId>> places;  // of the old ones, ascending
  const auto add = [&](Instruction i) {
    out.instructions.push_back(std::move(i));
    return InstructionId(static_cast<int64_t>(out.instructions.size()) - 1);
  };
  for (size_t p = 0; p < kernel.inputs.size(); ++p) {
    const Instruction& input = computation.instructions[static_cast<size_t>(kernel.inputs[p])];
    places.emplace_back(kernel.inputs[p], add(parameter(input, static_cast<int64_t>(p))));
  }
  const auto place = [&](int32_t old) {
    const auto found = std::ranges::find(places, old, &std::pair<int32_t, InstructionId>::first);
    return found->second;
  };
  for (const int32_t m : kernel.members) {
    Instruction i = computation.instructions[static_cast<size_t>(m)];
    for (InstructionId& operand : i.operands) operand = place(static_cast<int32_t>(operand.value));
    i.sharding = {};
    places.emplace_back(m, add(std::move(i)));
  }
  if (kernel.roots.size() == 1) {
    out.root = place(kernel.roots[0]);
    return out;
  }
  Instruction tuple;
  tuple.opcode = Opcode::tuple;
  std::vector<Shape> shapes;
  for (const int32_t r : kernel.roots) {
    tuple.operands.push_back(place(r));
    shapes.push_back(computation.instructions[static_cast<size_t>(r)].shape);
  }
  tuple.shape = Shape::tuple(std::move(shapes));
  out.root = add(std::move(tuple));
  return out;
}

KernelClock::KernelClock(const Program& program, const Hardware& hardware, double bytes_per_s, CompileAs as)
    : program_(program),
      hardware_(hardware),
      as_(as),
      bytes_per_s_(bytes_per_s),
      operations_per_s_(operations_per_s(hardware)),
      launch_s_(hardware.compute.elementwise_launch_s) {}

bool KernelClock::is_view(const Computation& computation, const Instruction& i) const {
  if (as_ == CompileAs::xla_gpu && is_folded(computation, i)) return true;
  if (as_ == CompileAs::xla_gpu && i.opcode == Opcode::slice && !lies_together(computation, i)) return false;
  return is_view_alone(computation, i);
}

bool KernelClock::is_all_views(const Computation& computation, const Kernel& kernel) const {
  return std::ranges::all_of(kernel.members, [&](int32_t m) {
    return is_view(computation, computation.instructions[static_cast<size_t>(m)]);
  });
}

double KernelClock::seconds(const Computation& computation, const Kernel& kernel) const {
  if (is_all_views(computation, kernel)) return 0;
  const Computation fused = as_computation(computation, kernel);
  const LocalWork work = fused_work(program_, fused);
  return launch_s_ + std::max(static_cast<double>(work.bytes) / bytes_per_s_,
                              recomputed_operations(fused, CompileAs::none) / operations_per_s_);
}

double KernelClock::compilers_seconds(const Computation& computation, const Kernel& kernel) const {
  if (as_ != CompileAs::xla_gpu) return seconds(computation, kernel);
  if (is_all_views(computation, kernel)) return 0;
  const Computation fused = as_computation(computation, kernel);
  const WeighedOnGpu weighed = weighed_on_gpu(fused, hardware_.memory.fast_bytes.value_or(0));
  const auto columns = blocks_of_columns(fused);
  const double rate = columns ? std::min(bytes_per_s_, *columns * kBytesABlock) : bytes_per_s_;
  const double reading =
      (static_cast<double>(fused_work(program_, fused).bytes) + weighed.bytes_again) / rate;
  const double busy = std::min(1.0, static_cast<double>(most_elements(fused)) / kThreads);
  const double computing = weighed.operations / (kOperationsACycle * operations_per_s_ * busy);
  if (uses_its_sums(fused)) return kXlaGpuLaunch + reading + (1 - kXlaGpuOverlap) * computing;
  return kXlaGpuLaunch + reading + computing - kXlaGpuOverlap * std::min(reading, computing);
}

double KernelClock::product_seconds(const Computation& computation, const Instruction& product) const {
  const auto [batch, m, n, k] = dot_size(computation, product);
  const Result<Peak> peak = peak_for(hardware_, multiplied_as(program_, computation, product));
  if (!peak.ok()) return 0;
  int64_t bytes = product.shape.bytes();
  for (const InstructionId operand : product.operands) bytes += computation.at(operand).shape.bytes();
  const Result<Cost> cost = product_cost(hardware_, *peak, in_passes({batch, m, k, n}, peak->passes), bytes);
  return cost.ok() ? to_seconds(cost->total() - cost->overhead) : 0;
}

}  // namespace shardscope::inline backend
