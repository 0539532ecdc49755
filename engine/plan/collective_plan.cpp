// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/collective_plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

#include "engine/collectives/measured_pace.h"
#include "engine/collectives/nccl_choice.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/collectives/permute.h"
#include "engine/plan/to_index.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::inline planner {

std::shared_ptr<const CollectiveGroups> numbered(std::vector<std::vector<int32_t>> members, int32_t devices) {
  auto groups = std::make_shared<CollectiveGroups>();
  groups->group_of.assign(to_index(devices), -1);
  groups->rank_of.assign(to_index(devices), -1);
  for (size_t g = 0; g < members.size(); ++g) {
    for (size_t r = 0; r < members[g].size(); ++r) {
      groups->group_of[to_index(members[g][r])] = static_cast<int32_t>(g);
      groups->rank_of[to_index(members[g][r])] = static_cast<int32_t>(r);
    }
  }
  groups->members = std::move(members);
  return groups;
}

Result<PlannedCollective> CollectivePlanner::plan(InstructionId id) {
  const Instruction& i = entry_.at(id);
  PlannedCollective out;
  out.timed.instruction = program_.global_index(program_.entry, id);
  Result<void> planned;
  if (i.opcode == Opcode::ragged_all_to_all) {
    planned = plan_ragged(i, out);
  } else if (*collective_kind(i) == CollectiveKind::permute) {
    plan_permute(i, out);
  } else {
    planned = plan_group(i, out);
  }
  if (planned.ok()) return out;
  Error error = planned.error();
  error.where = "%" + i.name;
  return error;
}

void CollectivePlanner::plan_permute(const Instruction& i, PlannedCollective& out) {
  if (everyone_ == nullptr) {
    std::vector<int32_t> all(static_cast<size_t>(fabric_.devices()));
    std::iota(all.begin(), all.end(), 0);
    everyone_ = numbered({all}, fabric_.devices());
  }
  out.timed.algorithm = "permute";
  out.timed.groups = everyone_;
  out.timed.bytes = collective_bytes(entry_, i, fabric_.devices());
  std::vector<GroupAxis> axes;
  for (int a = 0; a < program_.mesh.rank(); ++a) {
    out.mesh_axes.push_back(a);
    out.rank_axes.push_back(static_cast<int32_t>(program_.mesh.axis_size(a)));
    axes.push_back({out.rank_axes.back(), fabric_.axis_wraps(a)});
  }
  auto& schedule = permutes_[i.permutation.get()];
  if (schedule == nullptr) schedule = permute_schedule(i.permutation, fabric_.devices(), axes);
  out.timed.schedule = schedule;
}

// Rows go straight to where they belong; their numbers are those of the program's constant tables.
Result<void> CollectivePlanner::plan_ragged(const Instruction& i, PlannedCollective& out) {
  const auto groups = device_groups(program_, i);
  TRY(const std::vector<int64_t> sizes, ragged_sizes(program_, i, groups[0]));
  for (const std::vector<DeviceId>& group : groups) {
    TRY(const std::vector<int64_t> others, ragged_sizes(program_, i, group));
    if (others != sizes) return invalid("groups that exchange different numbers of rows cannot be timed yet");
  }
  const Group& group = group_of(i);
  out.timed.groups = group.groups;
  out.mesh_axes = group.place.mesh_axes;
  out.rank_axes = group.place.rank_axes;
  out.timed.algorithm = name(CollectiveAlgorithm::direct);
  TRY(out.timed.schedule, lower_ragged(sizes, static_cast<int32_t>(groups[0].size())));
  const int64_t rows = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  out.timed.bytes = rows * (i.shape.bytes() / std::max<int64_t>(1, i.shape.dims[0]));
  return {};
}

Result<void> CollectivePlanner::plan_group(const Instruction& i, PlannedCollective& out) {
  const Group& group = group_of(i);
  out.timed.groups = group.groups;
  const auto& members = group.groups->members;
  if (std::any_of(members.begin(), members.end(),
                  [&](const auto& one) { return one.size() != members[0].size(); })) {
    return invalid("replica groups of different sizes cannot be timed yet");
  }
  const Shape shape = shape_of(i);
  out.timed.bytes = shape.bytes;
  out.mesh_axes = group.place.mesh_axes;
  out.rank_axes = group.place.rank_axes;
  TRY(const Found found, algorithm_of(i));
  out.timed.algorithm = name(found.algorithm);
  out.why = found.why;
  out.ignored = found.ignored;
  TRY(out.timed.schedule, lowered(shape, found.algorithm));
  return {};
}

Result<std::shared_ptr<const CollectiveSchedule>> CollectivePlanner::lowered(const Shape& shape,
                                                                             CollectiveAlgorithm algorithm) {
  for (const Lowered& known : lowered_) {
    if (known.algorithm == algorithm && known.shape == shape) return known.schedule;
  }
  TRY(auto schedule, lower(shape.kind, algorithm, shape.ranks, shape.topology, shape.bytes));
  lowered_.push_back({shape, algorithm, schedule});
  return schedule;
}

const CollectivePlanner::Group& CollectivePlanner::group_of(const Instruction& i) {
  const Group*& known = group_at_[&*i.replica_groups];
  if (known != nullptr) return *known;
  const auto same =
      std::ranges::find_if(groups_, [&](const Group& group) { return *group.said == *i.replica_groups; });
  known = same != groups_.end() ? &*same : &groups_.emplace_back(make_group(i));
  return *known;
}

CollectivePlanner::Group CollectivePlanner::make_group(const Instruction& i) const {
  std::vector<std::vector<int32_t>> members;
  for (const std::vector<DeviceId>& group : device_groups(program_, i)) {
    members.emplace_back();
    for (const DeviceId device : group) members.back().push_back(device.value);
  }
  Group out{&*i.replica_groups, numbered(std::move(members), fabric_.devices()), {}};
  const std::vector<int32_t>& first = out.groups->members[0];
  if (!first.empty()) out.place = place_group(program_.mesh, fabric_, {first.begin(), first.end()});
  return out;
}

CollectivePlanner::Shape CollectivePlanner::shape_of(const Instruction& i) {
  const Group& group = group_of(i);
  const auto ranks = static_cast<int32_t>(group.groups->members[0].size());
  const CollectiveKind kind = *collective_kind(i);
  Shape out{kind, ranks, collective_bytes(entry_, i, ranks), group.place.topology};
  // A pace between nodes says by itself how much of both goes at once.
  if (row_within_nodes(hardware_, fabric_, kind, group.groups->members) != nullptr)
    out.topology.level_slices = 1;
  return out;
}

CollectiveQuery CollectivePlanner::query_of(const Instruction& i) {
  const CollectiveKind kind = collective_kind(i).value();
  CollectiveQuery out{shape_of(i), fabric_.link_costs()};
  if (measured_row(hardware_, fabric_, kind, group_of(i).groups->members) == nullptr) return out;
  for (const LinkOp& op : hardware_.link.ops) {
    if (op.kind != name(kind) || op.axis) continue;
    out.rows.push_back(op);
    out.rows.back().launch_s = op.launch_s.value_or(hardware_.link.launch_overhead_s);
  }
  return out;
}

std::optional<AlgorithmChooser::Choice> CollectivePlanner::fastest(const Instruction& i) {
  if (fabric_.link_error().ok()) return fastest_.of(query_of(i), stop_);
  const Shape shape = shape_of(i);
  return AlgorithmChooser::Choice{
      chosen_algorithm(CollectiveAlgorithm::automatic, shape.ranks, shape.topology), ""};
}

// On a switch no other algorithm is told to be faster than the one that was measured (MeasuredPace).
std::optional<CollectivePlanner::Found> CollectivePlanner::measured(const Instruction& i) {
  if (hardware_.link.ops.empty()) return std::nullopt;
  const CollectiveKind kind = collective_kind(i).value();
  const auto& members = group_of(i).groups->members;
  if (const LinkOp* near = row_within_nodes(hardware_, fabric_, kind, members)) {
    const CollectiveAlgorithm algorithm = measured_between_nodes(kind);
    return Found{
        algorithm,
        fmt::format("{}: within nodes as {} was measured on {} ({}), on the network as the rings and "
                    "trees of NCCL that leave by all cards",
                    name(algorithm), name(kind), hardware_.name, key_of(*near)),
        ""};
  }
  const LinkOp* op = measured_row(hardware_, fabric_, kind, members);
  if (op == nullptr || !op->group || !fabric_.has_port()) return std::nullopt;
  Found found{measured_algorithm(kind), "", ""};
  found.why = fmt::format("{}: {} of {} was measured on {} as one ({})", name(found.algorithm), name(kind),
                          group_of(i).groups->members.front().size(), hardware_.name, key_of(*op));
  return found;
}

std::optional<CollectiveQuery> CollectivePlanner::asks(const Instruction& i) {
  if (!fabric_.link_error().ok() || measured(i)) return std::nullopt;
  CollectiveQuery asked = query_of(i);
  return fastest_.knows(asked) ? std::nullopt : std::optional(std::move(asked));
}

std::optional<CollectivePlanner::Found> CollectivePlanner::best(const Instruction& i) {
  if (auto known = measured(i)) return known;
  auto played = fastest(i);
  if (!played) return std::nullopt;
  return Found{played->algorithm, std::move(played->why), ""};
}

Result<CollectivePlanner::Found> CollectivePlanner::nccl_or_best(const Instruction& i) {
  const Shape shape = shape_of(i);
  const NcclTaken taken = nccl_takes(hardware_, fabric_, group_of(i).groups->members.front(), shape.topology,
                                     {shape.kind, shape.bytes, entry_.at(i.operands.front()).shape.type});
  Found found{taken.algorithm, taken.why, ""};
  if (taken.algorithm == CollectiveAlgorithm::automatic) {
    auto other = best(i);
    if (!other) return cancelled();
    found = *std::move(other);
    found.ignored = fmt::format("{}: {} of {} devices goes by {}", taken.why, name(shape.kind), shape.ranks,
                                name(found.algorithm));
  }
  if (i.algorithm.empty()) return found;
  TRY(const CollectiveAlgorithm said, parse_collective_algorithm(i.algorithm));
  if (said != found.algorithm) found = {said, "", found.ignored};
  return found;
}

Result<CollectivePlanner::Found> CollectivePlanner::algorithm_of(const Instruction& i) {
  if (asked_ == CollectiveAlgorithm::nccl) return nccl_or_best(i);
  const CollectiveKind kind = collective_kind(i).value();
  Found found;
  CollectiveAlgorithm wanted = asked_;
  if (wanted != CollectiveAlgorithm::automatic) {
    const std::vector<CollectiveAlgorithm> words = algorithms_for(kind);
    if (std::find(words.begin(), words.end(), wanted) == words.end()) wanted = CollectiveAlgorithm::automatic;
  }
  const bool no_word_for_it = wanted != asked_;
  const bool asked_nothing = wanted == CollectiveAlgorithm::automatic;
  if (!i.algorithm.empty()) {
    TRY(wanted, parse_collective_algorithm(i.algorithm));
  }
  if (asked_nothing || wanted == CollectiveAlgorithm::automatic) {
    const std::optional<Found> first = best(i);
    if (!first) return cancelled();
    if (wanted == CollectiveAlgorithm::automatic) wanted = first->algorithm;
    if (wanted == first->algorithm) found.why = first->why;
  }
  if (const auto other = asked_nothing ? std::nullopt : measured(i); other && other->algorithm != wanted)
    found.why = fmt::format("{}: as asked for, after the latency of {}", name(wanted), other->why);
  if (no_word_for_it)
    found.ignored =
        fmt::format("no {} goes by {}: {} of {} devices goes there by {}", name(kind), name(asked_),
                    name(kind), group_of(i).groups->members[0].size(), name(wanted));
  found.algorithm = wanted;
  return found;
}

}  // namespace shardscope::inline planner
