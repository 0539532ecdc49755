// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sums/busy_spans.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "engine/story/sums/operation_name.h"

namespace shardscope {
namespace {

// An event's part in the range, for one of its devices.
struct Part {
  int32_t operation, device;
  TimeRange time;
};

// Spans that come by start, as one list.
void join_to(Spans& spans, TimeRange more) {
  if (!spans.empty() && more.start <= spans.back().end)
    spans.back().end = std::max(spans.back().end, more.end);
  else
    spans.push_back(more);
}

// A stable order of `parts` by what `key` gives, from 0 to below `keys`: what begins first stays first.
template <class Key>
std::vector<Part> sorted_by(const std::vector<Part>& parts, size_t keys, Key key) {
  std::vector<size_t> place(keys + 1, 0);
  for (const Part& part : parts) ++place[static_cast<size_t>(key(part)) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<Part> out(parts.size());
  for (const Part& part : parts) out[place[static_cast<size_t>(key(part))]++] = part;
  return out;
}

std::vector<bool> instructions_with_events(const Run& run) {
  std::vector<bool> out(static_cast<size_t>(run.program.instruction_count()), false);
  for (const Event& e : run.timeline.events)
    if (e.instruction >= 0 && static_cast<size_t>(e.instruction) < out.size())
      out[static_cast<size_t>(e.instruction)] = true;
  return out;
}

}  // namespace

Operations operations_of_events(const Run& run, const Story* story) {
  const auto arrays = story != nullptr ? travelling_arrays(*story) : std::map<int32_t, std::string>();
  const std::vector<bool> used = instructions_with_events(run);
  Operations out;
  out.of_instruction.assign(used.size(), -1);
  std::map<std::string, int32_t> place;
  for (size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    const auto instruction = static_cast<int32_t>(i);
    const auto array = arrays.find(instruction);
    std::string key = operation_key(run.program, instruction, array == arrays.end() ? "" : array->second);
    const auto [at, is_new] = place.try_emplace(std::move(key), static_cast<int32_t>(out.keys.size()));
    if (is_new) {
      out.keys.push_back(at->first);
      out.instructions.emplace_back();
    }
    out.of_instruction[i] = at->second;
    out.instructions[static_cast<size_t>(at->second)].push_back(instruction);
  }
  return out;
}

Picoseconds length_of(const Spans& spans) {
  Picoseconds out = 0;
  for (const TimeRange& span : spans) out += span.length();
  return out;
}

Picoseconds covered(std::vector<TimeRange> spans) {
  std::ranges::sort(spans);
  Picoseconds out = 0, until = INT64_MIN;
  for (const TimeRange& span : spans) {
    out += std::max<Picoseconds>(0, span.end - std::max(span.start, until));
    until = std::max(until, span.end);
  }
  return out;
}

Picoseconds common_length(const Spans& a, const Spans& b) {
  if (a.empty() || b.empty()) return 0;
  Picoseconds out = 0;
  auto other = std::ranges::lower_bound(b, a.front().start, {}, &TimeRange::end);
  for (const TimeRange& span : a) {
    while (other != b.end() && other->end <= span.start) ++other;
    for (auto it = other; it != b.end() && it->start < span.end; ++it)
      out += std::min(span.end, it->end) - std::max(span.start, it->start);
  }
  return out;
}

std::vector<int32_t> places_of(const Run& run, std::span<const int32_t> devices) {
  std::vector<int32_t> out(static_cast<size_t>(std::max(0, run.timeline.devices)), -1);
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i] >= 0 && static_cast<size_t>(devices[i]) < out.size())
      out[static_cast<size_t>(devices[i])] = static_cast<int32_t>(i);
  return out;
}

std::vector<int32_t> all_devices(const Run& run) {
  std::vector<int32_t> out(static_cast<size_t>(std::max(0, run.timeline.devices)));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

BusySpans busy_spans(const Run& run, const Operations& operations, TimeRange range,
                     std::span<const int32_t> devices) {
  const std::vector<int32_t> places = places_of(run, devices);
  BusySpans out;
  out.compute.resize(devices.size());
  out.comm.resize(devices.size());
  std::vector<Part> parts;
  // Events come by start, and so do their parts.
  for (const Event& e : run.timeline.events) {
    const TimeRange time{std::max(e.start, range.start), std::min(e.end, range.end)};
    if (time.length() <= 0) continue;
    const int32_t operation = operations.of_instruction[static_cast<size_t>(e.instruction)];
    const auto add = [&](int32_t device) {
      const int32_t place = places[static_cast<size_t>(device)];
      if (place < 0) return;
      parts.push_back({operation, place, time});
      if (e.kind == EventKind::compute) join_to(out.compute[static_cast<size_t>(place)], time);
      if (e.kind == EventKind::transfer) join_to(out.comm[static_cast<size_t>(place)], time);
    };
    const bool transfer = e.kind == EventKind::transfer;
    if (!transfer || !e.relayed) add(e.device);
    if (transfer && e.peer >= 0 && e.peer != e.device && arrives(run, e)) add(e.peer);
  }
  const std::vector<Part> by_device =
      sorted_by(parts, devices.size(), [](const Part& p) { return p.device; });
  for (const Part& part :
       sorted_by(by_device, operations.keys.size(), [](const Part& p) { return p.operation; })) {
    const OperationOnDevice* last = out.operations.empty() ? nullptr : &out.operations.back();
    if (last == nullptr || last->operation != part.operation || last->device != part.device)
      out.operations.push_back({part.operation, part.device, {}});
    join_to(out.operations.back().spans, part.time);
  }
  return out;
}

}  // namespace shardscope
