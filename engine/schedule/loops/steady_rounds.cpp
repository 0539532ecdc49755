// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/steady_rounds.h"

#include <algorithm>
#include <utility>

#include "engine/schedule/loops/steady_state.h"
#include "engine/schedule/repeated_sum.h"

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

class Repetition {
 public:
  Repetition(const WorkPlan& plan, const RoundsTrace& trace, std::vector<Repeated> repeated,
             RoundsPlayed& played)
      : plan_(plan), trace_(trace), repeated_(std::move(repeated)), played_(played) {
    std::ranges::sort(repeated_, {}, [](const Repeated& r) { return r.period.begin; });
  }
  void add() {
    for (const Repeated& r : repeated_) {
      played_.events += static_cast<int64_t>(r.period.end - r.period.begin) * r.times;
      played_.last.end = moved(played_.last.end, r.period.distance, r.times);
      for (size_t d = 0; d < played_.devices.size(); ++d)
        add_times(r.period.devices[d], r.times, played_.devices[d]);
    }
    add_flops();
  }

 private:
  // In the order of the events, as doubles add up.
  void add_flops() {
    const size_t devices = played_.devices.size();
    std::vector<std::vector<size_t>> products(devices);
    for (size_t e = 0; e < trace_.events.size(); ++e)
      if (trace_.events[e].computes >= 0) products[to_index(trace_.events[e].computes)].push_back(e);
    for (size_t d = 0; d < devices; ++d) {
      played_.devices[d].flops = sum_of(products[d], &Work::flops);
      played_.devices[d].padded_flops = sum_of(products[d], &Work::padded_flops);
    }
  }
  double sum_of(const std::vector<size_t>& products, double Work::*flops) const {
    const auto from = [&](size_t event) { return std::ranges::lower_bound(products, event); };
    const auto add = [&](double sum, auto begin, auto end) {
      for (; begin != end; ++begin) sum += plan_.work(trace_.events[*begin].work).*flops;
      return sum;
    };
    double sum = 0;
    auto at = products.begin();
    for (const Repeated& r : repeated_) {
      const auto begin = from(r.period.begin), end = from(r.period.end);
      sum = add(sum, at, end);
      sum = repeated_sum(sum, r.times, [&](double s) { return add(s, begin, end); });
      at = end;
    }
    return add(sum, at, products.end());
  }

  const WorkPlan& plan_;
  const RoundsTrace& trace_;
  std::vector<Repeated> repeated_;
  RoundsPlayed& played_;
};

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
  Repetition(written.plan(), trace, std::move(repeated), *played).add();
  return played;
}

}  // namespace shardscope::inline scheduler
