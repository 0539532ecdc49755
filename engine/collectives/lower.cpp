// SPDX-License-Identifier: Apache-2.0
// Which algorithm is legal for which collective, and what makes it.
#include "engine/collectives/lower.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/collectives/all_to_all_ring.h"
#include "engine/collectives/binomial.h"
#include "engine/collectives/bruck.h"
#include "engine/collectives/chain.h"
#include "engine/collectives/doubling.h"
#include "engine/collectives/exchange.h"
#include "engine/collectives/in_turn.h"
#include "engine/collectives/ring.h"
#include "engine/collectives/torus.h"
#include "engine/collectives/tree.h"

namespace shardscope {

namespace {

using Kind = CollectiveKind;
using Algorithm = CollectiveAlgorithm;
using Schedule = std::shared_ptr<const CollectiveSchedule>;

constexpr int32_t kMostExchanging = 16384;  // an all-to-all numbers 2·ranks² chunks

struct Group {
  Kind kind;
  int32_t ranks;
  const GroupTopology& topology;
  int64_t bytes;

  // Two ranks have one link each way: halves would share it and pay its latency twice.
  bool round() const { return (topology.wraps || topology.all_pairs || topology.node > 0) && ranks > 2; }
  bool line() const { return !round() && ranks > 2; }
  // The axes of more than one rank, slowest first.
  std::vector<TorusAxis> axes() const {
    std::vector<TorusAxis> out;
    int32_t stride = ranks;
    for (const GroupAxis& axis : topology.axes) {
      stride /= axis.size;
      if (axis.size > 1) out.push_back({axis.size, stride, axis.wraps || topology.all_pairs});
    }
    return out;
  }
  std::vector<int32_t> axis_sizes() const {
    std::vector<int32_t> out;
    for (const TorusAxis& axis : axes()) out.push_back(axis.size);
    return out;
  }
  bool one_axis() const { return axes().size() <= 1; }
  int32_t segments(int64_t chains) const {
    return static_cast<int32_t>(
        std::clamp<int64_t>(ceil_div(bytes, chains * kSegmentBytes), 1, kMostSegments));
  }
};

// An all-reduce of what makes reduce-scatters and all-gathers (or reduces and broadcasts); else the kind
// itself.
template <class Make>
Schedule both(Kind kind, Kind first, Kind second, const Make& make) {
  return kind == Kind::all_reduce ? all_reduce_in_turn(make(first), make(second)) : make(kind);
}
template <class Make>
Schedule scatter_and_gather(Kind kind, const Make& make) {
  return both(kind, Kind::reduce_scatter, Kind::all_gather, make);
}

Result<Schedule> ring(const Group& g, RingForm form) {
  if (g.line()) form = RingForm::line;
  if (g.ranks <= 2) form = RingForm::one_way;
  return Schedule(std::make_shared<RingSchedule>(g.kind, form, g.ranks, g.one_axis()));
}

Result<Schedule> chain(const Group& g, ChainForm::Way way) {
  ChainForm form{way, 0};
  if (g.ranks <= 2) form.way = ChainForm::up;
  if (g.line() && g.one_axis()) form = {ChainForm::line, g.topology.first};
  return Schedule(std::make_shared<ChainSchedule>(g.kind, form, g.ranks,
                                                  g.segments(form.way == ChainForm::halves ? 2 : 1)));
}

Result<Schedule> ring_exchange(const Group& g, AllToAllForm form) {
  if (g.line()) form = AllToAllForm::line;
  if (g.ranks <= 2) form = AllToAllForm::one_way;
  return Schedule(std::make_shared<AllToAllRing>(form, g.ranks, g.one_axis()));
}

// Of the kinds that go round a ring: shards, a stream from or to the root, or what is exchanged.
Result<Schedule> round(const Group& g, RingForm form, ChainForm::Way way, AllToAllForm exchange) {
  if (g.kind == Kind::all_to_all) return ring_exchange(g, exchange);
  if (g.kind == Kind::broadcast || g.kind == Kind::reduce) return chain(g, way);
  return ring(g, form);
}

Result<void> power_of_two(const Group& g, Algorithm algorithm) {
  if (std::has_single_bit(static_cast<uint32_t>(g.ranks))) return {};
  return invalid(fmt::format("{} needs a power of two of devices, got {}", name(algorithm), g.ranks), "",
                 fmt::format("{} goes by auto, {}", name(g.kind), algorithm_words(g.kind)));
}

Schedule doubled(const Group& g, Kind kind, DoublingOrder order) {
  bool pairs = g.ranks <= 2 || !g.topology.axes.empty();
  for (const GroupAxis& axis : g.topology.axes) pairs = pairs && axis.size <= 2;
  return std::make_shared<DoublingSchedule>(kind, order, g.ranks, pairs);
}

Result<Schedule> doubling(const Group& g) {
  TRY_VOID(power_of_two(g, Algorithm::doubling));
  if (g.kind == Kind::all_to_all) {
    return Schedule(std::make_shared<ExchangeSchedule>(g.kind, ExchangeOrder::bits, g.ranks, g.axis_sizes()));
  }
  return doubled(g, g.kind, DoublingOrder::near_large);
}

// Where all pairs are neighbours, the far messages need not be the small ones.
Result<Schedule> halving_doubling(const Group& g) {
  TRY_VOID(power_of_two(g, Algorithm::halving_doubling));
  const DoublingOrder order = g.topology.all_pairs ? DoublingOrder::near_large : DoublingOrder::near_small;
  return scatter_and_gather(g.kind, [&](Kind kind) { return doubled(g, kind, order); });
}

Result<Schedule> bruck(const Group& g) {
  return scatter_and_gather(g.kind, [&](Kind kind) -> Schedule {
    return std::make_shared<BruckSchedule>(kind, g.ranks, g.one_axis());
  });
}

Result<Schedule> exchange(const Group& g, ExchangeOrder order) {
  return scatter_and_gather(g.kind, [&](Kind kind) -> Schedule {
    return std::make_shared<ExchangeSchedule>(kind, order, g.ranks, g.axis_sizes());
  });
}

Result<Schedule> tree(const Group& g) {
  return Schedule(std::make_shared<DoubleTreeSchedule>(g.kind, g.ranks, g.segments(2)));
}

Result<Schedule> binomial(const Group& g) {
  return both(g.kind, Kind::reduce, Kind::broadcast,
              [&](Kind kind) -> Schedule { return std::make_shared<BinomialSchedule>(kind, g.ranks); });
}

Schedule along_axes(const Group& g, const std::vector<TorusColour>& colours) {
  bool turns = g.topology.node == 0;
  for (const TorusAxis& axis : colours.front().axes) turns = turns && (axis.wraps || axis.size == 2);
  return scatter_and_gather(g.kind, [&](Kind kind) -> Schedule {
    return std::make_shared<TorusSchedule>(kind, g.ranks, colours, turns);
  });
}

Result<Schedule> torus(const Group& g, Algorithm algorithm) {
  const std::vector<TorusAxis> axes = g.axes();
  if (axes.size() < 2) {
    return invalid(fmt::format("{} needs a group over two or more mesh axes, got {} devices on one",
                               name(algorithm), g.ranks),
                   "", "use ring or bidirectional");
  }
  return along_axes(g,
                    algorithm == Algorithm::torus ? torus_colours(axes) : bidirectional_torus_colours(axes));
}

// Sums within nodes, across them, and back: a torus that gathers along the slow axis first.
Result<Schedule> hierarchical(const Group& g) {
  const int32_t node = g.topology.node;
  std::vector<TorusAxis> axes = g.axes();
  if (node > 1 && node < g.ranks && g.ranks % node == 0) {
    axes = {{g.ranks / node, node, true}, {node, 1, true}};
  } else if (axes.size() < 2) {
    return invalid(fmt::format("hierarchical needs nodes of equal size or two mesh axes, got {} devices {}",
                               g.ranks, node > 0 ? fmt::format("in nodes of {}", node) : "on one axis"),
                   "", fmt::format("{} goes by auto, {}", name(g.kind), algorithm_words(g.kind)));
  }
  return along_axes(g, {{axes, false}});
}

struct Legal {
  Algorithm algorithm;
  std::vector<Kind> kinds;
  Result<Schedule> (*make)(const Group& group);
  bool needs_ring = false;  // another algorithm of the table on a line or two ranks
};

const std::vector<Legal>& table() {
  static const std::vector<Kind> sums = {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce};
  static const std::vector<Kind> rooted = {Kind::broadcast, Kind::reduce};
  static const std::vector<Kind> all = {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce,
                                        Kind::all_to_all, Kind::broadcast,      Kind::reduce};
  static const std::vector<Kind> not_rooted = {Kind::all_gather, Kind::reduce_scatter, Kind::all_reduce,
                                               Kind::all_to_all};
  static const std::vector<Kind> whole_arrays = {Kind::all_reduce, Kind::broadcast, Kind::reduce};
  static const std::vector<Legal> rows = {
      {Algorithm::ring, all,
       [](const Group& g) { return round(g, RingForm::one_way, ChainForm::up, AllToAllForm::one_way); }},
      {Algorithm::bidirectional, all,
       [](const Group& g) { return round(g, RingForm::halves, ChainForm::halves, AllToAllForm::shorter); },
       true},
      {Algorithm::bidirectional_whole, sums, [](const Group& g) { return ring(g, RingForm::whole); }, true},
      {Algorithm::bidirectional_whole_oneside, sums,
       [](const Group& g) { return ring(g, RingForm::whole_oneside); }, true},
      {Algorithm::doubling, not_rooted, doubling},
      {Algorithm::halving_doubling, sums, halving_doubling},
      {Algorithm::bruck, sums, bruck},
      {Algorithm::direct, all, [](const Group& g) { return exchange(g, ExchangeOrder::at_once); }},
      {Algorithm::shift, not_rooted, [](const Group& g) { return exchange(g, ExchangeOrder::shift); }},
      {Algorithm::tree, whole_arrays, tree},
      {Algorithm::binomial, whole_arrays, binomial},
      // One chain where a port is all that a device has, else both ways at once.
      {Algorithm::chain, rooted,
       [](const Group& g) { return chain(g, g.topology.all_pairs ? ChainForm::up : ChainForm::halves); },
       true},
      {Algorithm::torus, sums, [](const Group& g) { return torus(g, Algorithm::torus); }},
      {Algorithm::torus_bidirectional, sums,
       [](const Group& g) { return torus(g, Algorithm::torus_bidirectional); }},
      {Algorithm::hierarchical, sums, hierarchical},
  };
  return rows;
}

bool is_for(const Legal& row, Kind kind) {
  return std::find(row.kinds.begin(), row.kinds.end(), kind) != row.kinds.end();
}

}  // namespace

std::vector<CollectiveAlgorithm> algorithms_for(CollectiveKind kind) {
  std::vector<CollectiveAlgorithm> out;
  for (const Legal& row : table()) {
    if (is_for(row, kind)) out.push_back(row.algorithm);
  }
  return out;
}

std::vector<CollectiveAlgorithm> distinct_algorithms(CollectiveKind kind, int32_t ranks,
                                                     const GroupTopology& topology) {
  std::vector<CollectiveAlgorithm> out;
  for (const Legal& row : table()) {
    const bool another = row.needs_ring && !Group{kind, ranks, topology, 0}.round();
    if (is_for(row, kind) && !another) out.push_back(row.algorithm);
  }
  return out;
}

std::string algorithm_words(CollectiveKind kind) {
  std::vector<std::string> words;
  for (const CollectiveAlgorithm algorithm : algorithms_for(kind)) words.emplace_back(name(algorithm));
  return join(words, ", ");
}

Result<Schedule> lower(CollectiveKind kind, CollectiveAlgorithm algorithm, int32_t ranks,
                       const GroupTopology& topology, int64_t bytes) {
  CHECK(kind != CollectiveKind::permute, "permutes are made by permute_schedule");
  if (ranks < 1) return invalid(fmt::format("a collective needs at least one device, got {}", ranks));
  if (kind == CollectiveKind::all_to_all && ranks > kMostExchanging) {
    return invalid(
        fmt::format("an all-to-all of at most {} devices can be timed, got {}", kMostExchanging, ranks));
  }
  const Algorithm chosen = chosen_algorithm(algorithm, ranks, topology);
  for (const Legal& row : table()) {
    if (row.algorithm == chosen && is_for(row, kind)) return row.make({kind, ranks, topology, bytes});
  }
  return invalid(fmt::format("{} does not go by {}", name(kind), name(chosen)), "",
                 fmt::format("{} goes by auto, {}", name(kind), algorithm_words(kind)));
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
  if (asked != CollectiveAlgorithm::automatic) return asked;
  return topology.wraps && !topology.all_pairs && ranks > 2 ? CollectiveAlgorithm::bidirectional
                                                            : CollectiveAlgorithm::ring;
}

}  // namespace shardscope
