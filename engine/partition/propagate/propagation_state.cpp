// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/propagate/propagation_state.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/partition/propagate/propagation_rules.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/manual_regions.h"
#include "engine/partition/types/spmd_mesh.h"

namespace shardscope::inline partitioner {
namespace {

// The dimension of `from` that cuts devices as dimension d of `to` does; else the first that cuts at all.
int64_t source_dimension(const Tiling& to, size_t d, const Tiling& from) {
  const auto in_to = to.coordinates(), in_from = from.coordinates();
  int64_t any = 0;
  for (size_t s = from.rank(); s-- > 0;) {
    if (from.counts[s] == 1) continue;
    any = static_cast<int64_t>(s);
    bool same = from.counts[s] == to.counts[d];
    for (size_t device = 0; same && device < in_to.size(); ++device)
      same = in_to[device][d] == in_from[device][s];
    if (same) return any;
  }
  return any;
}

}  // namespace

Result<PropagationState> PropagationState::make(const Program& module, int64_t devices,
                                                const OpenEnds& may_split) {
  PropagationState state;
  state.module_ = &module;
  state.devices_ = devices;
  state.mesh_ = spmd_mesh(module, devices);
  // Nothing spreads inside of manual regions.
  TRY(const auto in_region, instructions_in_regions(module, devices));
  for (size_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    state.first_.emplace_back();
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      state.first_.back().push_back(state.leaves_.size());
      TRY_VOID(
          state.add_leaves({ComputationId(static_cast<int64_t>(c)), InstructionId(static_cast<int64_t>(k))},
                           in_region[c][k], may_split));
    }
  }
  return state;
}

Result<void> PropagationState::add_leaves(InstructionPlace place, bool in_region, const OpenEnds& may_split) {
  const Instruction& i = module_->computation(place.computation).at(place.instruction);
  TRY(const std::vector<HloSharding> shardings, leaf_shardings(i));
  const std::vector<Shape> shapes = leaves_of(i.shape);
  for (size_t leaf = 0; leaf < shapes.size(); ++leaf) {
    const bool said =
        has_sharding(i) || may_split.keeps(*module_, place.computation, place.instruction, leaf);
    const auto kind = in_region ? Leaf::Kind::in_region : said ? Leaf::Kind::said : Leaf::Kind::open;
    Leaf made{place.computation,
              place.instruction,
              static_cast<int64_t>(leaf),
              shapes[leaf],
              std::nullopt,
              kind,
              {},
              0};
    for (size_t d = 0; d < shapes[leaf].rank(); ++d)
      made.origins.push_back({place, static_cast<int32_t>(leaf), static_cast<int32_t>(d)});
    const bool plain = shardings[leaf].kind == HloSharding::Kind::replicated ||
                       shardings[leaf].kind == HloSharding::Kind::tiled;
    if (kind == Leaf::Kind::said && plain) {
      auto tiling = Tiling::from(shardings[leaf].added_up(), shapes[leaf].rank(), devices_);
      if (!tiling.ok())
        return invalid(tiling.error().what, "instruction " + display_name(i), tiling.error().fix);
      made.tiling = *std::move(tiling);
    }
    leaves_.push_back(std::move(made));
  }
  return {};
}

size_t PropagationState::first_leaf(ComputationId computation, InstructionId instruction) const {
  return first_[static_cast<size_t>(computation.value)][static_cast<size_t>(instruction.value)];
}

bool PropagationState::offer(size_t to, Tiling candidate, size_t from, Pass pass, int level) {
  Leaf& leaf = leaves_[to];
  if (leaf.kind != Leaf::Kind::open || candidate.rank() != leaf.shape.rank()) return false;
  std::vector<int64_t> too_fine;  // more shards than elements
  for (size_t d = 0; d < candidate.rank(); ++d)
    if (candidate.counts[d] > std::max<int64_t>(1, leaf.shape.dims[d]))
      too_fine.push_back(static_cast<int64_t>(d));
  if (!too_fine.empty()) candidate = candidate.merged(too_fine);
  const int64_t before = leaf.tiling ? leaf.tiling->tiles() : 1;
  if (before > 1 && level > 0) {
    if (auto both = merged_tilings(*leaf.tiling, candidate); both && both->tiles() > before) {
      take(leaf, *std::move(both), leaves_[from], pass, level);
      return true;
    }
  }
  if (candidate.tiles() <= before) return false;
  take(leaf, std::move(candidate), leaves_[from], pass, level);
  return true;
}

// Cuts are "by x" or "by x,y" of the mesh; else "4 ways".
const PropagationState::Known& PropagationState::known(const Tiling& tiling) {
  const auto [at, added] = known_.try_emplace({tiling.counts, tiling.order});
  if (!added) return at->second;
  at->second.sharding = static_cast<uint32_t>(shardings_.size());
  shardings_.push_back(tiling.sharding());
  const auto named = shardings_.back().to_named(mesh_);
  for (size_t d = 0; d < tiling.rank(); ++d) {
    const bool by_axes = named.ok() && d < named->spec().dims.size() && !named->spec().dims[d].empty();
    at->second.cuts.push_back(static_cast<uint32_t>(cuts_.size()));
    cuts_.push_back(by_axes ? "by " + join(named->spec().dims[d], ",")
                            : fmt::format("{} ways", tiling.counts[d]));
  }
  return at->second;
}

void PropagationState::take(Leaf& to, Tiling tiling, const Leaf& from, Pass pass, int level) {
  const auto in = [](const Leaf& leaf, int64_t dimension) {
    return ArrayDimension{{leaf.computation, leaf.instruction},
                          static_cast<int32_t>(leaf.number),
                          static_cast<int32_t>(dimension)};
  };
  for (size_t d = 0; d < tiling.rank(); ++d) {
    const bool was_cut = to.tiling && to.tiling->counts[d] == tiling.counts[d];
    if (was_cut || tiling.counts[d] == 1) continue;
    const int64_t source = from.tiling ? source_dimension(tiling, d, *from.tiling) : 0;
    to.origins[d] = from.origins.empty() ? in(from, 0) : from.origins[static_cast<size_t>(source)];
    const Known& words = known(tiling);
    steps_.push_back({in(to, static_cast<int64_t>(d)), in(from, source), to.origins[d], words.sharding,
                      words.cuts[d], pass, static_cast<int8_t>(level)});
  }
  to.tiling = std::move(tiling);
  to.changed = ++changes_;
}

void PropagationState::write(Program& module, PropagatedModule& out) && {
  out.steps = std::move(steps_);
  out.shardings = std::move(shardings_);
  out.cuts = std::move(cuts_);
  for (size_t c = 0; c < module.computations.size(); ++c) {
    for (size_t k = 0; k < module.computations[c].instructions.size(); ++k) {
      Instruction& i = module.computations[c].instructions[k];
      if (has_sharding(i)) continue;
      const size_t first = first_[c][k], count = leaf_count(i.shape);
      bool split = false;
      for (size_t leaf = first; leaf < first + count; ++leaf)
        split = split || (leaves_[leaf].tiling && !leaves_[leaf].tiling->is_replicated());
      if (!split) continue;
      if (!i.shape.is_tuple) {
        i.sharding = leaves_[first].tiling->sharding();
        continue;
      }
      std::vector<std::string> parts;
      for (size_t leaf = first; leaf < first + count; ++leaf)
        parts.push_back((leaves_[leaf].tiling ? leaves_[leaf].tiling->sharding() : HloSharding()).text());
      i.verbatim.edit().push_back({"sharding", "{" + join(parts, ", ") + "}"});
    }
  }
}

}  // namespace shardscope::inline partitioner
