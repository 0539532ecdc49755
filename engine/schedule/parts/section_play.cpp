// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/parts/section_play.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/schedule/chunk_bytes.h"
#include "engine/schedule/events/to_index.h"
#include "engine/schedule/simulator.h"

namespace shardscope {

namespace {

bool same_for_links(const Work& a, const Work& b) {
  return a.schedule == b.schedule && a.groups == b.groups && a.bytes == b.bytes && a.cost == b.cost &&
         a.pace == b.pace && a.alone == b.alone;
}

// Whether each transfer after the first step waits for one of the step before: none then begins because
// another one of that step does.
bool each_waits(const CollectiveSchedule& schedule) {
  constexpr int64_t kMost = 1 << 22;
  if (int64_t{schedule.ranks()} * schedule.steps() > kMost) return false;
  std::vector<Transfer> before, now;
  std::vector<std::vector<size_t>> came(to_index(schedule.ranks()));  // by rank, in `before`
  for (int32_t step = 0; step < schedule.steps(); ++step) {
    now.clear();
    schedule.append_step(step, now);
    const auto waits_for = [&](const Transfer& t, const Transfer& b) {
      if (schedule.dependency() == Dependency::every_earlier)
        return schedule.stream_of(b.chunk) == schedule.stream_of(t.chunk);
      return share_a_chunk(b.chunk, b.count, t.chunk, t.count, schedule.chunks());
    };
    const auto waits = [&](const Transfer& t) {
      return std::ranges::any_of(came[to_index(t.source)], [&](size_t b) { return waits_for(t, before[b]); });
    };
    if (step > 0 && !std::ranges::all_of(now, waits)) return false;
    for (std::vector<size_t>& of_rank : came) of_rank.clear();
    for (size_t i = 0; i < now.size(); ++i) came[to_index(now[i].target)].push_back(i);
    before.swap(now);
  }
  return true;
}

// By place of a work that follows another one in the play, of that one.
size_t place_before(const SectionPlayer::Wanted& wanted, size_t place, size_t places) {
  return to_index(wanted.after[place / places]) * places + place % places;
}

// Whether an operand became known just when that was looked at: which came first is not told.
bool is_open_what_came_first(const SectionPlayer::Wanted& wanted, const PlayWatch& watch, size_t places) {
  return std::ranges::any_of(watch.sums->looked, [&](const auto& look) {
    return watch.told[place_before(wanted, look.first, places)] == look.second;
  });
}

// Whether a collective has something of one before it no sooner known than there.
bool follows_backward(const SectionPlayer::Wanted& wanted, const PlayWatch& watch, size_t places) {
  for (size_t i = 0; i < watch.done.size(); ++i) {
    if (wanted.after[i / places] < 0) continue;
    const size_t before = place_before(wanted, i, places);
    if (watch.told[before] >= watch.done[before].time) return true;
  }
  return false;
}

}  // namespace

size_t SectionPlayer::PatternHash::operator()(const Pattern& p) const {
  uint64_t hash = p.numbers.size();
  for (const int64_t number : p.numbers) {
    hash = (hash ^ static_cast<uint64_t>(number)) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  return static_cast<size_t>(hash);
}

int32_t SectionPlayer::sections(const std::vector<int>& axes) {
  for (size_t i = 0; i < all_.size(); ++i)
    if (all_[i].sections->axes() == axes) return static_cast<int32_t>(i);
  Of of;
  of.sections = std::make_unique<Sections>(machine_.mesh, axes);
  for (const LinkOverride& link : machine_.overrides.links) {
    const auto a = static_cast<int32_t>(link.a), b = static_cast<int32_t>(link.b);
    const int32_t section = of.sections->section_of(a);
    if (of.sections->section_of(b) == section)
      of.slow[section].push_back({of.sections->place_of(a), of.sections->place_of(b), link.speed});
  }
  all_.push_back(std::move(of));
  return static_cast<int32_t>(all_.size()) - 1;
}

int32_t SectionPlayer::kind(int32_t sections, Work work) {
  for (size_t i = 0; i < kinds_.size(); ++i)
    if (kinds_[i].first == sections && same_for_links(kinds_[i].second, work)) return static_cast<int32_t>(i);
  kinds_.emplace_back(sections, std::move(work));
  return static_cast<int32_t>(kinds_.size()) - 1;
}

bool SectionPlayer::follows(const std::shared_ptr<const CollectiveSchedule>& schedule) {
  const auto [known, is_new] = follows_.try_emplace(schedule, false);
  if (is_new) known->second = each_waits(*schedule);
  return known->second;
}

// A message is held up behind a slower link where links are not all alike: of the whole mesh, so here too.
Result<const Fabric*> SectionPlayer::fabric_of(Of& of, int32_t section) {
  const auto slow = of.slow.find(section);
  auto& fabric = of.fabrics[slow == of.slow.end() ? -1 : section];
  if (fabric != nullptr) return fabric.get();
  HardwareOverrides own;
  if (slow != of.slow.end()) own.links = slow->second;
  if (machine_.fabric.link_classes() > 1) {
    for (const MeshAxis& axis : of.sections->mesh().axes())
      own.axes.push_back({axis.name, axis_factor(machine_.overrides, axis.name)});
  }
  TRY(Fabric made, Fabric::make(of.sections->mesh(), machine_.hardware, own));
  fabric = std::make_unique<Fabric>(std::move(made));
  return fabric.get();
}

// Whether every operand is known before the first message can start: then it does not matter when. `first`:
// the first thing that happens.
bool SectionPlayer::told_in_time(const Wanted& wanted, Picoseconds& first) {
  Picoseconds last_told = -1;
  Picoseconds first_told = wanted.operands[0].told;
  first = wanted.operands[0].ready.time;
  for (const Operand& operand : wanted.operands) {
    last_told = std::max(last_told, operand.told);
    first_told = std::min(first_told, operand.told);
    first = std::min(first, operand.ready.time);
  }
  if (last_told < first) return true;
  first = std::min(first, first_told);
  return false;
}

bool SectionPlayer::looks_back(const Wanted& wanted) {
  Picoseconds first = 0;
  return !told_in_time(wanted, first) && std::ranges::any_of(wanted.operands, [](const Operand& operand) {
    return operand.looks_back || operand.told >= operand.ready.time;
  });
}

Result<const SectionPlay*> SectionPlayer::play(const Wanted& wanted, Moment& base) {
  Picoseconds first = 0;
  const bool in_time = told_in_time(wanted, first);
  if (looks_back(wanted)) {
    const auto told = [&](const Operand& operand) { return operand.told == wanted.operands[0].told; };
    const auto because = [](const Operand& operand) { return operand.looks_back; };
    if (!std::ranges::all_of(wanted.operands, told)) return nullptr;
    if (!wanted.uniform && std::ranges::any_of(wanted.operands, because)) return nullptr;
  }
  base = wanted.operands[0].ready;
  base.time = first - 1;
  base.event = 0;
  Pattern pattern;
  const bool slow = all_[to_index(wanted.sections)].slow.contains(wanted.section);
  pattern.numbers = {wanted.sections, slow ? wanted.section : -1, wanted.uniform, in_time};
  pattern.numbers.insert(pattern.numbers.end(), wanted.kinds.begin(), wanted.kinds.end());
  pattern.numbers.insert(pattern.numbers.end(), wanted.after.begin(), wanted.after.end());
  for (const Operand& o : wanted.operands) {
    pattern.numbers.insert(pattern.numbers.end(),
                           {o.ready.time - base.time, o.ready.compute - base.compute,
                            o.ready.memory - base.memory, o.ready.latency - base.latency,
                            o.ready.bandwidth - base.bandwidth, in_time ? 0 : o.told - base.time});
  }
  const auto [known, is_new] = plays_.try_emplace(std::move(pattern));
  if (is_new) {
    TRY(known->second, simulate(wanted, base, in_time));
  }
  return known->second ? &*known->second : nullptr;
}

WorkPlan SectionPlayer::plan_of(const Wanted& wanted) const {
  WorkPlan plan;
  plan.first_reader.push_back(0);
  for (size_t w = 0; w < wanted.kinds.size(); ++w) {
    plan.works.push_back(kinds_[to_index(wanted.kinds[w])].second);
    plan.waits_for.push_back(wanted.after[w] >= 0 ? 1 : 0);
    for (size_t r = w + 1; r < wanted.after.size(); ++r)
      if (wanted.after[r] == static_cast<int32_t>(w)) plan.readers.push_back(static_cast<int32_t>(r));
    plan.first_reader.push_back(static_cast<int32_t>(plan.readers.size()));
  }
  return plan;
}

Result<std::optional<SectionPlay>> SectionPlayer::simulate(const Wanted& wanted, const Moment& base,
                                                           bool in_time) {
  Of& of = all_[to_index(wanted.sections)];
  TRY(const Fabric* fabric, fabric_of(of, wanted.section));
  const size_t works = wanted.kinds.size();
  const auto start = [&](size_t places) {
    PlayStart from;
    size_t given = 0;
    for (size_t i = 0; i < works * places; ++i) {
      if (wanted.after[i / places] >= 0) {
        from.ready.emplace_back();
        from.told.push_back(-1);
        continue;
      }
      const Operand& operand = wanted.operands[wanted.uniform ? given++ / places : given++];
      Moment ready = operand.ready;
      ready.time -= base.time;
      ready.compute -= base.compute;
      ready.memory -= base.memory;
      ready.latency -= base.latency;
      ready.bandwidth -= base.bandwidth;
      from.ready.push_back(ready);
      from.told.push_back(in_time ? 0 : operand.told - base.time);
    }
    return from;
  };
  if (wanted.uniform) {
    const WorkPlan plan = plan_of(wanted);
    const auto symmetry = Symmetry::find(of.sections->mesh(), *fabric, plan);
    if (symmetry && symmetry->played().size() == 1) {
      TRY(auto play, simulate(wanted, *fabric, &*symmetry, start(1)));
      if (play) return play;
    }
  }
  return simulate(wanted, *fabric, nullptr, start(to_index(of.sections->size())));
}

Result<std::optional<SectionPlay>> SectionPlayer::simulate(const Wanted& wanted, const Fabric& fabric,
                                                           const Symmetry* one, const PlayStart& from) {
  const WorkPlan plan = plan_of(wanted);
  const int32_t all = fabric.devices();
  const size_t places = one != nullptr ? 1 : to_index(all);
  PlaySums sums;
  sums.communicates.resize(places);
  PlayWatch watch;
  watch.from = from;
  watch.sums = &sums;
  EventRecorder recorder(all, false, 0, one);
  Simulator simulator(plan, fabric, machine_.overlap, recorder, one, &watch);
  TRY_VOID(simulator.run(stop_, {}));
  if (watch.is_tied || (one != nullptr && !simulator.one_stood_for_its_class()))
    return std::optional<SectionPlay>();
  const auto waits = [&](int32_t kind) { return follows(kinds_[to_index(kind)].second.schedule); };
  if (sums.is_open && !std::ranges::all_of(wanted.kinds, waits)) return std::optional<SectionPlay>();
  const bool backward = follows_backward(wanted, watch, places);
  if (is_open_what_came_first(wanted, watch, places) || (backward && one == nullptr))
    return std::optional<SectionPlay>();
  const int64_t each = one != nullptr ? all : 1;
  SectionPlay play;
  play.looks_back = backward;
  play.places = static_cast<int32_t>(places);
  for (size_t i = 0; i < watch.done.size(); ++i) {
    const Span& span = simulator.spans()[i];
    Outcome outcome;
    outcome.end = watch.done[i];
    outcome.end.event = -1;
    outcome.told = std::max(watch.told[i], from.told[i]);
    if (const int32_t before = wanted.after[i / places]; before >= 0)
      outcome.told = std::max(outcome.told, watch.told[to_index(before) * places + i % places]);
    outcome.start = span.start;
    outcome.sent = span.sent;
    if (i < places) {  // what a device does for all of the works counts with the first
      const DeviceTotals& totals = recorder.totals(static_cast<int32_t>(i));
      outcome.bytes_sent = totals.bytes_sent;
      outcome.bytes_received = totals.bytes_received;
      outcome.bytes_relayed = totals.bytes_relayed;
      outcome.busy = number_of(sums.communicates[i].spans());
    } else {
      outcome.busy = number_of(std::vector<TimeSpan>());
    }
    play.outcomes.push_back(number_of(outcome));
  }
  for (const int64_t bytes : simulator.bytes_sent()) play.bytes_sent.push_back(bytes * each);
  play.events = recorder.event_count() * each;
  play.last = recorder.last();
  play.last_event = recorder.last_event();
  sums.first_ask.resize(watch.lanes.size(), PlaySums::kNever);
  play.begin = PlaySums::kNever;
  for (size_t l = 0; l < watch.lanes.size(); ++l) {
    const Picoseconds begin = sums.first_ask[l];
    play.lane_begin.push_back(begin);
    play.lane_end.push_back(watch.lanes[l].time);
    if (begin == PlaySums::kNever) continue;
    play.begin = play.begin == PlaySums::kNever ? begin : std::min(play.begin, begin);
    play.end = std::max(play.end, watch.lanes[l].time);
  }
  // Of two chips the second has the link down where the first has the one up.
  if (one != nullptr && all == 2) {
    play.lane_begin[2] = play.lane_begin[1];
    play.lane_end[2] = play.lane_end[1];
  }
  return std::optional(std::move(play));
}

int32_t SectionPlayer::number_of(const Outcome& outcome) {
  const auto [known, is_new] =
      outcome_numbers_.try_emplace(outcome.key(), static_cast<int32_t>(outcomes_.size()));
  if (is_new) outcomes_.push_back(outcome);
  return known->second;
}

int32_t SectionPlayer::number_of(const std::vector<TimeSpan>& busy) {
  const auto [known, is_new] = busy_numbers_.try_emplace(busy, static_cast<int32_t>(busy_.size()));
  if (is_new) busy_.push_back(&known->first);
  return known->second;
}

}  // namespace shardscope
