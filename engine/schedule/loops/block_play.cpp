// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/loops/block_play.h"

#include <algorithm>
#include <utility>

namespace shardscope::inline scheduler {
namespace {

// Each number of some clocks, in one order.
template <class AnyClocks, class Each>
void each_number(AnyClocks& clocks, const Each& each) {
  for (auto* moments : {&clocks.lanes, &clocks.done}) {
    for (auto& m : *moments) {
      for (auto* number : {&m.time, &m.compute, &m.memory, &m.latency, &m.bandwidth}) each(*number);
    }
  }
  for (auto& use : clocks.uses)
    for (auto* number : {&use.waited, &use.key, &use.source, &use.served}) each(*number);
}

}  // namespace

std::vector<int64_t> Clocks::numbers() const {
  std::vector<int64_t> out;
  each_number(*this, [&](int64_t number) { out.push_back(number); });
  return out;
}

void Clocks::set(const std::vector<int64_t>& numbers) {
  auto next = numbers.begin();
  each_number(*this, [&](int64_t& number) { number = *next++; });
}

std::vector<int64_t> BlockPlay::times() const {
  const Moment& end = last.end;
  std::vector<int64_t> out{end.time, end.compute, end.memory, end.latency, end.bandwidth};
  for (const PlayWatch::Decision& it : watch.decisions) out.insert(out.end(), {it.at, it.since});
  for (const PlayedEvent& e : watch.events) out.insert(out.end(), {e.start.time, e.end.time});
  for (const WorkSpan& s : spans) out.insert(out.end(), {s.start, s.end, s.sent});
  return out;
}

bool BlockPlay::like(const BlockPlay& other) const {
  const auto same = [](const auto& a, const auto& b) { return a.same_as() == b.same_as(); };
  return last.place() == other.last.place() && devices == other.devices && order == other.order &&
         events == other.events && bytes_sent == other.bytes_sent &&
         std::ranges::equal(watch.decisions, other.watch.decisions, same) &&
         std::ranges::equal(watch.events, other.watch.events, same);
}

Clocks BlockPlayer::start() const {
  Clocks out;
  const size_t lanes = to_index(fabric_.devices()) * to_index(fabric_.lane_count());
  out.lanes.resize(lanes);
  out.done.resize(loops_.plan.works.size() * to_index(fabric_.devices()));
  out.uses.resize(lanes);
  return out;
}

// The block's works as a plan of their own.
const WorkPlan& BlockPlayer::part(const LoopBlock& block) {
  if (part_of_ == block.begin) return part_;
  part_of_ = block.begin;
  part_ = {};
  const auto& all = loops_.plan.works;
  part_.works.assign(all.begin() + std::ptrdiff_t(block.begin), all.begin() + std::ptrdiff_t(block.end));
  const auto in_block = [&](int32_t work) { return work - static_cast<int32_t>(block.begin); };
  const auto each_need = [&](const auto& found) {
    for (auto w = static_cast<int32_t>(block.begin); block.has(w); ++w)
      for (const int32_t need : loops_.needs[to_index(w)])
        if (block.has(need)) found(in_block(need), in_block(w));
  };
  link_readers(part_.works.size(), each_need, part_);
  return part_;
}

PlayStart BlockPlayer::starts(const LoopBlock& block, const Clocks& clocks) const {
  PlayStart out;
  out.lanes = clocks.lanes;
  const size_t devices = to_index(fabric_.devices());
  Moment none;
  none.time = PlayStart::kNone;
  out.ready.assign((block.end - block.begin) * devices, none);
  for (size_t w = block.begin; w < block.end; ++w) {
    for (const int32_t need : loops_.needs[w]) {
      if (to_index(need) >= block.begin) continue;
      for (size_t d = 0; d < devices; ++d) {
        const size_t at = (w - block.begin) * devices + d, from = to_index(need) * devices + d;
        out.ready[at].no_earlier_than(clocks.done[from]);
      }
    }
  }
  return out;
}

// By lane how it is seen that it serves the block after all before; nothing where it need not.
std::optional<std::vector<OrderedBy>> BlockPlayer::in_order(const PlayWatch& watch, Clocks& clocks) {
  std::vector<LaneUse> uses(clocks.uses.size());
  std::vector<bool> goes_back(uses.size());
  for (const PlayWatch::Decision& it : watch.decisions) {
    const size_t l = to_index(it.where);
    if (it.of == PlayWatch::Decision::Of::asked) {
      const LaneUse& before = clocks.uses[l];
      const Picoseconds source = it.what[1];
      if (it.since < before.key || (it.since == before.key && source != before.source)) goes_back[l] = true;
      uses[l].ask(it.since, source);
    } else if (it.of == PlayWatch::Decision::Of::served) {
      uses[l].served = std::max(uses[l].served, it.at);
      if (it.was_idle) uses[l].waited = std::max(uses[l].waited, it.at);
    }
  }
  std::vector<OrderedBy> out(uses.size(), OrderedBy::unused);
  for (size_t l = 0; l < uses.size(); ++l) {
    const LaneUse& use = uses[l];
    LaneUse& all = clocks.uses[l];
    const Picoseconds first_ask = watch.first_asks[l];
    if (first_ask == PlayWatch::kNever) continue;
    if (all.served < first_ask) {
      out[l] = OrderedBy::by_time;
    } else if (!goes_back[l] && first_ask >= all.waited) {
      out[l] = OrderedBy::by_key;
    } else {
      return std::nullopt;
    }
    all.waited = std::max(all.waited, use.waited);
    all.served = std::max(all.served, use.served);
    all.ask(use.key, use.source);
  }
  return out;
}

void BlockPlayer::leave(const LoopBlock& block, Clocks& clocks) const {
  const auto devices = std::ptrdiff_t(fabric_.devices()), size = std::ptrdiff_t(block.size()) * devices;
  const auto place = [&](size_t work) { return clocks.done.begin() + std::ptrdiff_t(work) * devices; };
  for (int32_t r = 1; r <= kReach; ++r)
    std::copy_n(place(block.before(r)), size, place(block.behind(kReach - r)));
}

Result<bool> BlockPlayer::play(const LoopBlock& block, Clocks& clocks, BlockPlay& out) {
  const WorkPlan& plan = part(block);
  EventRecorder recorder(fabric_.devices(), false, 0, nullptr);
  out = {};
  out.watch.from = starts(block, clocks);
  out.watch.tells = PlayWatch::Tells::decisions;
  Simulator simulator(plan, fabric_, overlap_, recorder, nullptr, &out.watch);
  TRY_VOID(simulator.run(stop_, {}));
  out.watch.sort();
  out.spans = simulator.spans();
  out.bytes_sent = simulator.bytes_sent();
  for (int32_t d = 0; d < fabric_.devices(); ++d) out.devices.push_back(recorder.totals(d));
  out.events = recorder.event_count();
  out.last = recorder.last();
  clocks.lanes = out.watch.lanes;
  const auto place = [&](size_t work) {
    return clocks.done.begin() + std::ptrdiff_t(work * to_index(fabric_.devices()));
  };
  for (int32_t r = kReach; block.repeats() && r > 1; --r)
    std::copy(place(block.before(r - 1)), place(block.before(r - 2)), place(block.before(r)));
  std::ranges::copy(out.watch.done, place(block.before(block.repeats() ? 1 : 0)));
  auto order = in_order(out.watch, clocks);
  if (!order) return false;
  out.order = *std::move(order);
  return true;
}

}  // namespace shardscope::inline scheduler
