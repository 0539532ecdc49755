// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/sharding/shardy_steps.h"

namespace shardscope::inline sharding {
namespace {

// What devices have along one axis of the mesh.
struct Placement {
  enum class Kind { replicate, shard, partial } kind = Kind::replicate;
  size_t dim = 0;  // of shard
  bool operator==(const Placement&) const = default;
};
using Placements = std::vector<Placement>;

// None: they do not say the split.
std::optional<Placements> placements_of(const AxisSplit& split, const Mesh& mesh) {
  Placements out(mesh.axes().size());
  const auto is_whole = [&](const AxisPart& part) { return part.size == mesh.axes()[part.axis].size; };
  for (size_t d = 0; d < split.dims.size(); ++d) {
    if (!std::ranges::all_of(split.dims[d], is_whole) || !std::ranges::is_sorted(split.dims[d]))
      return std::nullopt;
    for (const AxisPart& part : split.dims[d]) out[part.axis] = {Placement::Kind::shard, d};
  }
  if (!std::ranges::all_of(split.partial, is_whole)) return std::nullopt;
  for (const AxisPart& part : split.partial) out[part.axis] = {Placement::Kind::partial, 0};
  return out;
}

class Redistribution {
 public:
  Redistribution(const AxisSplit& from, Placements at, Placements target, const Mesh& mesh)
      : split_(from), at_(std::move(at)), target_(std::move(target)), mesh_(mesh) {}

  std::vector<SplitStep> steps() {
    // From the innermost axis out: what is nested otherwise in the target is whole first.
    const bool is_split =
        std::ranges::any_of(at_, [](const Placement& p) { return p.kind == Placement::Kind::shard; });
    for (size_t axis = at_.size(); is_split && axis-- > 0;) {
      const bool nests = target_[axis].kind != Placement::Kind::shard ||
                         outer(at_, axis, target_[axis].dim) == outer(target_, axis, target_[axis].dim);
      go(axis, nests ? target_[axis] : Placement());
    }
    for (size_t axis = 0; axis < at_.size(); ++axis) go(axis, target_[axis]);
    return std::move(steps_);
  }

 private:
  // Axes before `axis` that split `dim`.
  static std::vector<size_t> outer(const Placements& of, size_t axis, size_t dim) {
    std::vector<size_t> out;
    for (size_t a = 0; a < axis; ++a)
      if (of[a] == Placement{Placement::Kind::shard, dim}) out.push_back(a);
    return out;
  }

  static SplitStep::Kind kind_of(const Placement& from, const Placement& to) {
    using At = Placement::Kind;
    if (from.kind == At::replicate) return SplitStep::Kind::slice;
    if (from.kind == At::shard)
      return to.kind == At::shard ? SplitStep::Kind::exchange : SplitStep::Kind::gather;
    return to.kind == At::shard ? SplitStep::Kind::reduce_scatter : SplitStep::Kind::all_reduce;
  }

  void go(size_t axis, const Placement& to) {
    if (at_[axis] == to) return;
    const AxisPart part{axis, 1, mesh_.axes()[axis].size};
    SplitStep step{kind_of(at_[axis], to), {part}, split_, split_};
    for (AxisParts& dim : step.to.dims) std::erase(dim, part);
    std::erase(step.to.partial, part);
    if (to.kind == Placement::Kind::shard) {
      AxisParts& dim = step.to.dims[to.dim];
      dim.insert(std::ranges::upper_bound(dim, part), part);
    }
    at_[axis] = to;
    split_ = step.to;
    if (part.size > 1) steps_.push_back(std::move(step));
  }

  AxisSplit split_;
  Placements at_, target_;
  const Mesh& mesh_;
  std::vector<SplitStep> steps_;
};

}  // namespace

std::optional<std::vector<SplitStep>> dtensor_steps(const AxisSplit& from, const AxisSplit& to,
                                                    const Mesh& mesh) {
  auto at = placements_of(from, mesh), target = placements_of(to, mesh);
  if (!at || !target || !to.partial.empty()) return std::nullopt;
  return Redistribution(from, *std::move(at), *std::move(target), mesh).steps();
}

}  // namespace shardscope::inline sharding
