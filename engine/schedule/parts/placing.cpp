// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/placing.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/collectives/permute.h"
#include "engine/plan/collective_plan.h"
#include "engine/plan/to_index.h"

namespace shardscope::inline scheduler {

namespace {

void add_axes_between(const Mesh& mesh, int32_t a, int32_t b, std::set<int>& axes) {
  if (a == b) return;
  for (int axis = 0; axis < mesh.rank(); ++axis)
    if (mesh.coordinate(DeviceId(a), axis) != mesh.coordinate(DeviceId(b), axis)) axes.insert(axis);
}

}  // namespace

const Placing* Placings::of(const Work& work) {
  const bool moves = moves_devices(work, fabric_.devices());
  const void* by = moves ? static_cast<const void*>(work.schedule.get()) : work.groups.get();
  const auto [known, is_new] = known_.try_emplace(by);
  if (is_new) known->second = moves ? of_permute(*work.schedule) : of_groups(*work.groups);
  return known->second ? &*known->second : nullptr;
}

std::optional<Placing> Placings::of_permute(const CollectiveSchedule& schedule) {
  std::vector<int32_t> target_of(to_index(fabric_.devices()), -1);
  std::set<int> axes;
  std::vector<Transfer> sent;
  for (int32_t d = 0; d < fabric_.devices(); ++d) {
    sent.clear();
    schedule.append_from(0, d, sent);
    if (sent.empty()) continue;
    if (sent.size() > 1) return std::nullopt;
    target_of[to_index(d)] = sent[0].target;
    add_axes_between(mesh_, d, sent[0].target, axes);
  }
  Placing out;
  out.sections = player_.sections({axes.begin(), axes.end()});
  const Sections& sections = player_.sections_at(out.sections);
  Numbered<std::vector<int32_t>> variants;
  std::vector<int32_t> targets(to_index(sections.size()));
  for (int32_t s = 0; s < sections.count(); ++s) {
    for (int32_t p = 0; p < sections.size(); ++p) {
      const int32_t target = target_of[to_index(sections.device(s, p))];
      targets[to_index(p)] = target < 0 ? -1 : sections.place_of(target);
    }
    out.variant_of.push_back(variants.number(targets));
  }
  for (uint32_t v = 0; v < variants.size(); ++v) out.variants.push_back(permute(out.sections, variants[v]));
  return out;
}

Placing::Variant Placings::permute(int32_t sections, const std::vector<int32_t>& targets) {
  const auto [known, is_new] = permutes_.try_emplace({sections, targets});
  if (!is_new) return known->second;
  const Sections& of = player_.sections_at(sections);
  std::vector<int32_t> all;
  std::vector<SourceTarget> pairs;
  for (int32_t p = 0; p < of.size(); ++p) {
    all.push_back(p);
    if (targets[to_index(p)] >= 0) pairs.push_back({DeviceId(p), DeviceId(targets[to_index(p)])});
  }
  std::vector<GroupAxis> axes;
  for (size_t a = 0; a < of.axes().size(); ++a)
    axes.push_back(
        {static_cast<int32_t>(of.mesh().axis_size(static_cast<int>(a))), fabric_.axis_wraps(of.axes()[a])});
  auto moved = std::make_shared<const Permutation>(Permutation::make(std::move(pairs), of.size()).value());
  known->second = {permute_schedule(std::move(moved), of.size(), axes),
                   numbered({std::move(all)}, of.size())};
  return known->second;
}

std::optional<Placing> Placings::of_groups(const CollectiveGroups& groups) {
  std::set<int> axes;
  for (const std::vector<int32_t>& group : groups.members)
    for (const int32_t device : group) add_axes_between(mesh_, group[0], device, axes);
  Placing out;
  out.sections = player_.sections({axes.begin(), axes.end()});
  const Sections& sections = player_.sections_at(out.sections);
  std::vector<std::vector<int32_t>> members;
  for (const std::vector<int32_t>& group : groups.members) {
    if (sections.section_of(group[0]) != 0) continue;
    members.emplace_back();
    for (const int32_t device : group) members.back().push_back(sections.place_of(device));
  }
  const auto own = numbered(std::move(members), sections.size());
  // The same groups in every section, by place.
  for (int32_t d = 0; d < fabric_.devices(); ++d) {
    const int32_t group = groups.group_of[to_index(d)], like = own->group_of[to_index(sections.place_of(d))];
    if (group < 0 || like < 0) return std::nullopt;
    const int32_t rank = groups.rank_of[to_index(d)];
    if (rank != own->rank_of[to_index(sections.place_of(d))]) return std::nullopt;
    const int32_t first = groups.members[to_index(group)][0];
    if (sections.section_of(first) != sections.section_of(d)) return std::nullopt;
    if (sections.place_of(first) != own->members[to_index(like)][0]) return std::nullopt;
  }
  out.variants = {{nullptr, own}};
  out.variant_of.assign(to_index(sections.count()), 0);
  return out;
}

std::vector<int32_t> Placings::kinds(const Placing& placing, const Work& work) {
  const Sections& sections = player_.sections_at(placing.sections);
  const auto place_in_section = [&](int axis) {
    const auto at = std::ranges::find(sections.axes(), axis);
    return at == sections.axes().end() ? -1 : static_cast<int>(at - sections.axes().begin());
  };
  Work like = work;
  std::vector<int32_t> out;
  for (const Placing::Variant& variant : placing.variants) {
    if (variant.schedule != nullptr) like.schedule = variant.schedule;
    like.groups = variant.groups;
    like.mesh_axes.clear();
    like.rank_axes.clear();
    if (variant.schedule != nullptr) {
      like.bytes = work.bytes / fabric_.devices() * sections.size();
      for (int a = 0; a < sections.mesh().rank(); ++a) {
        like.mesh_axes.push_back(a);
        like.rank_axes.push_back(static_cast<int32_t>(sections.mesh().axis_size(a)));
      }
    } else {
      for (size_t a = 0; a < work.mesh_axes.size(); ++a) {
        if (place_in_section(work.mesh_axes[a]) < 0) continue;
        like.mesh_axes.push_back(place_in_section(work.mesh_axes[a]));
        like.rank_axes.push_back(work.rank_axes[a]);
      }
    }
    out.push_back(player_.kind(placing.sections, like));
  }
  return out;
}

}  // namespace shardscope::inline scheduler
