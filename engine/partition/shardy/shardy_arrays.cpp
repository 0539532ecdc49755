// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/shardy/shardy_arrays.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/base/text.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/spmd_mesh.h"
#include "engine/program/mlir/module_shardings.h"

namespace shardscope::inline partitioner {
namespace {

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

// The axes before the first one that is only a part.
AxisList before_parts(const AxisList& axes, const AxisMesh& mesh) {
  const auto is_part = [&](const AxisPart& part) { return part.size != mesh.sizes[part.axis]; };
  return {axes.begin(), std::ranges::find_if(axes, is_part)};
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
  TRY(const ModuleRegions regions, ModuleRegions::of_module(module, devices));
  // By region; none: nothing spreads there.
  std::vector<std::optional<AxisList>> manual = {AxisList()};
  for (size_t region = 1; region < regions.groups.size(); ++region)
    manual.push_back(regions.groups[region].size() > 1 ? axes_between(out.mesh_, regions.groups[region])
                                                       : std::nullopt);
  for (size_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    out.first_.emplace_back();
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const Instruction& i = computation.instructions[k];
      const InstructionPlace place{ComputationId(static_cast<int64_t>(c)),
                                   InstructionId(static_cast<int64_t>(k))};
      out.first_.back().push_back(out.arrays_.size());
      const auto said = words.of(i);
      TRY(const std::vector<HloSharding> shardings, leaf_shardings(i));
      const std::optional<AxisList>& around = manual[regions.of[c][k]];
      for (size_t leaf = 0; leaf < shardings.size(); ++leaf) {
        Array array{place, static_cast<int32_t>(leaf)};
        std::optional<ArrayAxes> axes;
        if (said[leaf] && words.meshes()[said[leaf]->mesh].axes == out.mesh_) {
          axes = from_tiles(said[leaf]->tiles);
          array.priorities = said[leaf]->tiles.priorities;
        } else if (has_sharding(i) && is_plain(shardings[leaf])) {
          auto of_tiles = from_hlo(out.mesh_, shardings[leaf], nth_leaf(i.shape, leaf).rank());
          if (of_tiles.ok()) axes = *std::move(of_tiles);
        }
        array.takes_part = around && (axes || !has_sharding(i));
        const bool kept =
            !has_sharding(i) && may_cut.keeps(module, place.computation, place.instruction, leaf);
        out.add(std::move(array), std::move(axes), kept, around.value_or(AxisList()));
      }
    }
  }
  out.close_edges(regions, manual);
  return out;
}

void ShardyArrays::close_edges(const ModuleRegions& regions,
                               const std::vector<std::optional<AxisList>>& manual) {
  for (size_t c = 0; c < module_->computations.size(); ++c) {
    const Computation& computation = module_->computations[c];
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      const Instruction& i = computation.instructions[k];
      if (!enters_region(i) && !leaves_region(i)) continue;
      const auto from = static_cast<size_t>(i.operands[0].value);
      const size_t whole = enters_region(i) ? from : k, part = enters_region(i) ? k : from;
      const auto& axes = manual[regions.of[c][part]];
      if (!axes) continue;
      Array& array = arrays_[first_[c][whole]];
      ArrayAxes said = axes_[array.said];
      for (const AxisPart& axis : *axes)
        if (std::ranges::none_of(said.dims,
                                 [&](const AxisList& d) { return std::ranges::count(d, axis) > 0; }))
          if (std::ranges::count(said.manual, axis) + std::ranges::count(said.replicated, axis) == 0)
            said.replicated.push_back(axis);
      array.axes = axes_.number(in_first_round(said, array.priorities));
      array.said = axes_.number(std::move(said));
    }
  }
}

void ShardyArrays::add(Array array, std::optional<ArrayAxes> said, bool kept, const AxisList& manual) {
  const size_t number = arrays_.size();
  arrays_.push_back(std::move(array));
  Array& added = arrays_.back();
  const size_t rank = dims(number).size();
  added.first_origin = origins_.size();
  for (size_t d = 0; d < rank; ++d) origins_.push_back(dimension(number, d));
  if (!said) said = kept || !added.takes_part ? ArrayAxes::whole(rank) : ArrayAxes::open(rank);
  *said = inside_region(*std::move(said), manual);
  added.axes = axes_.number(in_first_round(*said, added.priorities));
  added.said = axes_.number(*std::move(said));
}

size_t ShardyArrays::first_leaf(InstructionPlace place) const {
  return first_[static_cast<size_t>(place.computation.value)][static_cast<size_t>(place.instruction.value)];
}

const std::vector<int64_t>& ShardyArrays::dims(size_t array) const {
  const auto [computation, instruction] = arrays_[array].place;
  return nth_leaf(module_->computation(computation).at(instruction).shape,
                  static_cast<size_t>(arrays_[array].number))
      .dims;
}

ArrayDimension ShardyArrays::dimension(size_t array, size_t dimension) const {
  return {arrays_[array].place, arrays_[array].number, static_cast<int32_t>(dimension)};
}

std::vector<int64_t> ShardyArrays::rounds() const {
  std::set<int64_t> out{0};
  for (const Array& array : arrays_) out.insert(array.priorities.begin(), array.priorities.end());
  return {out.begin(), out.end()};
}

void ShardyArrays::begin(int64_t round) {
  if (round == 0) return;
  for (Array& array : arrays_) {
    if (array.priorities.empty()) continue;
    ArrayAxes axes = axes_[array.axes];
    const ArrayAxes& said = axes_[array.said];
    for (size_t d = 0; d < array.priorities.size() && d < axes.dims.size(); ++d) {
      if (array.priorities[d] != round) continue;
      axes.dims[d] = said.dims[d];
      axes.closed[d] = said.closed[d];
      std::erase_if(axes.replicated,
                    [&](const AxisPart& part) { return std::ranges::count(said.dims[d], part) > 0; });
    }
    array.axes = axes_.number(std::move(axes));
  }
}

const Result<HloSharding>& ShardyArrays::sharding_of(uint32_t axes) {
  if (axes >= known_.size()) known_.resize(axes_.size());
  auto& known = known_[axes];
  if (!known) known = to_hlo(mesh_, axes_[axes]);
  return *known;
}

std::vector<HloSharding> ShardyArrays::shardings() {
  std::vector<HloSharding> out;
  for (uint32_t axes = 0; axes < axes_.size(); ++axes) {
    const Result<HloSharding>& sharding = sharding_of(axes);
    out.push_back(sharding.ok() ? *sharding : HloSharding());
  }
  return out;
}

Result<void> ShardyArrays::write(Program& module) {
  for (size_t c = 0; c < module.computations.size(); ++c) {
    for (size_t k = 0; k < module.computations[c].instructions.size(); ++k) {
      Instruction& i = module.computations[c].instructions[k];
      const size_t first = first_[c][k], count = leaf_count(i.shape);
      bool changed = false;
      for (size_t leaf = first; leaf < first + count; ++leaf)
        changed = changed || (arrays_[leaf].takes_part &&
                              axes_[arrays_[leaf].axes].dims != axes_[arrays_[leaf].said].dims);
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

Result<std::optional<std::vector<HloSharding>>> ShardyArrays::end_shardings(InstructionPlace place,
                                                                            bool whole_axes,
                                                                            int64_t& were_parts) {
  const Instruction& i = module_->computation(place.computation).at(place.instruction);
  const size_t first = first_leaf(place), count = leaf_count(i.shape);
  TRY(std::vector<HloSharding> out, leaf_shardings(i));
  bool changed = false;
  for (size_t leaf = 0; leaf < count; ++leaf) {
    const Array& array = arrays_[first + leaf];
    ArrayAxes axes = axes_[array.axes];
    for (size_t d = 0; d < axes.dims.size(); ++d)
      axes.dims[d] = dividing(axes.dims[d], dims(first + leaf)[d]);
    const ArrayAxes even = axes;
    if (whole_axes)
      for (AxisList& cut : axes.dims) cut = before_parts(cut, mesh_);
    if (!array.takes_part || axes == axes_[array.axes]) continue;
    were_parts += axes == even ? 0 : 1;
    TRY(out[leaf], sharding_of(axes_.number(std::move(axes))));
    changed = true;
  }
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

Result<int64_t> ShardyArrays::write_ends(Program& module, bool whole_axes) {
  int64_t were_parts = 0;
  Computation& entry = module.computations[static_cast<size_t>(module.entry.value)];
  const InstructionId root = entry.root;
  for (size_t k = 0, count = entry.instructions.size(); k < count; ++k) {
    const InstructionId id(static_cast<int64_t>(k));
    const bool parameter = entry.at(id).opcode == Opcode::parameter;
    if (!parameter && id != root) continue;
    TRY(auto ends, end_shardings({module.entry, id}, whole_axes, were_parts));
    if (!ends) continue;
    if (parameter || entry.at(id).shape.is_tuple)
      put_shardings(*std::move(ends), entry.instructions[k]);
    else
      add_copy_as_root(std::move(ends->front()), entry);
  }
  return were_parts;
}

}  // namespace shardscope::inline partitioner
