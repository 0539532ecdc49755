// SPDX-License-Identifier: Apache-2.0
#include "engine/tune/least_collective.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/hardware/cost.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::inline tuner {

int64_t operand_bytes(const Computation& entry, const Instruction& i) {
  int64_t bytes = 0;
  for (const InstructionId operand : i.operands) bytes += entry.at(operand).shape.bytes();
  return bytes;
}

LeastCollectives::LeastCollectives(const Program& program, const Hardware& hardware, const Fabric& fabric)
    : program_(program), hardware_(hardware), fabric_(fabric) {
  const LinkPace own = fabric.link_costs().own;
  own_ = {hardware.link.launch_overhead_s, to_seconds(own.latency), own.bytes_per_s};
}

LeastCollectives::Pace LeastCollectives::fastest(const Hardware& hardware, const Fabric& fabric) {
  const LinkCosts costs = fabric.link_costs();
  Pace out{hardware.link.launch_overhead_s, to_seconds(costs.own.latency), costs.own.bytes_per_s};
  for (const LinkOp& op : hardware.link.ops) {
    const double most = op.in_switch ? 2 : 1;  // 2(n − 1)/(n + 1) stays below
    out = {std::min(out.launch_s, op.launch_s.value_or(out.launch_s)),
           std::min(out.latency_s, op.step_s.value_or(out.latency_s)),
           std::max(out.bytes_per_s, most * op.bytes_per_s.value_or(costs.own.bytes_per_s))};
  }
  if (fabric.node() == 0) return out;
  return {out.launch_s, std::min(out.latency_s, costs.network_latency_s),
          out.bytes_per_s + costs.network_bytes_per_s};
}

LeastCollective LeastCollectives::of(const Instruction& i) {
  const Group& group = this->group(i);
  const Traffic traffic = this->traffic(i, group);
  LeastCollective out;
  out.takes.waits_for_own = traffic.waits_for_own;
  if (traffic.sent <= 0) return out;
  const Pace pace = this->pace(*collective_kind(i), group, traffic);
  const auto takes = [&](double bytes, int ways) {
    return bytes > 0 ? pace.latency_s + bytes / pace.bytes_per_s / ways : 0;
  };
  // Devices in no group have their results at once.
  const bool everyone = group.share == 1 || i.permutation != nullptr;
  const double launch = everyone ? pace.launch_s : 0;
  out.takes.everywhere_s = launch + takes(traffic.received, group.ways_in);
  out.takes.somewhere_s = pace.launch_s + takes(traffic.reaches, group.ways_out);
  out.takes.behind_last_s = launch + takes(traffic.late, group.ways_out);
  out.links = group.links;
  out.launch_s = pace.launch_s;
  const double seconds = traffic.sent / pace.bytes_per_s;
  if (fabric_.has_port()) {
    out.held_s = seconds;
    out.behind_s = pace.latency_s;
  } else {
    out.held_s = (seconds + traffic.messages * pace.latency_s) / group.own_links;
  }
  return out;
}

const LeastCollectives::Group& LeastCollectives::group(const Instruction& i) {
  // Instructions share what they say alike.
  const void* said = i.permutation ? static_cast<const void*>(i.permutation.get()) : &*i.replica_groups;
  const auto [known, is_new] = groups_.try_emplace(said);
  if (is_new) known->second = make(i);
  return known->second;
}

LeastCollectives::Group LeastCollectives::make(const Instruction& i) const {
  Group out;
  out.axes = collective_axes(program_, i);
  const auto devices = static_cast<double>(program_.mesh.device_count());
  if (i.permutation) {
    for (const SourceTarget& pair : i.permutation->pairs()) out.share += pair.source == pair.target ? 0 : 1;
    out.share /= devices;
  } else if (const TileAssignment& tiles = i.replica_groups->tiles; tiles.dims.size() == 2) {
    out.ranks = static_cast<double>(tiles.dims[1]);
    out.share = out.ranks * static_cast<double>(tiles.dims[0]) / devices;
  } else if (const auto groups = device_groups(program_, i); !groups.empty()) {
    out.ranks = static_cast<double>(groups[0].size());
    out.share = out.ranks * static_cast<double>(groups.size()) / devices;
  }
  find_links(out);
  if (i.permutation) out.ways_in = out.ways_out = 1;  // its messages go in one piece
  return out;
}

// What a device sends passes its port, whoever it is for; what it gets comes by those of all others. Of a
// full mesh a device uses its links to the others of its group.
void LeastCollectives::find_links(Group& group) const {
  const Mesh& mesh = program_.mesh;
  int64_t others = group.axes.empty() ? mesh.device_count() : 1;
  for (const std::string& axis : group.axes) others *= mesh.axis_size(*mesh.axis_index(axis));
  others = std::max<int64_t>(1, others - 1);
  if (fabric_.all_pairs()) {
    group.ways_in = static_cast<int>(others);
    group.ways_out = fabric_.has_port() ? 1 : group.ways_in;
    group.own_links = group.ways_out;
    group.links = fabric_.has_port() ? "port" : join(group.axes, ",");
    return;
  }
  int directions = 0;
  for (int a = 0; a < mesh.rank(); ++a)
    if (group.axes.empty() ||
        std::ranges::find(group.axes, mesh.axes()[static_cast<size_t>(a)].name) != group.axes.end())
      directions += fabric_.directions(a);
  group.ways_in = group.ways_out = std::max(1, directions);
  group.own_links = group.ways_out;
  if (group.axes.size() != 1) return;
  group.links = group.axes[0];
  const int axis = *mesh.axis_index(group.axes[0]);
  const auto size = static_cast<double>(mesh.axis_size(axis));
  if (!fabric_.axis_wraps(axis) && size > 1) group.own_links = 2 * (size - 1) / size;
}

// A group of n gathers or scatters G bytes by (n − 1)/n · G each; a broadcast or a reduction moves every
// byte n − 1 times over n devices.
LeastCollectives::Traffic LeastCollectives::traffic(const Instruction& i, const Group& group) const {
  const CollectiveKind kind = *collective_kind(i);
  Traffic out;
  if (kind == CollectiveKind::permute) {
    const bool everyone = group.share == 1;
    out.whole = static_cast<double>(i.shape.bytes());
    out.sent = group.share * out.whole;
    out.messages = group.share;
    out.reaches = group.share > 0 ? out.whole : 0;
    out.received = out.late = everyone ? out.whole : 0;
    out.waits_for_own = everyone;
    return out;
  }
  const double n = group.ranks;
  if (n <= 1) return out;
  out.whole = static_cast<double>(
      kind == CollectiveKind::all_gather ? i.shape.bytes() : operand_bytes(program_.entry_computation(), i));
  const double others = (n - 1) / n;
  out.messages = others * group.share;
  out.sent = out.messages * out.whole * (kind == CollectiveKind::all_reduce ? 2 : 1);
  out.waits_for_own = kind != CollectiveKind::broadcast;
  if (kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce) out.reaches = out.whole;
  if (group.share < 1) return out;
  if (kind == CollectiveKind::all_gather) {
    out.received = others * out.whole;
    out.late = out.whole / n;
  } else if (kind == CollectiveKind::reduce_scatter) {
    out.received = out.whole / n;
    out.late = others * out.whole;
  } else if (kind == CollectiveKind::all_reduce) {
    out.received = out.late = out.whole;
  } else if (kind == CollectiveKind::all_to_all) {
    out.received = out.late = others * out.whole;
  }
  return out;
}

// As MeasuredPaces: a ramp makes messages slower by the same share, the less the more the busiest port sends;
// a switch that adds lets them pass faster.
LeastCollectives::Pace LeastCollectives::pace(CollectiveKind kind, const Group& group,
                                              const Traffic& traffic) const {
  // A row is of a group within a node.
  if (fabric_.node() > 0) return fastest(hardware_, fabric_);
  const bool permutes = kind == CollectiveKind::permute;
  const bool rooted = kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
  const double busiest = rooted || permutes ? traffic.whole : traffic.sent / group.share;
  const CollectiveLoad load{permutes ? program_.mesh.device_count() : static_cast<int64_t>(group.ranks), 1,
                            traffic.whole, busiest};
  const auto measured = [&](const LinkOp& op) {
    Pace out = own_;
    if (op.launch_s) out.launch_s = *op.launch_s;
    if (op.step_s) out.latency_s = to_seconds(to_picoseconds(*op.step_s));
    const double seconds = counted_bytes(op, load) / op.bytes_per_s.value_or(own_.bytes_per_s);
    // Of a torus the busiest link may have more.
    out.bytes_per_s =
        busiest / (seconds + (fabric_.all_pairs() ? ramp_s(op, load.bytes) + parts_s(op, load) : 0));
    return out;
  };
  if (!permutes) {
    const LinkOp* op = link_op(hardware_, name(kind), static_cast<int64_t>(group.ranks));
    return op == nullptr ? own_ : measured(*op);
  }
  Pace fastest = own_;
  for (const LinkOp& op : hardware_.link.ops) {
    if (op.kind != name(kind) || op.axis) continue;
    const Pace it = measured(op);
    fastest = {std::min(fastest.launch_s, it.launch_s), std::min(fastest.latency_s, it.latency_s),
               std::max(fastest.bytes_per_s, it.bytes_per_s)};
  }
  return fastest;
}

}  // namespace shardscope::inline tuner
