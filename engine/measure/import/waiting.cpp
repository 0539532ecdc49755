// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/waiting.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "engine/base/text.h"

namespace shardscope::inline measure {
namespace {

// Nobody leaves before all have come: only of these is the last arrival the beginning.
bool waits_for_all(const MeasuredOperation& operation) {
  return operation.kind == MeasuredKind::collective && !operation.opcode.empty() &&
         operation.opcode != "collective-permute" && operation.opcode != "send" && operation.opcode != "recv";
}

using Places = std::vector<size_t>;
using ByDevice = std::map<int16_t, Places>;  // of one collective's events, by start

struct Collective {
  std::map<int64_t, ByDevice> groups;  // 0: of those whose group is not known
  std::vector<int64_t> group_of;       // by device, empty: not known
  bool guessed = false;                // it is not known where the module's devices are
};

// The k-th time of a collective on each of its devices. One that had left before the last came would be of
// another time, another group or another clock.
struct Meeting {
  Picoseconds last_start = 0, first_end = 0;
  bool met() const { return last_start <= first_end; }
};
Meeting meeting(const ByDevice& devices, size_t k, const std::vector<MeasuredEvent>& events) {
  const MeasuredEvent& first = events[devices.begin()->second[k]];
  Meeting out{first.start, first.end};
  for (const auto& [_, places] : devices) {
    out.last_start = std::max(out.last_start, events[places[k]].start);
    out.first_end = std::min(out.first_end, events[places[k]].end);
  }
  return out;
}

bool as_often(const ByDevice& devices) {
  return std::ranges::all_of(
      devices, [&](const auto& of) { return of.second.size() == devices.begin()->second.size(); });
}

bool always_meet(const ByDevice& devices, const std::vector<MeasuredEvent>& events) {
  if (!as_often(devices)) return false;
  for (size_t k = 0; k < devices.begin()->second.size(); ++k)
    if (!meeting(devices, k, events).met()) return false;
  return true;
}

int64_t count_of(const ByDevice& devices) {
  int64_t out = 0;
  for (const auto& [_, places] : devices) out += static_cast<int64_t>(places.size());
  return out;
}

// The result: how many of its events could not be put together.
int64_t split(const ByDevice& devices, std::vector<MeasuredEvent>& events) {
  if (!as_often(devices)) return count_of(devices);
  int64_t alone = 0;
  for (size_t k = 0; k < devices.begin()->second.size(); ++k) {
    const Meeting at = meeting(devices, k, events);
    if (!at.met()) alone += std::ssize(devices);
    if (at.met())
      for (const auto& [_, places] : devices)
        events[places[k]].wait = at.last_start - events[places[k]].start;
  }
  return alone;
}

// By device the number of its group, 0: none that is known.
std::vector<int64_t> groups_by_device(const ProfiledGroups& of, const std::vector<int64_t>& numbers) {
  std::unordered_map<int64_t, int64_t> by_number;
  for (size_t g = 0; g < of.groups.size(); ++g)
    for (const int64_t device : of.groups[g]) by_number.emplace(device, static_cast<int64_t>(g) + 1);
  std::vector<int64_t> out;
  for (const int64_t number : numbers) {
    const auto found = by_number.find(number);
    out.push_back(found == by_number.end() ? 0 : found->second);
  }
  return out;
}

// Events of collectives whose devices wait for one another, by operation.
class Collectives {
 public:
  Collectives(const std::vector<ProfiledOperation>& operations, const std::vector<int64_t>& numbers)
      : operations_(operations), numbers_(numbers) {}

  void take(size_t place, MeasuredEvent& e) {
    const Picoseconds told = std::exchange(e.wait, 0);
    const ProfiledOperation& operation = operations_[static_cast<size_t>(e.operation)];
    if (!waits_for_all(operation)) return;
    const auto [found, is_new] = all_.try_emplace(e.operation);
    Collective& of = found->second;
    if (is_new && operation.groups != nullptr) learn(*operation.groups, of);
    const bool by_operation = told == 0 && !of.group_of.empty();
    of.groups[by_operation ? of.group_of[static_cast<size_t>(e.device)] : told][e.device].push_back(place);
  }

  SplitWaiting split_all(std::vector<MeasuredEvent>& events) const {
    SplitWaiting out;
    for (const auto& [number, of] : all_)
      split_one(operations_[static_cast<size_t>(number)], of, events, out);
    return out;
  }

 private:
  void learn(const ProfiledGroups& groups, Collective& of) {
    std::vector<int64_t> by_device = groups_by_device(groups, numbers_);
    if (std::ranges::find(by_device, 0) != by_device.end()) return;
    of.guessed = !groups.placed && groups.groups.size() > 1;
    of.group_of = std::move(by_device);
  }

  // What is guessed has to fit each time.
  static void split_one(const ProfiledOperation& operation, const Collective& of,
                        std::vector<MeasuredEvent>& events, SplitWaiting& out) {
    const bool fits = !of.guessed || std::ranges::all_of(of.groups, [&](const auto& group) {
      return group.second.size() < 2 || always_meet(group.second, events);
    });
    for (const auto& [number, devices] : of.groups) {
      if (devices.size() < 2) continue;
      const bool unknown = number == 0 && operation.group == 0;
      const bool together = unknown       ? always_meet(devices, events)
                            : number == 0 ? std::ssize(devices) == operation.group
                                          : fits;
      const int64_t alone = together ? split(devices, events) : count_of(devices);
      out.alone += alone;
      if (unknown) out.assumed += count_of(devices) - alone;
    }
  }

  const std::vector<ProfiledOperation>& operations_;
  const std::vector<int64_t>& numbers_;
  std::map<int32_t, Collective> all_;
};

// What is left of `outer` between those that lie in it.
struct Open {
  MeasuredEvent event;
  Picoseconds done = 0;  // up to here its time is given out
};

void close(const Open& open, Picoseconds until, std::vector<MeasuredEvent>& out) {
  const Picoseconds end = std::min(until, open.event.end);
  if (end <= open.done && open.event.end > open.event.start) return;
  MeasuredEvent piece = open.event;
  piece.start = open.done;
  piece.end = std::max(end, open.done);
  out.push_back(piece);
}

// Events of one lane, by start and the longer one first.
void split_lane(const std::vector<MeasuredEvent>& events, std::vector<MeasuredEvent>& out) {
  std::vector<Open> open;
  const auto close_until = [&](Picoseconds time) {
    while (!open.empty() && open.back().event.end <= time) {
      const Open ended = open.back();
      open.pop_back();
      close(ended, ended.event.end, out);
      if (!open.empty()) open.back().done = std::max(open.back().done, ended.event.end);
    }
  };
  for (const MeasuredEvent& e : events) {
    close_until(e.start);
    if (!open.empty() && e.end <= open.back().event.end) {
      if (e.start > open.back().done) close(open.back(), e.start, out);
      open.back().done = std::max(open.back().done, e.start);
    }
    open.push_back({e, e.start});
  }
  if (!open.empty()) close_until(std::numeric_limits<Picoseconds>::max());
}

}  // namespace

std::vector<int64_t> device_numbers(const std::vector<std::string>& names) {
  std::vector<int64_t> out;
  std::set<int64_t> seen;
  for (const std::string& name : names) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    out.push_back(parse_int(name.substr(digits)).value_or(-1));
    seen.insert(out.back());
  }
  if (seen.size() != out.size()) out.assign(out.size(), -1);
  return out;
}

SplitWaiting split_waiting(const std::vector<ProfiledOperation>& operations,
                           const std::vector<int64_t>& numbers, std::vector<MeasuredEvent>& events) {
  Collectives collectives(operations, numbers);
  for (size_t i = 0; i < events.size(); ++i) collectives.take(i, events[i]);
  return collectives.split_all(events);
}

void split_enclosing(const std::set<int16_t>& lanes, std::vector<MeasuredEvent>& events) {
  const auto nested = [&](const MeasuredEvent& e) { return lanes.contains(e.lane); };
  const auto first =
      std::stable_partition(events.begin(), events.end(), [&](const auto& e) { return !nested(e); });
  std::vector<MeasuredEvent> inner(first, events.end());
  if (inner.empty()) return;
  events.erase(first, events.end());
  std::ranges::stable_sort(inner, [](const MeasuredEvent& a, const MeasuredEvent& b) {
    return std::tuple(a.device, a.lane, a.start, -a.end) < std::tuple(b.device, b.lane, b.start, -b.end);
  });
  for (size_t i = 0; i < inner.size();) {
    size_t end = i;
    while (end < inner.size() && inner[end].device == inner[i].device && inner[end].lane == inner[i].lane)
      ++end;
    split_lane(
        {inner.begin() + static_cast<std::ptrdiff_t>(i), inner.begin() + static_cast<std::ptrdiff_t>(end)},
        events);
    i = end;
  }
}

}  // namespace shardscope::inline measure
