// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/fastest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "engine/collectives/measured_pace.h"
#include "engine/plan/collective_plan.h"
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

namespace {

// The chip and the mesh that hold nothing but one group.
struct Bench {
  Mesh mesh;
  Hardware chip;
  Fabric fabric;
  std::shared_ptr<const CollectiveGroups> group;
  std::vector<int> mesh_axes;
  std::vector<int32_t> rank_axes;
};

Topology topology_of(const GroupTopology& group, const LinkCosts& costs) {
  if (group.node > 0) return Topology::two_level;
  if (group.all_pairs) return costs.port ? Topology::switch_ : Topology::full;
  return Topology::torus;
}

Bench make_bench(const CollectiveQuery& asked) {
  const auto& [shape, costs, rows] = asked;
  const GroupTopology& topology = shape.topology;
  const int32_t ranks = shape.ranks;
  Hardware chip;
  chip.link.ops = rows;
  chip.topology = topology_of(topology, costs);
  chip.link.latency_s = costs.latency_s;
  chip.link.bytes_per_s = costs.bytes_per_s;
  chip.link.level_slices = topology.level_slices;
  if (topology.node > 0) {
    chip.node_devices = topology.node;
    chip.network_latency_s = costs.network_latency_s;
    chip.network_bytes_per_s = costs.network_bytes_per_s;
  }
  std::vector<MeshAxis> axes;
  for (const GroupAxis& axis : topology.axes)
    axes.push_back({std::string(1, static_cast<char>('a' + axes.size())), axis.size, axis.wraps});
  if (axes.empty()) axes.push_back({"a", ranks, topology.wraps});
  Bench bench{Mesh::make(axes).value(), std::move(chip), {}, {}, {}, {}};
  bench.fabric = Fabric::make(bench.mesh, bench.chip).value();
  for (const MeshAxis& axis : axes) {
    bench.mesh_axes.push_back(static_cast<int>(bench.mesh_axes.size()));
    bench.rank_axes.push_back(static_cast<int32_t>(axis.size));
  }
  std::vector<int32_t> devices;
  for (int32_t r = 0; r < ranks; ++r) devices.push_back(axes.size() == 1 ? (r + topology.first) % ranks : r);
  bench.group = numbered({std::move(devices)}, ranks);
  return bench;
}

// Later than any `limit`; in seconds what picoseconds can just say.
constexpr Picoseconds kLater = std::numeric_limits<Picoseconds>::max();
constexpr double kLaterSeconds = 9e6;

// kLater when it takes longer than `limit`: it is played no further. None when told to stop.
std::optional<Picoseconds> played(const Bench& bench, std::shared_ptr<const CollectiveSchedule> schedule,
                                  int64_t bytes, Picoseconds limit, const std::stop_token& stop) {
  WorkPlan plan;
  plan.give_up_after = limit;
  Work& work = plan.works.emplace_back();
  work.kind = WorkKind::collective;
  work.schedule = std::move(schedule);
  work.groups = bench.group;
  work.bytes = bytes;
  work.mesh_axes = bench.mesh_axes;
  work.rank_axes = bench.rank_axes;
  MeasuredPaces paces(bench.chip, bench.fabric, bench.mesh);
  if (const auto pace = paces.of(*work.schedule, bench.group->members, bytes)) {
    work.pace = pace->link;
    work.cost.overhead = to_picoseconds(pace->launch_s);
  }
  link_readers(
      1, [](const auto&) {}, plan);
  std::optional<Symmetry> symmetry = Symmetry::find(bench.mesh, bench.fabric, plan);
  for (;; symmetry.reset()) {
    const Symmetry* one = symmetry ? &*symmetry : nullptr;
    EventRecorder recorder(bench.fabric.devices(), false, 0, one);
    Simulator simulator(plan, bench.fabric, true, recorder, one);
    const auto told = simulator.run(stop, {});
    if (!told.ok()) return told.error().kind == ErrorKind::too_big ? std::optional(kLater) : std::nullopt;
    const Picoseconds total = recorder.last().end.time;
    if (*told) return total <= limit ? total : kLater;
  }
}

// The algorithms by the load of links: with the chip's numbers, or those of what was measured.
AlgorithmChoice estimated(const CollectiveQuery& asked) {
  const CollectiveShape& shape = asked.shape;
  LinkCosts costs = asked.costs;
  Hardware chip;
  chip.link.ops = asked.rows;
  const LinkOp* row = link_op(chip, name(shape.kind), shape.ranks);
  if (row != nullptr) {
    costs.latency_s = row->step_s.value_or(costs.latency_s);
    costs.bytes_per_s = row->bytes_per_s.value_or(costs.bytes_per_s);
  }
  AlgorithmChoice out = choose(shape.kind, shape.ranks, shape.topology, shape.bytes, costs);
  for (TimedAlgorithm& timed : out.timed)
    if (row != nullptr && timed.seconds > 0) timed.seconds += row->launch_s.value_or(0);
  return out;
}

// The first `exact` of AlgorithmChoice::timed are as played. None when told to stop.
std::optional<AlgorithmChoice> find_fastest(const CollectiveQuery& asked, size_t exact,
                                            const std::stop_token& stop) {
  const CollectiveShape& shape = asked.shape;
  // By how much the load of links, step by step, is off at most where steps overlap: on a torus of three axes
  // by 3, on nodes whose ranks need not wait for a slow network by more.
  const double hopeful = shape.topology.node > 0 ? 8 : 3;
  constexpr double kMostEvents = 1 << 16;
  AlgorithmChoice choice = estimated(asked);
  if (choice.timed.size() == 1 || choice.timed[0].seconds == 0) return choice;
  const Bench bench = make_bench(asked);
  // The times of the fastest few so far, played or only estimated: what takes longer than all of them is
  // none.
  std::vector<Picoseconds> fastest(exact, kLater);
  double best = std::numeric_limits<double>::infinity();
  for (TimedAlgorithm& timed : choice.timed) {
    if (timed.seconds > hopeful * best) break;
    if (timed.events <= kMostEvents) {
      auto schedule = lower(shape.kind, timed.algorithm, shape.ranks, shape.topology, shape.bytes).value();
      const auto time = played(bench, std::move(schedule), shape.bytes, fastest.back(), stop);
      if (!time) return std::nullopt;
      fastest.push_back(*time);
      timed.seconds = *time == kLater ? kLaterSeconds : to_seconds(*time);
    } else {
      fastest.push_back(std::llround(timed.seconds * 1e12));  // as decide compares them
    }
    std::ranges::sort(fastest);
    fastest.pop_back();
    best = std::min(best, timed.seconds);
  }
  return decide(std::move(choice.timed));
}

}  // namespace

const FastestAlgorithms::Choice* FastestAlgorithms::find(const CollectiveQuery& asked) const {
  if (before_ != nullptr)
    if (const Choice* choice = before_->find(asked)) return choice;
  const auto at = known_.find(key_of(asked.shape));
  if (at == known_.end()) return nullptr;
  for (const Known& it : at->second)
    if (it.asked == asked) return &it.choice;
  return nullptr;
}

std::optional<FastestAlgorithms::Choice> FastestAlgorithms::of(const CollectiveQuery& asked,
                                                               const std::stop_token& stop) {
  if (const Choice* choice = find(asked)) return *choice;
  const bool say = reasons_ == Reasons::said;
  auto found = find_fastest(asked, say ? kSaidOf : 1, stop);
  if (!found) return std::nullopt;
  std::vector<Known>& known = known_[key_of(asked.shape)];
  known.push_back({asked, {found->algorithm, say ? std::move(found->why) : ""}});
  ++count_;
  return known.back().choice;
}

void FastestAlgorithms::learn(FastestAlgorithms&& other) {
  for (auto& [key, all] : other.known_) {
    for (Known& it : all) {
      if (knows(it.asked)) continue;
      known_[key].push_back(std::move(it));
      ++count_;
    }
  }
}

}  // namespace shardscope::inline scheduler
