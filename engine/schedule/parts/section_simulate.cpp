// SPDX-License-Identifier: Apache-2.0
// One play of a section: a simulation of its own, and what is kept of it.
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/plan/to_index.h"
#include "engine/schedule/parts/section_play.h"
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

namespace {

// In which spans lanes were used. `pair`: one of two chips, of which the second has the link down where the
// first has the one up.
void use_lanes(const PlayWatch& watch, bool pair, SectionPlay& play) {
  play.used.start = std::numeric_limits<Picoseconds>::max();
  for (size_t l = 0; l < watch.lanes.size(); ++l) {
    const TimeRange& lane = play.lanes.emplace_back(TimeRange{watch.first_asks[l], watch.lanes[l].time});
    if (lane.start == PlayWatch::kNever) continue;
    play.used = {std::min(play.used.start, lane.start), std::max(play.used.end, lane.end)};
  }
  if (pair) play.lanes[2] = play.lanes[1];
}

}  // namespace

WorkPlan SectionPlayer::plan_of(const Request& request) const {
  WorkPlan plan;
  for (const int32_t kind : request.kinds) plan.works.push_back(kinds_[to_index(kind)].second);
  const auto each_need = [&](const auto& found) {
    for (size_t w = 0; w < request.after.size(); ++w)
      if (request.after[w] >= 0) found(request.after[w], static_cast<int32_t>(w));
  };
  link_readers(plan.works.size(), each_need, plan);
  return plan;
}

Result<std::optional<SectionPlay>> SectionPlayer::simulate(const Request& request, const Moment& base) {
  Of& of = all_[to_index(request.sections)];
  TRY(const Fabric* fabric, fabric_of(of, request.section));
  const auto start = [&](size_t places) {
    PlayStart from;
    size_t given = 0;
    for (size_t i = 0; i < request.kinds.size() * places; ++i) {
      from.ready.emplace_back();
      from.ready.back().time = PlayStart::kNone;
      if (request.after[i / places] < 0)
        from.ready.back() = request.operands[request.uniform ? given++ / places : given++].since(base);
    }
    return from;
  };
  const WorkPlan plan = plan_of(request);
  if (request.uniform) {
    const auto symmetry = Symmetry::find(of.sections->mesh(), *fabric, plan);
    if (symmetry && symmetry->played().size() == 1) {
      TRY(auto play, simulate(plan, *fabric, &*symmetry, start(1)));
      if (play) return play;
    }
  }
  return simulate(plan, *fabric, nullptr, start(to_index(of.sections->size())));
}

Result<std::optional<SectionPlay>> SectionPlayer::simulate(const WorkPlan& plan, const Fabric& fabric,
                                                           const Symmetry* one, const PlayStart& from) {
  const int32_t all = fabric.devices();
  const size_t places = one != nullptr ? 1 : to_index(all);
  PlayWatch watch;
  watch.from = from;
  EventRecorder recorder(all, false, 0, one);
  Simulator simulator(plan, fabric, machine_.overlap, recorder, one, &watch);
  TRY(const bool told, simulator.run(stop_, {}));
  if (!told) return std::optional<SectionPlay>();
  const int64_t each = one != nullptr ? all : 1;
  SectionPlay play;
  play.places = static_cast<int32_t>(places);
  for (size_t i = 0; i < simulator.spans().size(); ++i) {
    const WorkSpan& span = simulator.spans()[i];
    Outcome outcome;
    outcome.end = watch.done[i];
    outcome.end.event = -1;
    outcome.start = span.start;
    outcome.sent = span.sent;
    if (i < places) {  // what a device does for all of the works counts with the first
      const DeviceTotals& totals = recorder.totals(static_cast<int32_t>(i));
      outcome.bytes_sent = totals.bytes_sent;
      outcome.bytes_received = totals.bytes_received;
      outcome.bytes_relayed = totals.bytes_relayed;
      const Spans& busy = recorder.of(static_cast<int32_t>(i)).comm;
      outcome.busy = busy_.number({busy.begin(), busy.end()});
    } else {
      outcome.busy = busy_.number({});
    }
    play.outcomes.push_back(outcomes_.number(outcome));
  }
  for (const int64_t bytes : simulator.bytes_sent()) play.bytes_sent.push_back(bytes * each);
  play.events = recorder.event_count() * each;
  play.last = recorder.last();
  use_lanes(watch, one != nullptr && all == 2, play);
  return std::optional(std::move(play));
}

}  // namespace shardscope::inline scheduler
