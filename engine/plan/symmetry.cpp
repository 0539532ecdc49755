// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/symmetry.h"

#include <algorithm>

namespace shardscope::inline planner {

namespace {

bool uses(const WorkPlan& plan, int axis) {
  return std::any_of(plan.works.begin(), plan.works.end(), [&](const Work& work) {
    return work.sends() && (work.mesh_axes.empty() || std::find(work.mesh_axes.begin(), work.mesh_axes.end(),
                                                                axis) != work.mesh_axes.end());
  });
}

}  // namespace

int32_t Symmetry::next(int32_t device, size_t axis) const {
  const auto& [size, stride, turns] = axes_[axis];
  return device / stride % size + 1 < size ? device + stride : device - (size - 1) * stride;
}

int32_t Symmetry::turned(int32_t device, int32_t by) const {
  int32_t out = device;
  for (const Axis& axis : turning_) {
    const int32_t c = device / axis.stride % axis.size + by / axis.stride % axis.size;
    out += (by / axis.stride % axis.size - (c >= axis.size ? axis.size : 0)) * axis.stride;
  }
  return out;
}

int32_t Symmetry::between(int32_t from, int32_t to) const {
  int32_t out = 0;
  for (const Axis& axis : turning_) {
    const int32_t c = to / axis.stride % axis.size - from / axis.stride % axis.size;
    out += (c < 0 ? c + axis.size : c) * axis.stride;
  }
  return out;
}

int32_t Symmetry::lane_on(int32_t lane, int32_t device) const {
  for (const PairLane& pair : pair_lanes_) {
    if (lane != pair.up && lane != pair.up + 1) continue;
    return pair.up + chip_of_[static_cast<size_t>(device)] / pair.stride % 2;
  }
  return lane;
}

Symmetry::Symmetry(const Mesh& mesh, const Fabric& fabric) : devices_(fabric.devices()) {
  for (int a = 0; a < mesh.rank(); ++a) {
    const auto size = static_cast<int32_t>(mesh.axis_size(a));
    axes_.push_back({size, static_cast<int32_t>(mesh.stride(a)), size > 1});
  }
  for (int32_t d = 0; d < devices_; ++d) chip_of_.push_back(fabric.chip_of(d));
}

// Turning the devices turns the chips: each turn moves every chip the same way. Between chips in an order of
// their own messages pass by others than those of their axis, so there all axes turn or none.
void Symmetry::keep_axes_of_chips(const Mesh& mesh, const Fabric& fabric) {
  if (mesh.device_order().empty()) return;
  turning_ = axes_;
  const auto turns = [&](size_t a) {
    if (axes_[a].size == 1) return true;
    if (!axes_[a].turns) return false;
    if (!fabric.all_pairs() && axes_[a].size > 2 && !fabric.axis_wraps(static_cast<int>(a))) return false;
    const int32_t way = between(fabric.chip_of(0), fabric.chip_of(axes_[a].stride));
    for (int32_t d = 0; d < devices_; ++d)
      if (between(fabric.chip_of(d), fabric.chip_of(next(d, a))) != way) return false;
    return true;
  };
  bool all_turn = true;
  for (size_t a = 0; a < axes_.size(); ++a) all_turn = all_turn && turns(a);
  for (Axis& axis : axes_) axis.turns = axis.turns && all_turn;
}

// Turning the devices along an axis brings nodes to nodes.
bool Symmetry::turns_nodes(const Fabric& fabric, size_t axis) const {
  const int32_t node = fabric.node();
  if (node == 0) return true;
  if (devices_ % node != 0) return false;
  std::vector<int32_t> comes_to(static_cast<size_t>(devices_ / node), -1);
  for (int32_t d = 0; d < devices_; ++d) {
    const auto place = [&](int32_t device) { return chip_of_[static_cast<size_t>(device)] / node; };
    int32_t& image = comes_to[static_cast<size_t>(place(d))];
    if (image < 0) image = place(next(d, axis));
    if (image != place(next(d, axis))) return false;
  }
  return true;
}

// Turning the devices along an axis turns the ranks of each group along it, or leaves them, and brings groups
// to groups.
bool Symmetry::turns_groups(const Work& work, size_t axis) const {
  int32_t stride = work.schedule->ranks();
  int32_t rank_stride = 0;
  for (size_t i = 0; i < work.mesh_axes.size(); ++i) {
    stride /= work.rank_axes[i];
    if (work.mesh_axes[i] == static_cast<int>(axis)) rank_stride = stride;
  }
  const int32_t size = axes_[axis].size;
  std::vector<int32_t> comes_to(work.groups->members.size(), -1);
  for (int32_t d = 0; d < devices_; ++d) {
    const auto to = static_cast<size_t>(next(d, axis));
    const int32_t rank = work.groups->rank_of[static_cast<size_t>(d)];
    const int32_t turned_rank = work.groups->rank_of[to];
    if (rank < 0 || turned_rank < 0) return false;
    int32_t& image = comes_to[static_cast<size_t>(work.groups->group_of[static_cast<size_t>(d)])];
    if (image < 0) image = work.groups->group_of[to];
    if (image != work.groups->group_of[to]) return false;
    const bool last = rank_stride > 0 && rank / rank_stride % size == size - 1;
    if (turned_rank != (last ? rank - (size - 1) * rank_stride : rank + rank_stride)) return false;
  }
  return true;
}

// Turning the ranks along an axis that a group spans changes nothing of what they send.
bool Symmetry::turns_schedule(const Work& work, size_t axis) const {
  const bool spans = work.mesh_axes.empty() || std::find(work.mesh_axes.begin(), work.mesh_axes.end(),
                                                         static_cast<int>(axis)) != work.mesh_axes.end();
  if (!spans) return true;
  if (work.bytes % work.schedule->chunks() != 0) return false;
  if (!work.mesh_axes.empty() && work.schedule->rotation_symmetric()) return true;
  if (!moves_devices(work, devices_)) return work.mesh_axes.empty();  // then ranks stay: see turns_groups
  std::vector<Transfer> here, there;
  for (int32_t d = 0; d < devices_; ++d) {
    here.clear();
    there.clear();
    work.schedule->append_from(0, d, here);
    work.schedule->append_from(0, next(d, axis), there);
    if (here.size() != there.size()) return false;
    for (size_t i = 0; i < here.size(); ++i)
      if (there[i].target != next(here[i].target, axis)) return false;
  }
  return true;
}

// A schedule of which some axes turn and others do not is played rank by rank: then none of its axes turns.
bool Symmetry::stops_a_part(const Work& work) {
  const auto turns = [&](int a) {
    return axes_[static_cast<size_t>(a)].turns || axes_[static_cast<size_t>(a)].size == 1;
  };
  if (std::all_of(work.mesh_axes.begin(), work.mesh_axes.end(), turns)) return false;
  bool stopped = false;
  for (const int a : work.mesh_axes) {
    stopped = stopped || axes_[static_cast<size_t>(a)].turns;
    axes_[static_cast<size_t>(a)].turns = false;
  }
  return stopped;
}

void Symmetry::keep_axes_of_works(const WorkPlan& plan) {
  std::vector<const Work*> seen;  // of groups of their own
  std::vector<const Work*> together;
  for (const Work& work : plan.works) {
    if (!work.sends()) continue;
    const bool known = std::any_of(seen.begin(), seen.end(), [&](const Work* other) {
      return other->groups == work.groups && other->mesh_axes == work.mesh_axes;
    });
    if (!known) seen.push_back(&work);
    for (size_t a = 0; a < axes_.size(); ++a)
      axes_[a].turns = axes_[a].turns && (known || turns_groups(work, a)) && turns_schedule(work, a);
    if (!known && !moves_devices(work, devices_)) together.push_back(&work);
  }
  for (bool stopped = true; stopped;) {
    stopped = false;
    for (const Work* work : together) stopped = stops_a_part(*work) || stopped;
  }
}

void Symmetry::choose_played(const Mesh& mesh, const Fabric& fabric) {
  turning_.clear();
  std::vector<int> axes;
  for (int a = 0; a < mesh.rank(); ++a) {
    const Axis& axis = axes_[static_cast<size_t>(a)];
    if (!axis.turns) continue;
    axes.push_back(a);
    turning_.push_back(axis);
    if (fabric.all_pairs() || axis.size != 2) continue;
    for (int32_t lane = 0; lane < fabric.lane_count(); ++lane) {
      const Lane& it = fabric.lanes()[static_cast<size_t>(lane)];
      if (it.axis == a && it.direction > 0) pair_lanes_.push_back({lane, axis.stride});
    }
  }
  classes_ = Sections(mesh, axes);
  for (int32_t c = 0; c < classes_.count(); ++c) played_.push_back(classes_.device(c, 0));
}

// Which ranks of each work are played. False: a group holds some of one class and some of others.
bool Symmetry::place_groups(const WorkPlan& plan) {
  std::vector<const CollectiveGroups*> one, each;  // known to be so
  for (const Work& work : plan.works) {
    ranks_.push_back(Ranks::one);
    if (!work.sends()) continue;
    const auto holds = [&](const auto& same, std::vector<const CollectiveGroups*>& known) {
      if (std::find(known.begin(), known.end(), work.groups.get()) != known.end()) return true;
      for (const std::vector<int32_t>& group : work.groups->members)
        for (const int32_t device : group)
          if (!same(device, group[0])) return false;
      known.push_back(work.groups.get());
      return true;
    };
    if (holds([&](int32_t a, int32_t b) { return place(a) == place(b); }, one)) continue;
    ranks_.back() = Ranks::each;
    if (holds([&](int32_t a, int32_t b) { return turn_of(a) == turn_of(b); }, each)) continue;
    ranks_.back() = Ranks::where_played;
    if (!moves_devices(work, devices_)) return false;
  }
  return true;
}

std::optional<Symmetry> Symmetry::find(const Mesh& mesh, const Fabric& fabric, const WorkPlan& plan) {
  if (!plan.untimed_events.empty() || fabric.has_overrides() || fabric.devices() == 1) return std::nullopt;
  Symmetry s(mesh, fabric);
  for (int a = 0; a < mesh.rank(); ++a) {
    Axis& axis = s.axes_[static_cast<size_t>(a)];
    const bool closed = fabric.all_pairs() || axis.size <= 2 || fabric.axis_wraps(a);
    axis.turns = axis.turns && (closed || !uses(plan, a)) && s.turns_nodes(fabric, static_cast<size_t>(a));
  }
  s.keep_axes_of_chips(mesh, fabric);
  s.keep_axes_of_works(plan);
  s.choose_played(mesh, fabric);
  if (s.turning_.empty() || !s.place_groups(plan)) return std::nullopt;
  if (!mesh.device_order().empty() && s.played_.size() > 1) return std::nullopt;
  return s;
}

}  // namespace shardscope::inline planner
