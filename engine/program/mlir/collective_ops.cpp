// SPDX-License-Identifier: Apache-2.0
// Rows of StableHLO's collectives.
#include <algorithm>

#include "engine/program/mlir/stablehlo_ops.h"

namespace shardscope::inline program {
namespace {

// "#stablehlo.channel_handle<handle = 1, type = 0>"; handles from 1 are channels.
Result<void> add_channel(MlirCase& c, Instruction& made) {
  TRY(const std::string_view text, c.text({"channel_handle", "channel_id"}));
  TRY(const std::vector<MlirAttribute> entries, mlir_entries(c.all.lexer(), text));
  for (const MlirAttribute& entry : entries) {
    if (entry.key != "handle") continue;
    TRY(const MlirNumbers number, read_mlir_numbers(c.all.lexer(), entry.value));
    if (number.numbers.size() == 1 && number.numbers[0] > 0) made.channel_id = number.numbers[0];
  }
  return {};
}

// Groups × members, -1 where a group is shorter than others.
Result<void> add_groups(MlirCase& c, Instruction& made) {
  TRY(const std::string_view text, c.text({"replica_groups"}));
  if (text.find("mesh_axes") != std::string_view::npos) {
    TRY(made.replica_groups.edit().tiles, c.all.shardings().groups(text));
  } else if (!text.empty()) {
    TRY(const MlirNumbers read, read_mlir_numbers(c.all.lexer(), text));
    if (read.dims.size() != 2 && !read.numbers.empty())
      return c.error("replica_groups of rank " + std::to_string(read.dims.size()) +
                     ", expected groups x members");
    const bool ragged = std::ranges::count(read.numbers, -1) > 0;
    if (!ragged && !read.numbers.empty()) made.replica_groups.edit().tiles = {read.dims, read.numbers};
    for (size_t g = 0; ragged && g < static_cast<size_t>(read.dims[0]); ++g) {
      std::vector<int64_t>& group = made.replica_groups.edit().ragged.emplace_back();
      for (size_t k = 0; k < static_cast<size_t>(read.dims[1]); ++k)
        if (const int64_t id = read.numbers[g * static_cast<size_t>(read.dims[1]) + k]; id >= 0)
          group.push_back(id);
    }
    for (const int64_t id : read.numbers) {
      if (id >= Mesh::kMaxDevices || id < -1)
        return c.error("device " + std::to_string(id) + " is out of range");
      c.all.needs_devices(id + 1);
    }
  }
  TRY_VOID(add_channel(c, made));
  TRY(const std::string_view global, c.text({"use_global_device_ids"}));
  if (c.has({"use_global_device_ids"}) && global != "false")
    made.verbatim.edit().push_back({"use_global_device_ids", "true"});
  return {};
}

Result<void> add_reducer(MlirCase& c, Instruction& made) {
  if (c.op.regions.size() != 1) return c.error("needs a region");
  TRY(const ComputationId reducer, closed_region(c, c.op.regions[0], "region"));
  made.called = {{"to_apply", reducer}};
  return {};
}

Result<void> lower_collective(MlirCase& c) {
  TRY(Shape shape, c.result());
  Instruction made = c.make(c.opcode, std::move(shape), c.operands);
  TRY_VOID(add_groups(c, made));
  TRY(made.dimensions, c.numbers({"all_gather_dim", "scatter_dimension"}));
  if (has(c.opcode, Trait::sums)) TRY_VOID(add_reducer(c, made));
  return c.give(std::move(made));
}

Result<void> lower_permute(MlirCase& c) {
  TRY(Shape shape, c.result());
  Instruction made = c.make(Opcode::collective_permute, std::move(shape), c.operands);
  TRY_VOID(add_channel(c, made));
  TRY(const std::string_view text, c.text({"source_target_pairs"}));
  if (text.empty()) return c.error("needs source_target_pairs");
  TRY(const MlirNumbers read, read_mlir_numbers(c.all.lexer(), text));
  if (read.numbers.size() % 2 != 0) return c.error("source_target_pairs, expected pairs");
  std::vector<SourceTarget> pairs;
  int64_t devices = c.all.made().mesh.device_count();
  for (const int64_t id : read.numbers) {
    if (id < 0 || id >= Mesh::kMaxDevices)
      return c.error("device " + std::to_string(id) + " is out of range");
    devices = std::max(devices, id + 1);
  }
  c.all.needs_devices(devices);
  for (size_t k = 0; k < read.numbers.size(); k += 2)
    pairs.push_back({DeviceId(read.numbers[k]), DeviceId(read.numbers[k + 1])});
  auto permutation = Permutation::make(std::move(pairs), devices);
  if (!permutation.ok()) return c.error(permutation.error().what);
  made.permutation = std::make_shared<const Permutation>(*std::move(permutation));
  return c.give(std::move(made));
}

// HLO splits and joins one dimension. Where they differ the parts get a dimension of their own, which is
// moved in front of the one that they are joined along.
Result<void> lower_all_to_all(MlirCase& c) {
  TRY_VOID(c.expects(1));
  TRY(const Shape result, c.result());
  TRY(const auto split, c.number({"split_dimension"}));
  TRY(const auto join, c.number({"concat_dimension"}));
  TRY(const auto count, c.number({"split_count"}));
  const Shape from = c.shape(0);
  const auto rank = static_cast<int64_t>(from.rank());
  const int64_t s = split.value_or(-1), j = join.value_or(-1), n = count.value_or(0);
  if (s < 0 || s >= rank || j < 0 || j >= rank) return c.error("needs split_dimension and concat_dimension");
  if (s == j || c.operands.size() != 1) {
    if (s != j) return c.error("several operands, expected the same dimension to be split and joined");
    Instruction made = c.make(Opcode::all_to_all, result, c.operands);
    TRY_VOID(add_groups(c, made));
    made.dimensions = {s};
    return c.give(std::move(made));
  }
  const int64_t size = from.dims[static_cast<size_t>(s)];
  if (n < 1 || size % n != 0)
    return c.error("split_count " + std::to_string(n) + " of a dimension of " + std::to_string(size));
  Shape parts = from;
  parts.dims[static_cast<size_t>(s)] = size / n;
  parts.dims.insert(parts.dims.begin() + s, n);
  const InstructionId apart = c.emit(c.make(Opcode::reshape, parts, c.operands));
  Instruction sent = c.make(Opcode::all_to_all, parts, {apart});
  TRY_VOID(add_groups(c, sent));
  sent.dimensions = {s};
  const InstructionId received = c.emit(std::move(sent));
  Instruction moved = c.make(Opcode::transpose, parts, {received});
  const int64_t before = j > s ? j + 1 : j;
  for (int64_t d = 0; d <= rank; ++d) {
    if (d == before) moved.dimensions.edit().push_back(s);
    if (d != s) moved.dimensions.edit().push_back(d);
  }
  for (size_t d = 0; d < moved.dimensions.size(); ++d)
    moved.shape.dims[d] = parts.dims[static_cast<size_t>(moved.dimensions[d])];
  const InstructionId turned = c.emit(std::move(moved));
  return c.give(c.make(Opcode::reshape, result, {turned}));
}

}  // namespace

// Its groups and its channel are in the call's configuration.
Result<void> lower_ragged_call(MlirCase& c) {
  TRY(Shape shape, c.result());
  MlirOp said = c.op;
  TRY(const std::string_view config, c.text({"mhlo.backend_config", "backend_config"}));
  TRY(const std::vector<MlirAttribute> entries, mlir_entries(c.all.lexer(), config));
  Instruction made = c.make(Opcode::ragged_all_to_all, std::move(shape), c.operands);
  for (const MlirAttribute& entry : entries) {
    if (entry.key != "channel_id") {
      said.attributes.push_back(entry);
      continue;
    }
    TRY(const MlirNumbers number, read_mlir_numbers(c.all.lexer(), entry.value));
    if (number.numbers.size() == 1 && number.numbers[0] > 0) made.channel_id = number.numbers[0];
  }
  MlirCase with{c.all, c.scope, said, c.operands, c.opcode};
  TRY_VOID(add_groups(with, made));
  return c.give(std::move(made));
}

namespace {

constexpr StablehloOp kCollectiveRows[] = {
    {"all_gather", Opcode::all_gather, lower_collective},
    {"all_reduce", Opcode::all_reduce, lower_collective},
    {"all_to_all", Opcode::all_to_all, lower_all_to_all},
    {"collective_broadcast", Opcode::collective_broadcast, lower_collective},
    {"collective_permute", Opcode::collective_permute, lower_permute},
    {"reduce_scatter", Opcode::reduce_scatter, lower_collective},
};

}  // namespace

std::span<const StablehloOp> stablehlo_collective_ops() {
  return kCollectiveRows;
}

}  // namespace shardscope::inline program
