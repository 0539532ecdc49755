// SPDX-License-Identifier: Apache-2.0
// From the table of algorithms to schedules.
#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "engine/base/units.h"
#include "engine/collectives/algorithm_table.h"
#include "engine/collectives/all_to_all_ring.h"
#include "engine/collectives/binomial.h"
#include "engine/collectives/bruck.h"
#include "engine/collectives/chain.h"
#include "engine/collectives/collective_group.h"
#include "engine/collectives/doubling.h"
#include "engine/collectives/exchange.h"
#include "engine/collectives/ring.h"
#include "engine/collectives/torus_exchange.h"
#include "engine/collectives/tree.h"

namespace shardscope::inline collectives {

namespace {

using Kind = CollectiveKind;
using Group = CollectiveGroup;
using Schedule = SchedulePtr;

constexpr int32_t kMostExchanging = 16384;  // an all-to-all numbers 2·ranks² chunks

// Of the kinds that go round a ring: shards, a stream from or to the root, or what is exchanged.
Schedule shards(const Group& g, RingForm form) {
  if (g.line()) form = RingForm::line;
  if (g.ranks <= 2) form = RingForm::one_way;
  return std::make_shared<RingSchedule>(g.kind, form, g.ranks, g.one_axis());
}

Schedule stream(const Group& g, ChainForm::Way way) {
  ChainForm form{way, 0};
  if (g.ranks <= 2) form.way = ChainForm::up;
  if (g.line() && g.one_axis()) form = {ChainForm::line, g.topology.first};
  const int32_t segments = g.segments(form.way == ChainForm::halves ? 2 : 1);
  return std::make_shared<ChainSchedule>(g.kind, form, g.ranks, segments);
}

Schedule exchanged(const Group& g, AllToAllForm form) {
  if (g.line()) form = AllToAllForm::line;
  if (g.ranks <= 2) form = AllToAllForm::one_way;
  return std::make_shared<AllToAllRing>(form, g.ranks, g.one_axis());
}

bool is_rooted(Kind kind) {
  return kind == Kind::broadcast || kind == Kind::reduce;
}

Schedule doubled(const Group& g, Kind kind, DoublingOrder order) {
  bool pairs = g.ranks <= 2 || !g.topology.axes.empty();
  for (const GroupAxis& axis : g.topology.axes) pairs = pairs && axis.size <= 2;
  return std::make_shared<DoublingSchedule>(kind, order, g.ranks, pairs);
}

Schedule straight(const Group& g, ExchangeOrder order) {
  return scatter_and_gather(g.kind, [&](Kind kind) -> Schedule {
    return std::make_shared<ExchangeSchedule>(kind, order, g.ranks, g.axis_sizes());
  });
}

// Turning an axis turns what goes along the axes.
bool turns(const Group& g) {
  bool all = g.topology.node == 0;
  for (const TorusAxis& axis : g.axes()) all = all && (axis.wraps || axis.size == 2);
  return all;
}

Schedule along_axes(const Group& g, const std::vector<TorusColour>& colours) {
  return scatter_and_gather(g.kind, [&](Kind kind) -> Schedule {
    return std::make_shared<TorusSchedule>(kind, g.ranks, colours, turns(g));
  });
}

// Along an axis at a time, beginning with the fast one; each colour with another.
Result<Schedule> exchanged_along_axes(const Group& g, bool all_at_once) {
  const std::vector<TorusAxis> axes = torus_colours(g.axes()).front().axes;
  const int32_t colours = all_at_once ? static_cast<int32_t>(axes.size()) : 1;
  if (TorusExchange::chunks_of(g.ranks, axes, colours) > std::numeric_limits<int32_t>::max()) {
    return invalid(
        fmt::format("an all-to-all of {} devices along their axes is too big to be timed", g.ranks), "",
        "let it go by direct");
  }
  return Schedule(std::make_shared<TorusExchange>(g.ranks, axes, colours, turns(g)));
}

}  // namespace

std::vector<TorusAxis> CollectiveGroup::axes() const {
  std::vector<TorusAxis> out;
  int32_t stride = ranks;
  for (const GroupAxis& axis : topology.axes) {
    stride /= axis.size;
    if (axis.size > 1) out.push_back({axis.size, stride, axis.wraps || topology.all_pairs});
  }
  return out;
}

std::vector<int32_t> CollectiveGroup::axis_sizes() const {
  std::vector<int32_t> out;
  for (const TorusAxis& axis : axes()) out.push_back(axis.size);
  return out;
}

int32_t CollectiveGroup::segments(int64_t chains) const {
  return static_cast<int32_t>(std::clamp<int64_t>(ceil_div(bytes, chains * kSegmentBytes), 1, kMostSegments));
}

namespace algorithms {

Result<Schedule> ring(const Group& g) {
  if (g.kind == Kind::all_to_all) return exchanged(g, AllToAllForm::one_way);
  return is_rooted(g.kind) ? stream(g, ChainForm::up) : shards(g, RingForm::one_way);
}

Result<Schedule> bidirectional(const Group& g) {
  if (g.kind == Kind::all_to_all) return exchanged(g, AllToAllForm::shorter);
  return is_rooted(g.kind) ? stream(g, ChainForm::halves) : shards(g, RingForm::halves);
}

Result<Schedule> bidirectional_whole(const Group& g) {
  return shards(g, RingForm::whole);
}

Result<Schedule> bidirectional_whole_oneside(const Group& g) {
  return shards(g, RingForm::whole_oneside);
}

Result<Schedule> doubling(const Group& g) {
  if (g.kind != Kind::all_to_all) return doubled(g, g.kind, DoublingOrder::near_large);
  return Schedule(std::make_shared<ExchangeSchedule>(g.kind, ExchangeOrder::bits, g.ranks, g.axis_sizes()));
}

// Where all pairs are neighbours, the far messages need not be the small ones.
Result<Schedule> halving_doubling(const Group& g) {
  const DoublingOrder order = g.topology.all_pairs ? DoublingOrder::near_large : DoublingOrder::near_small;
  return scatter_and_gather(g.kind, [&](Kind kind) { return doubled(g, kind, order); });
}

Result<Schedule> bruck(const Group& g) {
  return scatter_and_gather(g.kind, [&](Kind kind) -> Schedule {
    return std::make_shared<BruckSchedule>(kind, g.ranks, g.one_axis());
  });
}

Result<Schedule> direct(const Group& g) {
  return straight(g, ExchangeOrder::at_once);
}

Result<Schedule> shift(const Group& g) {
  return straight(g, ExchangeOrder::shift);
}

Result<Schedule> tree(const Group& g) {
  return Schedule(std::make_shared<DoubleTreeSchedule>(g.kind, g.ranks, g.segments(2)));
}

Result<Schedule> binomial(const Group& g) {
  const auto make = [&](Kind kind) -> Schedule { return std::make_shared<BinomialSchedule>(kind, g.ranks); };
  return g.kind == Kind::all_reduce ? all_reduce_in_turn(make(Kind::reduce), make(Kind::broadcast))
                                    : make(g.kind);
}

// One chain where a port is all that a device has, else both ways at once.
Result<Schedule> chain(const Group& g) {
  return stream(g, g.topology.all_pairs ? ChainForm::up : ChainForm::halves);
}

Result<Schedule> torus(const Group& g) {
  if (g.kind == Kind::all_to_all) return exchanged_along_axes(g, false);
  return along_axes(g, torus_colours(g.axes()));
}

Result<Schedule> torus_bidirectional(const Group& g) {
  if (g.kind == Kind::all_to_all) return exchanged_along_axes(g, true);
  return along_axes(g, bidirectional_torus_colours(g.axes()));
}

// Sums within nodes, across them, and back: a torus that gathers along the slow axis first.
Result<Schedule> hierarchical(const Group& g) {
  const int32_t node = g.topology.node;
  if (!g.equal_nodes()) return along_axes(g, {{g.axes(), false}});
  const TorusColour levels{{{g.ranks / node, node, true}, {node, 1, true}}, false};
  return along_axes(g, std::vector<TorusColour>(static_cast<size_t>(g.topology.level_slices), levels));
}

}  // namespace algorithms

Result<Schedule> lower(CollectiveKind kind, CollectiveAlgorithm algorithm, int32_t ranks,
                       const GroupTopology& topology, int64_t bytes) {
  CHECK(kind != CollectiveKind::permute, "permutes are made by permute_schedule");
  if (ranks < 1) return invalid(fmt::format("a collective needs at least one device, got {}", ranks));
  if (kind == CollectiveKind::all_to_all && ranks > kMostExchanging) {
    return invalid(
        fmt::format("an all-to-all of at most {} devices can be timed, got {}", kMostExchanging, ranks));
  }
  const auto chosen = static_cast<size_t>(chosen_algorithm(algorithm, ranks, topology));
  const AlgorithmRow& row = collective_algorithms()[chosen - 1];
  const CollectiveGroup group{kind, ranks, topology, bytes};
  TRY_VOID(check_legal(row, group));
  return row.make(group);
}

Result<Schedule> lower_ragged(const std::vector<int64_t>& sizes, int32_t ranks) {
  CHECK(ranks >= 1 && sizes.size() == static_cast<size_t>(ranks) * static_cast<size_t>(ranks), ranks,
        sizes.size());
  int64_t rows = 0;
  for (const int64_t size : sizes) {
    if (size < 0) return invalid(fmt::format("a ragged all-to-all sends no fewer than 0 rows, got {}", size));
    const auto sum = checked_add(rows, size);
    if (!sum || *sum > std::numeric_limits<int32_t>::max()) {
      return invalid("a ragged all-to-all of more than 2147483647 rows cannot be timed");
    }
    rows = *sum;
  }
  return Schedule(std::make_shared<RaggedExchange>(sizes, ranks));
}

CollectiveAlgorithm chosen_algorithm(CollectiveAlgorithm asked, int32_t ranks,
                                     const GroupTopology& topology) {
  if (asked != CollectiveAlgorithm::automatic && asked != CollectiveAlgorithm::nccl) return asked;
  return topology.wraps && !topology.all_pairs && ranks > 2 ? CollectiveAlgorithm::bidirectional
                                                            : CollectiveAlgorithm::ring;
}

}  // namespace shardscope::inline collectives
