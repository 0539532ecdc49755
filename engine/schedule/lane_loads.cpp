// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/lane_loads.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "engine/collectives/chunk_cut.h"

namespace shardscope::inline scheduler {
namespace {

constexpr int64_t kMostMessages = 1 << 16;  // of a schedule that are looked at

// What a rank sends to another one in all, and for how long it holds a link.
struct Sent {
  int32_t target = 0;
  int8_t direction = 0;
  Picoseconds holds = 0;
};

// By rank, of these ranks; empty: too many messages to look at. Over a port go all of a rank's, whoever they
// are for.
std::vector<std::vector<Sent>> sent_in(const Work& work, const std::vector<int32_t>& ranks,
                                       const Fabric& fabric) {
  const CollectiveSchedule& schedule = *work.schedule;
  const int64_t bytes = work.bytes;
  const LinkPace* pace = work.pace ? &*work.pace : nullptr;
  std::vector<std::vector<Sent>> out(static_cast<size_t>(schedule.ranks()));
  const bool all = ranks.size() == out.size();
  const ChunkCut sizes(bytes, schedule.chunks(), schedule.ranks());
  std::vector<Transfer> transfers;
  int64_t seen = 0, last_bytes = -1;
  Picoseconds takes = 0;
  for (int32_t step = 0; step < schedule.steps(); ++step) {
    transfers.clear();
    if (all) schedule.append_step(step, transfers);
    for (size_t r = 0; !all && r < ranks.size(); ++r) schedule.append_from(step, ranks[r], transfers);
    seen += std::max<int64_t>(1, std::ssize(transfers));
    if (seen > kMostMessages) return {};
    for (const Transfer& t : transfers) {
      const int64_t size = sizes.of(t.chunk, t.count);
      if (size != last_bytes) takes = fabric.link_time(size, 0, pace).held.total();
      last_bytes = size;
      std::vector<Sent>& of_source = out[static_cast<size_t>(t.source)];
      const auto at = std::find_if(of_source.begin(), of_source.end(), [&](const Sent& s) {
        return fabric.has_port() || (s.target == t.target && s.direction == t.direction);
      });
      if (at == of_source.end()) {
        of_source.push_back({t.target, t.direction, takes});
      } else {
        at->holds += takes;
      }
    }
  }
  return out;
}

}  // namespace

LaneLoads::LaneLoads(const WorkPlan& plan, const Fabric& fabric, const Symmetry* symmetry, Routes& routes,
                     const std::vector<int64_t>& times)
    : limit_(plan.give_up_after) {
  if (limit_ == std::numeric_limits<Picoseconds>::max() || !plan.untimed_events.empty()) return;
  for (int32_t d = 0; d < fabric.devices(); ++d)
    if (fabric.speed(d) != 1) return;
  if (symmetry == nullptr) {
    played_.resize(static_cast<size_t>(fabric.devices()));
    std::iota(played_.begin(), played_.end(), 0);
  } else {
    played_ = symmetry->played();
  }
  left_.resize(static_cast<size_t>(routes.lane_count()));
  counts_.resize(plan.count());
  Picoseconds products = 0, copies = 0;
  for (size_t w = 0; w < plan.count(); ++w) {
    const Work& work = plan.work(static_cast<int32_t>(w));
    const Picoseconds takes = work.cost.total() * (times.empty() ? 1 : times[w]);
    if (work.kind == WorkKind::compute) products += takes;
    if (work.kind == WorkKind::copy) copies += takes;
  }
  for (const int32_t device : played_) {
    left_[static_cast<size_t>(routes.number(device, 0))] += products;
    left_[static_cast<size_t>(routes.number(device, fabric.copy_lane()))] += copies;
  }
  if (fabric.link_classes() == 1 && !fabric.has_pair_links()) count_messages(plan, fabric, routes, times);
  is_late_ = *std::max_element(left_.begin(), left_.end()) > limit_;
}

// The ranks of the devices played, in order.
std::vector<int32_t> LaneLoads::ranks_of(const CollectiveGroups& groups) const {
  std::vector<int32_t> ranks;
  for (const int32_t device : played_) {
    const int32_t rank = groups.rank_of[static_cast<size_t>(device)];
    if (rank >= 0) ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

void LaneLoads::count_messages(const WorkPlan& plan, const Fabric& fabric, Routes& routes,
                               const std::vector<int64_t>& times) {
  using Alike = std::tuple<const CollectiveSchedule*, int64_t, const CollectiveGroups*>;
  std::map<Alike, std::vector<int32_t>> works;
  for (size_t w = 0; w < plan.count(); ++w) {
    const Work& work = plan.work(static_cast<int32_t>(w));
    if (work.kind == WorkKind::collective && work.call == nullptr && !work.untimed)
      works[{work.schedule.get(), work.bytes, work.groups.get()}].push_back(static_cast<int32_t>(w));
  }
  using Key = std::tuple<const CollectiveSchedule*, int64_t, std::vector<int32_t>>;
  std::map<Key, std::vector<std::vector<Sent>>> known;
  for (const auto& [alike, all] : works) {
    const auto& [schedule, bytes, groups] = alike;
    std::vector<int32_t> ranks = ranks_of(*groups);
    const auto [sent, is_new] = known.try_emplace({schedule, bytes, ranks});
    if (is_new) sent->second = sent_in(plan.work(all.front()), ranks, fabric);
    if (sent->second.empty()) continue;
    int64_t played = 0;
    for (const int32_t work : all) {
      counts_[static_cast<size_t>(work)] = true;
      played += times.empty() ? 1 : times[static_cast<size_t>(work)];
    }
    for (const int32_t device : played_) {
      const int32_t group = groups->group_of[static_cast<size_t>(device)];
      if (group < 0) continue;
      const std::vector<int32_t>& members = groups->members[static_cast<size_t>(group)];
      const int32_t rank = groups->rank_of[static_cast<size_t>(device)];
      for (const Sent& s : sent->second[static_cast<size_t>(rank)]) {
        const Route route = routes.find(device, members[static_cast<size_t>(s.target)], s.direction);
        left_[static_cast<size_t>(route.lane)] += s.holds * played;
      }
    }
  }
}

}  // namespace shardscope::inline scheduler
