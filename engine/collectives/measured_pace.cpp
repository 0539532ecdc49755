// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/measured_pace.h"

#include <algorithm>
#include <tuple>

#include "engine/hardware/nodes.h"

namespace shardscope::inline collectives {
namespace {

// Whether it takes the steps of the other one, a message each.
bool goes_as(const CollectiveSchedule& schedule, const CollectiveSchedule& other) {
  const auto form = [](const CollectiveSchedule& of) {
    return std::tuple(of.kind(), of.ranks(), of.chunks(), of.steps(), of.dependency(), of.streams());
  };
  return form(schedule) == form(other);
}

// Devices of each node in groups that span nodes, node after node; 0: of one node, or not as many of each.
int32_t devices_per_node(const Fabric& fabric, const std::vector<std::vector<int32_t>>& groups) {
  if (groups.empty()) return 0;
  const int32_t per = members_per_node(fabric, groups.front());
  const bool alike = std::ranges::all_of(groups, [&](const std::vector<int32_t>& group) {
    return group.size() == groups.front().size() && members_per_node(fabric, group) == per;
  });
  return alike ? per : 0;
}

GroupTopology on_nodes(int32_t per_node) {
  return {.all_pairs = true, .node = per_node};
}

// What rank 0 sends within its node: a torus that goes along its nodes last takes a hierarchical one's steps,
// but carries other bytes there.
int64_t chunks_within_node(const CollectiveSchedule& schedule, int32_t per_node) {
  std::vector<Transfer> sent;
  for (int32_t step = 0; step < schedule.steps(); ++step) schedule.append_from(step, 0, sent);
  int64_t chunks = 0;
  for (const Transfer& t : sent) chunks += t.target / per_node == 0 ? t.count : 0;
  return chunks;
}

bool travels(const Transfer& t) {
  return t.source != t.target;
}

bool has_one_peer(const CollectiveSchedule& schedule) {
  std::vector<Transfer> transfers;
  for (int32_t step = 0; step < schedule.steps(); ++step) schedule.append_step(step, transfers);
  std::map<int32_t, int32_t> peers;
  return std::ranges::all_of(transfers, [&](const Transfer& t) {
    return !travels(t) || (peers.try_emplace(t.source, t.target).first->second == t.target &&
                           peers.try_emplace(t.target, t.source).first->second == t.source);
  });
}

}  // namespace

bool has_products(const Program& program) {
  const auto multiplies = [](const Instruction& i) { return has(i.opcode, Trait::contracts); };
  return std::ranges::any_of(program.computations, [&](const Computation& computation) {
    return std::ranges::any_of(computation.instructions, multiplies);
  });
}

const LinkOp* measured_row(const Hardware& hardware, const Fabric& fabric, CollectiveKind kind,
                           const std::vector<std::vector<int32_t>>& groups) {
  if (hardware.link.ops.empty() || groups.empty()) return nullptr;
  const auto near = [&](const std::vector<int32_t>& group) { return on_one_node(fabric, group); };
  if (!std::ranges::all_of(groups, near)) return nullptr;
  return link_op(hardware, name(kind), std::ssize(groups.front()));
}

const LinkOp* row_within_nodes(const Hardware& hardware, const Fabric& fabric, CollectiveKind kind,
                               const std::vector<std::vector<int32_t>>& groups) {
  if (hardware.link.ops.empty() || kind == CollectiveKind::permute) return nullptr;
  const int32_t per_node = devices_per_node(fabric, groups);
  return per_node > 1 ? link_op(hardware, name(kind), per_node) : nullptr;
}

const LinkOp* measured_permute(const Hardware& hardware, const Fabric& fabric, const Mesh& mesh,
                               const CollectiveSchedule& schedule) {
  if (hardware.link.ops.empty()) return nullptr;
  std::vector<Transfer> transfers;
  for (int32_t step = 0; step < schedule.steps(); ++step) schedule.append_step(step, transfers);
  std::vector<bool> moves(static_cast<size_t>(mesh.rank()), false);
  for (const Transfer& t : transfers) {
    if (!travels(t)) continue;
    if (!on_one_node(fabric, {t.source, t.target})) return nullptr;
    for (int a = 0; a < mesh.rank(); ++a) {
      if (mesh.coordinate(DeviceId(t.source), a) != mesh.coordinate(DeviceId(t.target), a))
        moves[static_cast<size_t>(a)] = true;
    }
  }
  int64_t group = 1;
  for (int a = 0; a < mesh.rank(); ++a) group *= moves[static_cast<size_t>(a)] ? mesh.axis_size(a) : 1;
  return link_op(hardware, name(CollectiveKind::permute), group);
}

std::optional<int64_t> largest_measured_group(const Hardware& hardware, CollectiveKind kind, int64_t ranks) {
  std::optional<int64_t> out;
  for (const LinkOp& op : hardware.link.ops)
    if (op.kind == name(kind) && op.group && *op.group <= ranks) out = std::max(out.value_or(0), *op.group);
  return out;
}

CollectiveAlgorithm measured_algorithm(CollectiveKind kind) {
  return kind == CollectiveKind::all_to_all ? CollectiveAlgorithm::direct : CollectiveAlgorithm::ring;
}

CollectiveAlgorithm measured_between_nodes(CollectiveKind kind) {
  return kind == CollectiveKind::all_to_all ? CollectiveAlgorithm::direct : CollectiveAlgorithm::hierarchical;
}

double device_bytes(CollectiveKind kind, int64_t whole, int64_t ranks) {
  const bool each = kind == CollectiveKind::all_to_all || kind == CollectiveKind::permute;
  return static_cast<double>(whole) / static_cast<double>(each ? ranks : 1);
}

double busiest_share(const CollectiveSchedule& schedule, const Fabric& fabric,
                     const std::vector<int32_t>& members) {
  // What turns with the ranks loads every port and, of an axis and direction, every link as that of one rank.
  const bool alike = schedule.rotation_symmetric();
  std::map<std::tuple<int32_t, int32_t, int32_t>, double> chunks;  // by device, lane and pair
  std::vector<Transfer> transfers;
  double most = 0;
  for (int32_t step = 0; step < schedule.steps(); ++step) {
    transfers.clear();
    if (alike) {
      schedule.append_from(step, 0, transfers);
    } else {
      schedule.append_step(step, transfers);
    }
    for (const Transfer& t : transfers) {
      const int32_t target = members[static_cast<size_t>(t.target)];
      for (int32_t at = members[static_cast<size_t>(t.source)]; at != target;) {
        const Hop hop = fabric.next_hop(at, target, t.direction);
        const int32_t of = alike ? 0 : hop.device;
        double& sum = chunks[{of, hop.lane, fabric.has_pair_links() ? hop.next : 0}];
        most = std::max(most, sum += t.count);
        at = hop.next;
      }
    }
  }
  return most / schedule.chunks();
}

void MeasuredPaces::keep_latency(const CollectiveSchedule& schedule, MeasuredPace& pace) const {
  const CollectiveKind kind = schedule.kind();
  const auto group = largest_measured_group(hardware_, kind, schedule.ranks());
  if (!group || kind == CollectiveKind::permute || !fabric_.has_port()) return;
  const auto as_measured = [&](int64_t ranks) {
    return lower(kind, measured_algorithm(kind), static_cast<int32_t>(ranks), {.all_pairs = true});
  };
  const auto here = as_measured(schedule.ranks());
  if (here.ok() && goes_as(schedule, **here)) return;
  const auto measured = as_measured(*group);
  if (!measured.ok()) return;
  const int32_t steps = (*measured)->steps(), more = std::max(0, schedule.steps() - steps);
  const Picoseconds step = pace.link.latency;
  pace.launch_s += to_seconds(steps * step);
  pace.link.latency = step * more / schedule.steps();
}

std::optional<MeasuredPace> MeasuredPaces::between_nodes(const CollectiveSchedule& schedule,
                                                         const std::vector<std::vector<int32_t>>& groups,
                                                         int64_t whole) {
  const CollectiveKind kind = schedule.kind();
  const LinkOp* op = row_within_nodes(hardware_, fabric_, kind, groups);
  if (op == nullptr) return std::nullopt;
  const int32_t per_node = devices_per_node(fabric_, groups);
  const auto [known, is_new] = goes_between_nodes_.try_emplace(&schedule, false);
  if (is_new) {
    const auto as_measured =
        lower(kind, measured_between_nodes(kind), schedule.ranks(), on_nodes(per_node), whole);
    known->second = as_measured.ok() && goes_as(schedule, **as_measured) &&
                    chunks_within_node(schedule, per_node) == chunks_within_node(**as_measured, per_node);
  }
  const LinkCosts costs = fabric_.link_costs();
  MeasuredPace out{op, op->launch_s.value_or(hardware_.link.launch_overhead_s), costs.own};
  if (op->step_s) out.link.latency = to_picoseconds(*op->step_s);
  const double bytes = device_bytes(kind, whole, schedule.ranks());
  const double n = schedule.ranks(), m = per_node, nodes = n / m;
  const double rate = op->bytes_per_s.value_or(costs.own.bytes_per_s);
  const bool sums = kind == CollectiveKind::all_reduce, exchanges = kind == CollectiveKind::all_to_all;
  if (!known->second) {
    // As within a node no other algorithm is told to begin faster than the library does.
    const double steps = exchanges ? 1 : m - 1, over = exchanges ? 1 : nodes - 1;
    out.launch_s += (sums ? 2 : 1) * (steps * to_seconds(out.link.latency) + over * costs.network_latency_s);
    out.link.latency = 0;
    return out;
  }
  if (exchanges) {
    const double near = bytes * (m - 1) / n;
    const CollectiveLoad load{per_node, 1, bytes * m / n, near};
    out.link.bytes_per_s = near / (near / rate + ramp_s(*op, load.bytes) + parts_s(*op, load));
    return out;
  }
  const double near = (sums ? 2 : 1) * bytes * (m - 1) / m, far = (sums ? 2 : 1) * bytes * (nodes - 1) / n;
  const CollectiveLoad load{per_node, 1, bytes, near};
  const double near_s =
      (counted_bytes(*op, load) / rate + ramp_s(*op, bytes)) * costs.own.bytes_per_s / costs.bytes_per_s;
  const double over_network = bytes / m * (sums && nodes == 2 ? 1 : (sums ? 2 : 1) * (n - 1) / n);
  const double far_s = over_network / costs.network_bytes_per_s;
  const double together = far_s > 0 && near_s > 0 ? std::max(near_s, far_s) / (near_s + far_s) : 1;
  // Links that an override made faster or slower are that for a pace as well.
  if (near_s > 0) out.link.bytes_per_s = near / near_s * costs.own.bytes_per_s / costs.bytes_per_s / together;
  if (far_s > 0) out.link.network_bytes_per_s = far / over_network * costs.own_network_bytes_per_s / together;
  return out;
}

std::optional<MeasuredPace> MeasuredPaces::of(const CollectiveSchedule& schedule,
                                              const std::vector<std::vector<int32_t>>& groups,
                                              int64_t whole) {
  if (schedule.steps() == 0 || whole <= 0) return std::nullopt;
  if (auto paced = between_nodes(schedule, groups, whole)) return paced;
  const CollectiveKind kind = schedule.kind();
  const LinkOp* op = kind == CollectiveKind::permute ? measured_permute(hardware_, fabric_, mesh_, schedule)
                                                     : measured_row(hardware_, fabric_, kind, groups);
  if (op == nullptr || (op->parts && kind == CollectiveKind::permute && beside_products_))
    return std::nullopt;
  const LinkPace own = fabric_.link_costs().own;
  MeasuredPace out{op, op->launch_s.value_or(hardware_.link.launch_overhead_s), own};
  if (op->step_s) out.link.latency = to_picoseconds(*op->step_s);
  if (op->bytes_per_s) out.link.bytes_per_s = *op->bytes_per_s;
  keep_latency(schedule, out);
  if (!op->ramp && !op->in_switch && !op->parts) return out;
  auto sent = sent_.find(&schedule);
  if (sent == sent_.end())
    sent = sent_
               .emplace(&schedule, Sent{busiest_share(schedule, fabric_, groups.front()),
                                        op->parts && has_one_peer(schedule)})
               .first;
  const double busiest = sent->second.busiest_share * static_cast<double>(whole);
  if (busiest == 0) return out;
  const CollectiveLoad load{schedule.ranks(), schedule.steps(), device_bytes(kind, whole, schedule.ranks()),
                            busiest, sent->second.one_peer};
  out.link.bytes_per_s = busiest / (counted_bytes(*op, load) / out.link.bytes_per_s +
                                    ramp_s(*op, load.bytes) + parts_s(*op, load));
  return out;
}

}  // namespace shardscope::inline collectives
