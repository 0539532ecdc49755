// SPDX-License-Identifier: Apache-2.0
#include "engine/session/modules/explicit_mode.h"

#include <algorithm>

#include "engine/partition/entry/partition.h"
#include "engine/partition/shardy/explicit_types.h"
#include "engine/partition/types/all_devices.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/atlas/program_costs.h"

namespace shardscope::inline session {
namespace {

constexpr size_t kMostChoices = 6;   // that are shown
constexpr size_t kMostTried = 64;    // shardings of one result
constexpr size_t kMostErrors = 200;  // of a module that choices are made for

// One operation as a module by itself: its operands are the parameters.
class OneOperation {
 public:
  // `called`: the module with an empty entry, which is where the operation is written.
  static Result<OneOperation> make(const Computation& entry, const Instruction& i,
                                   const std::vector<ExplicitValue>& values, const AxisMesh& axes,
                                   const Program& called) {
    OneOperation out(i, values, axes);
    out.alone_ = called;
    Computation alone;
    alone.name = entry.name;
    Instruction made = i;
    for (size_t k = 0; k < i.operands.size(); ++k) {
      const auto at = static_cast<size_t>(i.operands[k].value);
      Instruction parameter;
      parameter.name = "operand." + std::to_string(k);
      parameter.opcode = Opcode::parameter;
      parameter.parameter_number = static_cast<int64_t>(k);
      parameter.shape = entry.instructions[at].shape;
      TRY(parameter.sharding, to_hlo(axes, AxisSplit{values[at].type->dims, {}}));
      alone.instructions.push_back(std::move(parameter));
      made.operands[k] = InstructionId(static_cast<int64_t>(k));
    }
    alone.root = InstructionId(static_cast<int64_t>(alone.instructions.size()));
    alone.instructions.push_back(std::move(made));
    out.alone_.computations[static_cast<size_t>(out.alone_.entry.value)] = std::move(alone);
    keep_called(out.alone_);
    return out;
  }

  Result<Program> with_result(const AxisSplit& split) const {
    Program out = alone_;
    Computation& entry = out.computations[static_cast<size_t>(out.entry.value)];
    TRY(entry.instructions.back().sharding, to_hlo(axes_, split));
    return out;
  }

  // Every way in which the axes of the operands split dimensions of the result that they divide.
  std::vector<AxisSplit> results() const {
    AxisList used;
    for (const InstructionId operand : i_.operands)
      for (const AxisList& dim : values_[static_cast<size_t>(operand.value)].type->dims)
        for (const AxisPart& part : dim)
          if (std::ranges::count(used, part) == 0) used.push_back(part);
    std::ranges::sort(used);
    const Shape& shape = nth_leaf(i_.shape, 0);
    std::vector<AxisSplit> out{{std::vector<AxisList>(shape.rank()), {}}};
    for (const AxisPart& part : used) {
      const size_t count = out.size();
      for (size_t k = 0; k < count && out.size() < kMostTried; ++k)
        for (size_t d = 0; d < shape.rank(); ++d) {
          AxisSplit next = out[k];
          next.dims[d].push_back(part);
          if (shape.dims[d] % size_of(next.dims[d]) == 0) out.push_back(std::move(next));
        }
    }
    return out;
  }

 private:
  OneOperation(const Instruction& i, const std::vector<ExplicitValue>& values, const AxisMesh& axes)
      : i_(i), values_(values), axes_(axes) {}

  const Instruction& i_;
  const std::vector<ExplicitValue>& values_;
  const AxisMesh& axes_;
  Program alone_;
};

Result<std::vector<OutSharding>> choices(const OneOperation& one, const PartitionOptions& how,
                                         ProgramCosts& costs, const Mesh& mesh) {
  std::vector<OutSharding> out;
  for (const AxisSplit& split : one.results()) {
    if (how.stop.stop_requested()) return cancelled();
    TRY(const Program module, one.with_result(split));
    const auto made = partition(module, how);
    if (!made.ok()) continue;
    const auto cost = costs.of(*made->program, how.stop);
    if (cost.ok()) out.push_back({split_text(split, mesh), cost->collectives, cost->bytes, cost->time});
  }
  std::ranges::stable_sort(out, {}, &OutSharding::time);
  out.resize(std::min(out.size(), kMostChoices));
  return out;
}

}  // namespace

Result<ExplicitModule> explicit_module(const Program& module, const PartitionOptions& options,
                                       const Hardware& hardware) {
  TRY(const int64_t devices, partition_devices(module, options));
  std::vector<std::string> widened;
  const std::optional<Program> wide = on_all_devices(module, devices, widened);
  TRY(const Program source, prepare_for_spmd(wide ? *wide : module, SpmdDialect::current));
  const Mesh mesh = spmd_mesh(source, devices);
  const AxisMesh axes = axis_mesh(mesh);
  const std::vector<ExplicitValue> values = explicit_types(source, axes);
  ExplicitModule out{mesh.text(), {}};
  ProgramCosts costs(mesh, hardware);
  PartitionOptions how;
  how.devices = devices;
  how.stop = options.stop;
  size_t errors = 0;
  Program called = source;
  called.computations[static_cast<size_t>(called.entry.value)].instructions.clear();
  for (size_t k = 0; k < values.size(); ++k) {
    const Instruction& i = source.entry_computation().instructions[k];
    ExplicitRow row{i.name,         display_name(i), "", std::string(opcode_text(i)), source_line(source, i),
                    values[k].error};
    if (values[k].type && !i.shape.is_tuple) row.type = jax_type(i.shape, *values[k].type, axes);
    if (!row.error.empty() && ++errors <= kMostErrors) {
      TRY(const OneOperation one, OneOperation::make(source.entry_computation(), i, values, axes, called));
      TRY(row.choices, choices(one, how, costs, mesh));
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace shardscope::inline session
