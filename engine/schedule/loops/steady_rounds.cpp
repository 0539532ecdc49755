// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/steady_rounds.h"

#include <algorithm>
#include <utility>

#include "engine/schedule/loops/steady_state.h"

namespace shardscope::inline scheduler {
namespace {

// A period that comes so many times more than it was played.
struct Repeated {
  Period period;
  int64_t times = 0;
};

// As many rounds of each loop that a play of them tells of any period that may be left out.
LoopPlan shortened(const LoopPlan& loops, int64_t rounds) {
  const int64_t all_periods = kPeriods.back();
  LoopPlan out = loops;
  for (LoopBlock& block : out.blocks)
    if (block.times >= rounds + all_periods) block.times = rounds + (block.times - rounds) % all_periods;
  return out;
}

Moment moved(Moment m, const Moment& by, int64_t times) {
  for (Picoseconds Moment::*part :
       {&Moment::time, &Moment::compute, &Moment::memory, &Moment::latency, &Moment::bandwidth})
    m.*part += by.*part * times;
  return m;
}

// In the order of the events, as doubles add up.
void add_flops(const WorkPlan& plan, const RoundsTrace& trace, const std::vector<Repeated>& repeated,
               std::vector<DeviceTotals>& devices) {
  std::vector<std::vector<size_t>> products(devices.size());
  for (size_t e = 0; e < trace.events.size(); ++e)
    if (trace.events[e].computes >= 0) products[to_index(trace.events[e].computes)].push_back(e);
  for (size_t d = 0; d < devices.size(); ++d) {
    const std::vector<size_t>& own = products[d];
    const auto from = [&](size_t event) {
      return static_cast<size_t>(std::ranges::lower_bound(own, event) - own.begin());
    };
    std::vector<WorkStretch> stretches{{0, 0}};
    for (const auto& [period, times] : repeated) {
      stretches.back().end = from(period.begin);
      stretches.push_back({from(period.begin), from(period.end), times + 1});
      stretches.push_back({from(period.end), 0});
    }
    stretches.back().end = own.size();
    const auto work = [&](size_t k) -> const Work& { return plan.work(trace.events[own[k]].work); };
    devices[d].flops = sum_over(stretches, [&](size_t k) { return work(k).flops; });
    devices[d].padded_flops = sum_over(stretches, [&](size_t k) { return work(k).padded_flops; });
  }
}

}  // namespace

Result<std::optional<RoundsPlayed>> play_steadily(const RoundsRequest& asked, int64_t rounds,
                                                  const std::stop_token& stop) {
  const LoopPlan few = shortened(asked.loops, rounds);
  if (few.blocks == asked.loops.blocks || !can_be_played(few, asked.fabric))
    return std::optional<RoundsPlayed>();
  const WrittenRounds written(few);
  RoundsTrace trace;
  const RoundsRequest asked_few{few, asked.fabric, asked.buffers, asked.options};
  TRY(auto played, play_rounds(asked_few, written, stop, &trace));
  if (!played) return std::optional<RoundsPlayed>();
  const SteadyState steady(few, written, trace);
  std::vector<Repeated> repeated;
  std::vector<RoundsLeftOut> left_out;
  for (size_t b = 0; b < few.blocks.size(); ++b) {
    const int64_t left = asked.loops.blocks[b].times - few.blocks[b].times;
    if (left == 0) continue;
    auto period = steady.of(b);
    if (!period) return std::optional<RoundsPlayed>();
    const int64_t times = left / period->rounds;
    left_out.push_back({b, period->from, left});
    repeated.push_back({*std::move(period), times});
  }
  find_peaks(asked_few, written, trace.spans, left_out, *played);
  std::ranges::sort(repeated, {}, [](const Repeated& r) { return r.period.begin; });
  for (const auto& [period, times] : repeated) {
    played->events += static_cast<int64_t>(period.end - period.begin) * times;
    played->last.end = moved(played->last.end, period.distance, times);
    for (size_t d = 0; d < played->devices.size(); ++d)
      add_times(period.devices[d], times, played->devices[d]);
  }
  add_flops(written.plan(), trace, repeated, played->devices);
  return played;
}

}  // namespace shardscope::inline scheduler
