// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/nccl_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <limits>

#include "engine/base/say.h"
#include "engine/base/units.h"

namespace shardscope::inline collectives {
namespace {

using Algorithm = NcclAlgorithm;
using Protocol = NcclProtocol;
using Kind = CollectiveKind;
using ByProtocol = std::array<double, 3>;  // LL, LL128, Simple
using ByNodes = std::array<double, 3>;     // one node, two, more

constexpr Protocol kProtocols[] = {Protocol::ll, Protocol::ll128, Protocol::simple};
constexpr Algorithm kAlgorithms[] = {Algorithm::tree, Algorithm::ring, Algorithm::nvls, Algorithm::nvls_tree,
                                     Algorithm::pat};

// Microseconds: once, for a hop within a node, for one between nodes.
struct Latency {
  ByProtocol once, near, far;
};
constexpr Latency kLatency[] = {
    {{6.8, 14.0, 8.4}, {0.6, 1.25, 4.0}, {5.0, 8.5, 14.0}},  // tree
    {{6.6, 14.0, 8.4}, {0.6, 1.9, 3.4}, {2.7, 4.0, 14.0}},   // ring
    {{0, 0, 0}, {0, 0, 25.0}, {0, 0, 18.0}},                 // NVLS
    {{0, 0, 0}, {0, 0, 25.0}, {0, 0, 20.9}},                 // NVLS tree
    {{8.0, 8.0, 8.0}, {0, 0, 4.0}, {0, 0, 14.0}},            // PAT
};

// GB/s at most: of LL in all, of a channel, and what multicast reaches of its links.
struct Limits {
  double ll_in_node;
  double ring_ll128;
  ByNodes tree_ll128, tree, nvls_tree;
  double nvls_efficiency;
};
constexpr Limits kLimits[] = {
    {87.7, 20.0, {20.0, 20.0, 20.0}, {24.0, 23.6, 17.8}, {24.0, 23.6, 17.8}, 0},    // Ampere
    {141.0, 36.7, {36.7, 36.7, 29.0}, {38.7, 41.4, 36.0}, {0, 57.7, 45.5}, 0.85},   // Hopper
    {282.0, 40.0, {55.6, 31.67, 20.0}, {70.0, 42.8, 24.0}, {0, 96.0, 80.0}, 0.74},  // Blackwell
};
constexpr ByNodes kLlBetweenNodes = {39.0, 39.0, 20.4}, kLlBetweenAmdNodes = {87.7, 22.5, 19.0};

// What trees reach of their bandwidth at 64 B, 128 B, … 512 MiB.
constexpr std::array<std::array<double, 24>, 3> kTreeShare = {{
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9},
}};

constexpr int32_t kMostGathered = 32;  // of multicast, as gathers use it

int log2_floor(int64_t n) {
  return n < 1 ? -1 : static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) - 1;
}

bool is_reduced(Kind kind) {
  return kind != Kind::all_gather && kind != Kind::broadcast;
}

bool in_switch(ElementType type) {
  switch (type) {
    case ElementType::bf16:
    case ElementType::f16:
    case ElementType::f32:
    case ElementType::f64:
    case ElementType::s32:
    case ElementType::u32:
    case ElementType::s64:
    case ElementType::u64:
      return true;
    default:
      return false;
  }
}

bool is_eight_bit_float(ElementType type) {
  return bits(type) == 8 && element_type(type).kind == TypeKind::floating;
}

// The times of one collective on one machine, in microseconds and GB/s as NCCL counts them.
class Model {
 public:
  Model(const NcclMachine& machine, const NcclCollective& collective)
      : m_(machine), graphs_(nccl_graphs(machine)), c_(collective) {
    limits_ = &kLimits[static_cast<size_t>(m_.generation)];
    by_nodes_ = static_cast<size_t>(std::min(m_.nodes, 3) - 1);
    // Rings are doubled, and once more where few of them are fast ones over the network.
    channels_ = std::min(64, 2 * graphs_.ring.count);
    if (m_.generation != NcclGeneration::ampere && m_.nodes > 1 && graphs_.ring.within > 45 && channels_ < 16)
      channels_ *= 2;
  }

  bool may(Algorithm a, Protocol p) const {
    const bool whole = c_.kind == Kind::all_reduce;
    const bool shards = c_.kind == Kind::all_gather || c_.kind == Kind::reduce_scatter;
    const bool multicast = graphs_.nvls.count >= 2 && m_.per_node >= 2 && p == Protocol::simple &&
                           (in_switch(c_.type) || !is_reduced(c_.kind));
    switch (a) {
      case Algorithm::tree:
        return whole && (p != Protocol::ll128 || graphs_.tree_ll128);
      case Algorithm::ring:
        return p != Protocol::ll128 || graphs_.ring_ll128;
      case Algorithm::nvls:
        return multicast && m_.nodes == 1 && (whole || (shards && m_.per_node <= kMostGathered));
      case Algorithm::nvls_tree:
        return multicast && m_.nodes > 1 && whole;
      case Algorithm::pat:
        return shards && p == Protocol::simple && m_.per_node == 1;
    }
    return false;
  }

  NcclTime time(Algorithm a, Protocol p) const {
    double bandwidth = algorithm_bandwidth(a, p), latency = latency_of(a, p);
    const int size = log2_floor(c_.bytes / 64);
    const bool tree_share = (a == Algorithm::tree && size < 23) ||
                            (a == Algorithm::nvls_tree && size < 24 &&
                             m_.generation == NcclGeneration::blackwell && m_.cpu != NcclCpu::arm);
    if (tree_share && size >= 0) bandwidth *= kTreeShare[static_cast<size_t>(p)][static_cast<size_t>(size)];
    // Long rings over the network do not run level with the model.
    if (a == Algorithm::ring && p == Protocol::simple && m_.nodes > 1 && c_.kind == Kind::all_reduce &&
        c_.bytes / (int64_t{channels_} * m_.ranks()) >= 64)
      latency *= 1.4;
    double us = latency + static_cast<double>(c_.bytes) / (1000 * bandwidth);
    // Long rings of 8-bit sums lose too much: anything else comes first.
    if (a == Algorithm::ring && m_.ranks() > 8 && is_eight_bit_float(c_.type)) us *= 1024;
    return {a, p, us * 1e-6, channels_of(a, p)};
  }

 private:
  const NcclChannels& graph_of(Algorithm a) const {
    if (a == Algorithm::ring) return graphs_.ring;
    return a == Algorithm::nvls || a == Algorithm::nvls_tree ? graphs_.nvls : graphs_.tree;
  }

  double ll_most() const {
    if (m_.nodes == 1) return limits_->ll_in_node;
    return (m_.cpu == NcclCpu::amd ? kLlBetweenAmdNodes : kLlBetweenNodes)[by_nodes_];
  }

  double multicast_bandwidth(Algorithm a) const {
    const NcclChannels& g = graphs_.nvls;
    const double heads = g.count, ranks = m_.per_node;
    double within = g.within * limits_->nvls_efficiency * (heads - 1) / heads;
    within *= c_.kind == Kind::all_reduce ? 2 : (ranks - 1) / ranks;
    const double between = g.between * (m_.nodes <= 2 && a == Algorithm::nvls_tree ? 2 : 1);
    double most = std::min(within, between);
    if (a == Algorithm::nvls_tree) most = std::min(most, limits_->nvls_tree[by_nodes_]);
    return heads * most;
  }

  double bus_bandwidth(Algorithm a, Protocol p) const {
    if (a == Algorithm::nvls || a == Algorithm::nvls_tree) return multicast_bandwidth(a);
    const NcclChannels& g = graph_of(a);
    const double channels = g.count;
    const double bus = channels * (m_.nodes <= 2 ? g.within : g.between);
    if (a == Algorithm::pat) return .75 * bus;
    if (a == Algorithm::ring) {
      if (p == Protocol::ll) return std::min(ll_most(), bus / 2);
      return p == Protocol::ll128 ? std::min(.92 * bus, channels * limits_->ring_ll128) : bus;
    }
    double tree = std::min(.92 * bus, channels * limits_->tree[by_nodes_]);
    if (p == Protocol::ll) tree = std::min(tree / 3.8, ll_most());
    if (p == Protocol::ll128)
      tree = std::min(tree * (m_.nodes == 1 ? 7.0 / 9.0 : 120.0 / 128.0),
                      channels * limits_->tree_ll128[by_nodes_]);
    return graphs_.plain_tree ? .85 * tree : tree;
  }

  // Bytes of the array instead of what goes over the busiest link.
  double algorithm_bandwidth(Algorithm a, Protocol p) const {
    const double bus = bus_bandwidth(a, p);
    const bool shards = c_.kind == Kind::all_gather || c_.kind == Kind::reduce_scatter;
    if (a != Algorithm::ring && shards) return bus;
    if (a == Algorithm::tree) return bus / 2;
    return bus * m_.ranks() / steps();
  }

  int32_t steps() const {
    if (c_.kind == Kind::all_reduce) return 2 * (m_.ranks() - 1);
    return c_.kind == Kind::broadcast || c_.kind == Kind::reduce ? m_.ranks() : m_.ranks() - 1;
  }

  double latency_of(Algorithm a, Protocol p) const {
    const Latency& of = kLatency[static_cast<size_t>(a)];
    const auto at = static_cast<size_t>(p);
    // Where a node has one rank nothing hides what a hop takes: it is a tree's.
    const double far = (m_.per_node == 1 ? kLatency[static_cast<size_t>(Algorithm::tree)] : of).far[at];
    const int levels = log2_floor(m_.nodes);
    switch (a) {
      case Algorithm::tree:
        return of.once[at] + 2 * ((m_.per_node - 1) * of.near[at] + levels * far);
      case Algorithm::ring:
        return of.once[at] + ring_latency(p, of.near[at], far);
      case Algorithm::nvls:
        return of.near[at];
      case Algorithm::nvls_tree:
        return of.near[at] + 2 * levels * far;
      case Algorithm::pat:
        return of.once[at] + levels * far / 3.5 + 2.8 * m_.ranks();
    }
    return 0;
  }

  double ring_latency(Protocol p, double near, double far) const {
    if (c_.kind == Kind::broadcast || c_.kind == Kind::reduce) {
      const bool counts_chunks = !graphs_.rings_alike;
      const Latency& of = kLatency[static_cast<size_t>(
          counts_chunks && p == Protocol::simple ? Algorithm::tree : Algorithm::ring)];
      const double hop = (m_.nodes == 1 ? of.near : of.far)[static_cast<size_t>(p)];
      return counts_chunks ? steps() * hop : hop;
    }
    int32_t over_network = 0;
    if (m_.nodes > 1) {
      over_network = (c_.kind == Kind::all_reduce ? 2 : 1) * (m_.nodes - 1);
      near = std::max(near, (m_.cpu == NcclCpu::amd ? 2.0 : 1.0) * (p == Protocol::simple ? 3 : 1));
    }
    return (steps() - over_network) * near + over_network * far;
  }

  // Small arrays are not worth all channels: a thread of each has so many bytes at least.
  int32_t channels_of(Algorithm a, Protocol p) const {
    if (a == Algorithm::pat) return channels_;
    if (a == Algorithm::nvls || a == Algorithm::nvls_tree) {
      if (m_.generation == NcclGeneration::hopper) return 16;
      return m_.nodes == 2 ? 32 : 24;
    }
    const int64_t threads = p == Protocol::ll128 ? 640 : 512;
    int64_t least = p == Protocol::simple ? 64 : 8;
    if (a == Algorithm::ring && p == Protocol::ll) least *= m_.ranks();
    return static_cast<int32_t>(std::clamp<int64_t>(c_.bytes / (threads * least), 1, channels_));
  }

  NcclMachine m_;
  NcclGraphs graphs_;
  NcclCollective c_;
  const Limits* limits_ = nullptr;
  size_t by_nodes_ = 0;
  int32_t channels_ = 0;
};

}  // namespace

const char* name(NcclAlgorithm algorithm) {
  constexpr const char* kNames[] = {"tree", "ring", "NVLS", "NVLS tree", "PAT"};
  return kNames[static_cast<size_t>(algorithm)];
}

const char* name(NcclProtocol protocol) {
  constexpr const char* kNames[] = {"LL", "LL128", "Simple"};
  return kNames[static_cast<size_t>(protocol)];
}

std::vector<NcclTime> nccl_times(const NcclMachine& machine, const NcclCollective& collective) {
  std::vector<NcclTime> out;
  const bool sent_and_received = collective.kind == Kind::all_to_all || collective.kind == Kind::permute;
  if (machine.ranks() < 2 || collective.bytes <= 0 || sent_and_received) return out;
  const Model model(machine, collective);
  for (const Algorithm a : kAlgorithms) {
    for (const Protocol p : kProtocols) {
      if (model.may(a, p)) out.push_back(model.time(a, p));
    }
  }
  std::ranges::stable_sort(out, {}, &NcclTime::seconds);
  return out;
}

std::string words_of(const std::vector<NcclTime>& times) {
  if (times.empty()) return "";
  const auto said = [](const NcclTime& t) {
    return fmt::format("{} {}", name(t.algorithm), name(t.protocol));
  };
  std::string out = fmt::format("NCCL 2.30 takes {} with {}, {} by its model", said(times[0]),
                                counted(times[0].channels, "channel"), format_seconds(times[0].seconds));
  if (times.size() > 1)
    out += fmt::format(", against {} by {}", format_seconds(times[1].seconds), said(times[1]));
  return out;
}

}  // namespace shardscope::inline collectives
