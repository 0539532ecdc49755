// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/shardy_arrays.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/base/text.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/partition/types/spmd_prepare.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope {
namespace {

AxisMesh axis_mesh(const Mesh& mesh) {
  AxisMesh out;
  for (const MeshAxis& axis : mesh.axes()) {
    out.names.push_back(axis.name);
    out.sizes.push_back(axis.size);
  }
  out.devices.resize(static_cast<size_t>(mesh.device_count()));
  std::iota(out.devices.begin(), out.devices.end(), 0);
  return out;
}

bool is_plain(const HloSharding& sharding) {
  return sharding.kind == HloSharding::Kind::replicated || sharding.kind == HloSharding::Kind::tiled;
}

// What counts later than the first round waits among the replicated axes.
ArrayAxes in_first_round(const ArrayAxes& said, const std::vector<int64_t>& priorities) {
  ArrayAxes out = said;
  for (size_t d = 0; d < priorities.size() && d < out.dims.size(); ++d) {
    if (priorities[d] == 0) continue;
    out.replicated.insert(out.replicated.end(), out.dims[d].begin(), out.dims[d].end());
    out.dims[d].clear();
    out.closed[d] = true;
  }
  return out;
}

// As many of the axes as divide the dimension.
AxisList dividing(const AxisList& axes, int64_t size) {
  AxisList out;
  int64_t count = 1;
  for (const AxisPart& part : axes) {
    count *= part.size;
    if (size % count != 0) break;
    out.push_back(part);
  }
  return out;
}

void add_copy_as_root(HloSharding sharding, Computation& c) {
  Instruction copy;
  copy.name = c.root_instruction().name + ".result";
  copy.opcode = Opcode::copy;
  copy.shape = c.root_instruction().shape;
  copy.operands = {c.root};
  copy.sharding = std::move(sharding);
  c.instructions.push_back(std::move(copy));
  c.root = InstructionId(static_cast<int64_t>(c.instructions.size()) - 1);
}

}  // namespace

Result<ShardyArrays> ShardyArrays::make(const Program& module, int64_t devices, const OpenEnds& may_cut) {
  ShardyArrays out;
  out.module_ = &module;
  if (auto named = user_mesh(module, devices)) {
    out.mesh_ = std::move(named->axes);
    out.note_ = std::move(named->note);
  } else {
    out.mesh_ = axis_mesh(spmd_mesh(module, devices));
  }
  ModuleShardings words(module);
  TRY(const auto in_region, instructions_in_regions(module, devices));
  for (size_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    out.first_.emplace_back();
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const Instruction& i = computation.instructions[k];
      const InstructionPlace place{ComputationId(static_cast<int64_t>(c)),
                                   InstructionId(static_cast<int64_t>(k))};
      out.first_.back().push_back(out.arrays_.size());
      const std::vector<Shape> leaves = leaves_of(i.shape);
      const auto said = words.of(i);
      TRY(const std::vector<HloSharding> shardings, leaf_shardings(i));
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        Array array{place, static_cast<int64_t>(leaf), leaves[leaf], {}, {}};
        std::optional<ArrayAxes> axes;
        if (said[leaf] && words.meshes()[said[leaf]->mesh].axes == out.mesh_) {
          axes = from_tiles(said[leaf]->tiles);
          array.priorities = said[leaf]->tiles.priorities;
        } else if (has_sharding(i) && is_plain(shardings[leaf])) {
          auto of_tiles = from_hlo(out.mesh_, shardings[leaf], leaves[leaf].rank());
          if (of_tiles.ok()) axes = *std::move(of_tiles);
        }
        array.takes_part = !in_region[c][k] && (axes || !has_sharding(i));
        const bool kept =
            !has_sharding(i) && may_cut.keeps(module, place.computation, place.instruction, leaf);
        out.add(i, std::move(array), std::move(axes), kept);
      }
    }
  }
  return out;
}

void ShardyArrays::add(const Instruction& i, Array array, std::optional<ArrayAxes> said, bool kept) {
  const size_t rank = array.shape.rank();
  array.origins.resize(rank);
  if (said) {
    for (size_t d = 0; d < rank; ++d) array.origins[d] = {i.name, static_cast<int64_t>(d)};
    array.said = *std::move(said);
  } else {
    array.said = kept || !array.takes_part ? ArrayAxes::whole(rank) : ArrayAxes::open(rank);
  }
  array.axes = in_first_round(array.said, array.priorities);
  arrays_.push_back(std::move(array));
}

size_t ShardyArrays::first_leaf(InstructionPlace place) const {
  return first_[static_cast<size_t>(place.computation.value)][static_cast<size_t>(place.instruction.value)];
}

const Instruction& ShardyArrays::instruction_of(size_t array) const {
  return module_->computation(arrays_[array].place.computation).at(arrays_[array].place.instruction);
}

std::string ShardyArrays::computation_of(size_t array) const {
  return module_->computation(arrays_[array].place.computation).name;
}

AxesOrigin ShardyArrays::origin_of(size_t array, size_t dimension) const {
  const AxesOrigin& origin = arrays_[array].origins[dimension];
  return origin.instruction.empty() ? AxesOrigin{instruction_of(array).name, static_cast<int64_t>(dimension)}
                                    : origin;
}

void ShardyArrays::set_origin(size_t array, size_t dimension, AxesOrigin origin) {
  arrays_[array].origins[dimension] = std::move(origin);
}

std::vector<int64_t> ShardyArrays::rounds() const {
  std::set<int64_t> out{0};
  for (const Array& array : arrays_) out.insert(array.priorities.begin(), array.priorities.end());
  return {out.begin(), out.end()};
}

void ShardyArrays::begin(int64_t round) {
  if (round == 0) return;
  for (Array& array : arrays_) {
    for (size_t d = 0; d < array.priorities.size() && d < array.axes.dims.size(); ++d) {
      if (array.priorities[d] != round) continue;
      array.axes.dims[d] = array.said.dims[d];
      array.axes.closed[d] = array.said.closed[d];
      std::erase_if(array.axes.replicated,
                    [&](const AxisPart& part) { return std::ranges::count(array.said.dims[d], part) > 0; });
    }
  }
}

const Result<HloSharding>& ShardyArrays::sharding_of(const ArrayAxes& axes) {
  std::vector<int64_t> key;
  const auto add = [&](const AxisList& list) {
    for (const AxisPart& part : list)
      key.insert(key.end(), {static_cast<int64_t>(part.axis), part.before, part.size});
    key.push_back(-1);
  };
  for (const AxisList& list : axes.dims) add(list);
  add(axes.unreduced);
  const auto known = known_.find(key);
  return known != known_.end() ? known->second
                               : known_.emplace(std::move(key), to_hlo(mesh_, axes)).first->second;
}

Result<void> ShardyArrays::write(Program& module) {
  for (size_t c = 0; c < module.computations.size(); ++c) {
    for (size_t k = 0; k < module.computations[c].instructions.size(); ++k) {
      Instruction& i = module.computations[c].instructions[k];
      const size_t first = first_[c][k], count = leaf_count(i.shape);
      bool changed = false;
      for (size_t leaf = first; leaf < first + count; ++leaf)
        changed = changed || (arrays_[leaf].takes_part && arrays_[leaf].axes.dims != arrays_[leaf].said.dims);
      if (!changed) continue;
      TRY(std::vector<HloSharding> shardings, leaf_shardings(i));
      for (size_t leaf = 0; leaf < count; ++leaf) {
        if (!arrays_[first + leaf].takes_part) continue;
        TRY(shardings[leaf], sharding_of(arrays_[first + leaf].axes));
      }
      put_shardings(std::move(shardings), i);
    }
  }
  return {};
}

Result<std::optional<std::vector<HloSharding>>> ShardyArrays::even_shardings(InstructionPlace place) {
  const Instruction& i = module_->computation(place.computation).at(place.instruction);
  const size_t first = first_leaf(place), count = leaf_count(i.shape);
  TRY(std::vector<HloSharding> out, leaf_shardings(i));
  bool changed = false;
  for (size_t leaf = 0; leaf < count; ++leaf) {
    const Array& array = arrays_[first + leaf];
    ArrayAxes axes = array.axes;
    for (size_t d = 0; d < axes.dims.size(); ++d) axes.dims[d] = dividing(axes.dims[d], array.shape.dims[d]);
    if (!array.takes_part || axes == array.axes) continue;
    TRY(out[leaf], sharding_of(axes));
    changed = true;
  }
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

Result<void> ShardyArrays::write_even_ends(Program& module) {
  Computation& entry = module.computations[static_cast<size_t>(module.entry.value)];
  const InstructionId root = entry.root;
  for (size_t k = 0, count = entry.instructions.size(); k < count; ++k) {
    const InstructionId id(static_cast<int64_t>(k));
    const bool parameter = entry.at(id).opcode == Opcode::parameter;
    if (!parameter && id != root) continue;
    TRY(auto even, even_shardings({module.entry, id}));
    if (!even) continue;
    if (parameter || entry.at(id).shape.is_tuple)
      put_shardings(*std::move(even), entry.instructions[k]);
    else
      add_copy_as_root(std::move(even->front()), entry);
  }
  return {};
}

}  // namespace shardscope
