// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/event_count.h"

#include <map>
#include <vector>

#include "engine/collectives/exchange.h"

namespace shardscope::inline planner {

namespace {

int64_t links_between(const Fabric& fabric, int32_t from, int32_t to) {
  int64_t links = 0;
  for (; from != to; ++links) from = fabric.next_hop(from, to, 0).next;
  return links;
}

bool ranks_are_alike(const CollectiveSchedule& schedule) {
  return schedule.rotation_symmetric() || (schedule.kind() == CollectiveKind::all_to_all &&
                                           dynamic_cast<const RaggedExchange*>(&schedule) == nullptr);
}

// Of the first group's first rank, which does what all do.
int64_t events_of_a_rank(const Work& work, const Fabric& fabric) {
  const std::vector<int32_t>& members = work.groups->members[0];
  std::vector<Transfer> sent;
  int64_t events = 0;
  for (int32_t step = 0; step < work.schedule->steps(); ++step) {
    sent.clear();
    work.schedule->append_from(step, 0, sent);
    for (const Transfer& t : sent)
      events += links_between(fabric, members[0], members[static_cast<size_t>(t.target)]);
  }
  return events;
}

}  // namespace

int64_t expected_events(const WorkPlan& plan, const Fabric& fabric) {
  std::map<const CollectiveSchedule*, int64_t> of_a_rank;
  int64_t events = 0;
  for (const Work& work : plan.works) {
    const bool permutes = work.schedule != nullptr && work.schedule->kind() == CollectiveKind::permute;
    if (work.kind != WorkKind::collective || permutes) {
      events += fabric.devices();
    } else if (work.schedule != nullptr && ranks_are_alike(*work.schedule)) {
      const auto [known, is_new] = of_a_rank.try_emplace(work.schedule.get());
      if (is_new) known->second = events_of_a_rank(work, fabric);
      events += known->second * work.schedule->ranks() * static_cast<int64_t>(work.groups->members.size());
    }
  }
  return events;
}

}  // namespace shardscope::inline planner
