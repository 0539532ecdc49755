// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/symmetry.h"

#include <algorithm>

namespace shardscope {

namespace {

// The sum or difference of two places, axis by axis.
int32_t along_axes(int32_t a, int32_t b, int sign, const std::vector<int32_t>& sizes,
                   const std::vector<int32_t>& strides) {
  int32_t out = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    int32_t c = a / strides[i] % sizes[i] + sign * (b / strides[i] % sizes[i]);
    if (c < 0) c += sizes[i];
    if (c >= sizes[i]) c -= sizes[i];
    out += c * strides[i];
  }
  return out;
}

bool uses(const WorkPlan& plan, int axis) {
  return std::any_of(plan.works.begin(), plan.works.end(), [&](const Work& work) {
    return work.kind == WorkKind::collective && work.schedule->steps() > 0 &&
           std::find(work.mesh_axes.begin(), work.mesh_axes.end(), axis) != work.mesh_axes.end();
  });
}

}  // namespace

int32_t Symmetry::turned(int32_t device, int32_t by) const {
  return along_axes(device, by, 1, sizes_, strides_);
}
int32_t Symmetry::between(int32_t from, int32_t to) const {
  return along_axes(to, from, -1, sizes_, strides_);
}

int32_t Symmetry::lane_on(int32_t lane, int32_t device) const {
  for (const PairLane& pair : pair_lanes_) {
    if (lane != pair.up && lane != pair.up + 1) continue;
    return pair.up + chip_of_[static_cast<size_t>(device)] / pair.stride % 2;
  }
  return lane;
}

// Turning the devices turns the chips: each turn moves every chip the same way.
bool Symmetry::turns_chips(const Mesh& mesh, const Fabric& fabric) const {
  if (mesh.device_order().empty()) return true;
  for (size_t a = 0; a < sizes_.size(); ++a) {
    if (sizes_[a] == 1) continue;
    if (!fabric.all_pairs() && sizes_[a] > 2 && !fabric.axis_wraps(static_cast<int>(a))) return false;
    for (int32_t d = 0; d < devices_; ++d) {
      const int32_t moved = between(fabric.chip_of(d), fabric.chip_of(turned(d, strides_[a])));
      if (moved != between(fabric.chip_of(0), fabric.chip_of(strides_[a]))) return false;
    }
  }
  return true;
}

// Turning the devices along an axis turns the ranks of each group along it, or leaves them.
bool Symmetry::turns_groups(const Work& work) const {
  for (size_t a = 0; a < sizes_.size(); ++a) {
    if (sizes_[a] == 1) continue;
    int32_t stride = work.schedule->ranks();
    int32_t rank_stride = 0;
    for (size_t i = 0; i < work.mesh_axes.size(); ++i) {
      stride /= work.rank_axes[i];
      if (work.mesh_axes[i] == static_cast<int>(a)) rank_stride = stride;
    }
    for (int32_t d = 0; d < devices_; ++d) {
      const int32_t rank = work.groups->rank_of[static_cast<size_t>(d)];
      const int32_t next = work.groups->rank_of[static_cast<size_t>(turned(d, strides_[a]))];
      if (rank < 0) return false;
      if (rank_stride == 0 && next != rank) return false;
      if (rank_stride == 0) continue;
      const bool last = rank / rank_stride % sizes_[a] == sizes_[a] - 1;
      if (next != (last ? rank - (sizes_[a] - 1) * rank_stride : rank + rank_stride)) return false;
    }
  }
  return true;
}

std::optional<Symmetry> Symmetry::find(const Mesh& mesh, const Fabric& fabric, const WorkPlan& plan) {
  if (!plan.untimed_events.empty() || fabric.has_overrides() || fabric.node() > 0 || fabric.devices() == 1)
    return std::nullopt;
  Symmetry s;
  s.devices_ = fabric.devices();
  for (int a = 0; a < mesh.rank(); ++a) {
    s.sizes_.push_back(static_cast<int32_t>(mesh.axis_size(a)));
    s.strides_.push_back(static_cast<int32_t>(mesh.stride(a)));
    if (fabric.all_pairs() || s.sizes_.back() == 1) continue;
    if (s.sizes_.back() > 2 && !fabric.axis_wraps(a) && uses(plan, a)) return std::nullopt;
    if (s.sizes_.back() != 2) continue;
    for (int32_t lane = 0; lane < fabric.lane_count(); ++lane) {
      const Lane& it = fabric.lanes()[static_cast<size_t>(lane)];
      if (it.axis == a && it.direction > 0) s.pair_lanes_.push_back({lane, s.strides_.back()});
    }
  }
  for (int32_t d = 0; d < s.devices_; ++d) s.chip_of_.push_back(fabric.chip_of(d));
  if (!s.turns_chips(mesh, fabric)) return std::nullopt;
  std::vector<const Work*> seen;
  for (const Work& work : plan.works) {
    if (work.kind != WorkKind::collective || work.schedule->steps() == 0) continue;
    if (!work.schedule->rotation_symmetric() || work.mesh_axes.empty()) return std::nullopt;
    if (work.bytes % work.schedule->chunks() != 0) return std::nullopt;
    const bool known = std::any_of(seen.begin(), seen.end(), [&](const Work* other) {
      return other->groups == work.groups && other->mesh_axes == work.mesh_axes;
    });
    if (known) continue;
    if (!s.turns_groups(work)) return std::nullopt;
    seen.push_back(&work);
  }
  return s;
}

}  // namespace shardscope
