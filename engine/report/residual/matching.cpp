// SPDX-License-Identifier: Apache-2.0
#include "engine/report/residual/matching.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace shardscope::inline report {
namespace {

constexpr int32_t kNobody = -1;

// By measured operation the place of the one that it names; kNobody: it names none.
std::vector<int32_t> by_name(const std::vector<SimulatedOperation>& operations, const MeasuredTrace& trace) {
  std::map<std::string, int32_t> places;
  for (size_t o = 0; o < operations.size(); ++o) {
    const auto place = static_cast<int32_t>(o);
    places.try_emplace(operations[o].row.instruction, place);
    places.try_emplace(plain_instruction(operations[o].row.instruction), place);
  }
  std::vector<int32_t> out(trace.operations.size(), kNobody);
  for (size_t m = 0; m < out.size(); ++m) {
    // Read without its module, a profile of XLA calls its operations by the instructions' names.
    // Of a fusion the run has the fusion itself, or what it stands for.
    const MeasuredOperation& o = trace.operations[m];
    for (std::string called : {o.instruction, o.op}) {
      if (called.starts_with("%")) called.erase(0, 1);
      auto found = places.find(called);
      if (found == places.end()) found = places.find(plain_instruction(called));
      if (called.empty() || found == places.end() || out[m] != kNobody) continue;
      const OperationForm& form = operations[static_cast<size_t>(found->second)].form;
      if (agree(form_of(o), form)) out[m] = found->second;
    }
  }
  return out;
}

// Operations of one form that no name found, as they follow each other in a run.
struct Queue {
  OperationForm form;
  std::vector<std::pair<Picoseconds, int32_t>> executions;  // start, operation
};

std::vector<Queue> queues_of(const std::vector<SimulatedOperation>& operations,
                             const std::vector<int32_t>& named) {
  std::vector<bool> taken(operations.size(), false);
  for (const int32_t o : named)
    if (o != kNobody) taken[static_cast<size_t>(o)] = true;
  std::vector<Queue> out;
  for (size_t o = 0; o < operations.size(); ++o) {
    if (taken[o]) continue;
    auto found = std::ranges::find(out, operations[o].form, &Queue::form);
    if (found == out.end()) found = out.insert(out.end(), {operations[o].form, {}});
    for (const Picoseconds start : operations[o].starts)
      found->executions.emplace_back(start, static_cast<int32_t>(o));
  }
  for (Queue& queue : out) std::ranges::sort(queue.executions);
  return out;
}

// By measured operation the queue that it is of.
std::vector<int32_t> by_form(const std::vector<Queue>& queues, const std::vector<int32_t>& named,
                             const MeasuredTrace& trace) {
  std::vector<int32_t> out(trace.operations.size(), kNobody);
  for (size_t m = 0; m < out.size(); ++m) {
    if (named[m] != kNobody) continue;
    const OperationForm form = form_of(trace.operations[m]);
    for (size_t q = 0; q < queues.size() && out[m] == kNobody; ++q)
      if (same_form(queues[q].form, form)) out[m] = static_cast<int32_t>(q);
  }
  return out;
}

TimeRange whole(const MeasuredTrace& trace) {
  TimeRange out{trace.events.front().start, trace.events.front().end};
  for (const MeasuredEvent& e : trace.events) out = {std::min(out.start, e.start), std::max(out.end, e.end)};
  return out;
}

// How often the trace has the whole program: by what of it comes first on the first device that has any.
struct Turns {
  std::vector<Picoseconds> starts;
  int64_t of_each = 1;  // in one run of the program
};

std::optional<Turns> turns_of(const std::vector<SimulatedOperation>& operations,
                              const std::vector<Queue>& queues, const std::vector<int32_t>& named,
                              const std::vector<int32_t>& formed, const MeasuredTrace& trace) {
  const MeasuredEvent* first = nullptr;
  Turns out;
  for (const MeasuredEvent& e : trace.events) {
    const auto m = static_cast<size_t>(e.operation);
    const auto key = std::pair(named[m], formed[m]);
    if (key == std::pair(kNobody, kNobody)) continue;
    if (first == nullptr) {
      first = &e;
      out.of_each = named[m] != kNobody ? operations[static_cast<size_t>(named[m])].row.count
                                        : std::ssize(queues[static_cast<size_t>(formed[m])].executions);
    }
    const auto of = static_cast<size_t>(first->operation);
    if (e.device == first->device && key == std::pair(named[of], formed[of])) out.starts.push_back(e.start);
  }
  const bool again = first != nullptr && out.of_each > 0 && std::ssize(out.starts) > out.of_each &&
                     std::ssize(out.starts) % out.of_each == 0;
  return again ? std::optional(out) : std::nullopt;
}

std::vector<TimeRange> steps_of(const Turns& turns, const MeasuredTrace& trace) {
  std::vector<TimeRange> out;
  for (size_t i = 0; i < turns.starts.size(); i += static_cast<size_t>(turns.of_each))
    out.push_back({turns.starts[i], turns.starts[i]});
  for (const MeasuredEvent& e : trace.events) {
    const auto after = std::ranges::upper_bound(out, e.start, {}, &TimeRange::start);
    if (after == out.begin()) continue;
    TimeRange& step = *(after - 1);
    step.end = std::max(step.end, e.end);
  }
  return out;
}

}  // namespace

MatchedEvents match(const std::vector<SimulatedOperation>& operations, const MeasuredTrace& trace) {
  MatchedEvents out;
  out.of.assign(trace.events.size(), kNobody);
  if (trace.events.empty()) return out;
  const std::vector<int32_t> named = by_name(operations, trace);
  const std::vector<Queue> queues = queues_of(operations, named);
  const std::vector<int32_t> formed = by_form(queues, named, trace);
  out.steps = trace.steps;
  if (out.steps.empty()) {
    const auto turns = turns_of(operations, queues, named, formed, trace);
    out.steps_found = turns.has_value();
    out.steps = turns ? steps_of(*turns, trace) : std::vector{whole(trace)};
  }
  std::map<std::tuple<int32_t, std::ptrdiff_t, int16_t>, size_t> next;  // by queue, step and device
  for (size_t e = 0; e < trace.events.size(); ++e) {
    const MeasuredEvent& event = trace.events[e];
    const auto m = static_cast<size_t>(event.operation);
    out.of[e] = named[m];
    if (formed[m] == kNobody) continue;
    const auto step =
        std::ranges::upper_bound(out.steps, event.start, {}, &TimeRange::start) - out.steps.begin();
    size_t& at = next[{formed[m], step, event.device}];
    const auto& executions = queues[static_cast<size_t>(formed[m])].executions;
    if (at < executions.size()) out.of[e] = executions[at++].second;
  }
  return out;
}

}  // namespace shardscope::inline report
