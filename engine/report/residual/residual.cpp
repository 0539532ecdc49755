// SPDX-License-Identifier: Apache-2.0
#include "engine/report/residual/residual.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "engine/base/say.h"
#include "engine/report/residual/matching.h"
#include "engine/study/measured_path.h"

namespace shardscope::inline report {
namespace {

// Of an odd number the one in the middle, of an even one the lower of the two.
Picoseconds median(std::vector<Picoseconds> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

size_t median_step(const std::vector<TimeRange>& steps) {
  std::vector<Picoseconds> lengths;
  for (const TimeRange& s : steps) lengths.push_back(s.length());
  const Picoseconds middle = median(lengths);
  return static_cast<size_t>(std::ranges::find(lengths, middle) - lengths.begin());
}

// What one operation takes in one step: on each device its time, what it waited there, and how often.
struct OnDevices {
  std::map<int16_t, Picoseconds> time;
  int64_t count = 0;
};

struct Sums {
  std::vector<std::map<size_t, OnDevices>> operations;  // by operation, by step
  std::vector<std::map<int16_t, Picoseconds>> waits;    // by step
};

Sums sums_of(const MeasuredTrace& trace, const MatchedEvents& matched, size_t operations) {
  Sums out;
  out.operations.resize(operations);
  out.waits.resize(matched.steps.size());
  for (size_t e = 0; e < trace.events.size(); ++e) {
    const MeasuredEvent& event = trace.events[e];
    const auto after = std::ranges::upper_bound(matched.steps, event.start, {}, &TimeRange::start);
    if (matched.of[e] < 0 || after == matched.steps.begin() || event.start >= (after - 1)->end) continue;
    const auto step = static_cast<size_t>(after - matched.steps.begin() - 1);
    OnDevices& to = out.operations[static_cast<size_t>(matched.of[e])][step];
    to.time[event.device] += event.duration() - event.wait;
    ++to.count;
    out.waits[step][event.device] += event.wait;
  }
  return out;
}

Picoseconds mean_of(const std::map<int16_t, Picoseconds>& by_device) {
  Picoseconds all = 0;
  for (const auto& [device, time] : by_device) all += time;
  return by_device.empty() ? 0 : all / std::ssize(by_device);
}

void set_measured(const std::map<size_t, OnDevices>& steps, const Residual& of, ResidualOperation& row) {
  std::vector<Picoseconds> times;
  std::vector<Picoseconds> counts;
  for (const auto& [step, on] : steps) {
    if (of.one_step && step != of.step) continue;
    times.push_back(mean_of(on.time));
    counts.push_back(on.count / std::max<int64_t>(1, std::ssize(on.time)));
  }
  if (times.empty()) return;
  row.measured = median(times);
  row.measured_count = median(counts);
}

// What collectives waited for the last device, of a step; none: the trace has no collective of this run.
std::optional<Picoseconds> waited(const Sums& sums, const Residual& of) {
  std::vector<Picoseconds> out;
  for (size_t s = 0; s < sums.waits.size(); ++s)
    if ((!of.one_step || s == of.step) && !sums.waits[s].empty()) out.push_back(mean_of(sums.waits[s]));
  const bool any = std::ranges::any_of(of.operations, [](const ResidualOperation& o) {
    return o.kind == MeasuredKind::collective && o.measured;
  });
  return any && !out.empty() ? std::optional(median(out)) : std::nullopt;
}

ResidualRow& row_of(Residual& residual, ResidualTerm term) {
  return residual.terms[static_cast<size_t>(term)];
}

// What an operation on the critical path takes longer than simulated, in the part that the path has of it, is
// its largest term's; what that does not explain is unmatched.
void set_terms(const Run& run, const Sums& sums, Residual& out) {
  const CriticalPath& path = run.timeline.critical_path;
  const Picoseconds sync_time = synchronised_on_path(run);
  for (const ResidualTerm term : kResidualTerms) out.terms.push_back({term, 0, std::nullopt});
  row_of(out, ResidualTerm::compute).simulated = path.compute;
  row_of(out, ResidualTerm::memory).simulated = path.memory;
  row_of(out, ResidualTerm::latency).simulated = path.latency;
  row_of(out, ResidualTerm::bandwidth).simulated = path.bandwidth;
  row_of(out, ResidualTerm::launch).simulated = path.overhead - sync_time;
  row_of(out, ResidualTerm::sync).simulated = sync_time;
  for (const ResidualOperation& o : out.operations) {
    if (!o.measured || o.critical <= 0 || o.simulated <= 0) continue;
    ResidualRow& row = row_of(out, o.bound());
    const double part = static_cast<double>(o.critical) / static_cast<double>(o.simulated);
    row.measured =
        row.measured.value_or(row.simulated) + std::llround(part * static_cast<double>(o.residual()));
  }
  if (const auto wait = waited(sums, out)) {
    ResidualRow& sync = row_of(out, ResidualTerm::sync);
    sync.measured = sync.simulated + *wait;
  }
  Picoseconds left = out.measured - out.simulated;
  for (const ResidualRow& row : out.terms) left -= row.residual();
  row_of(out, ResidualTerm::unmatched).measured = left;
}

// Of all events, in steps or not.
void set_unmatched(const MeasuredTrace& trace, const MatchedEvents& matched, Residual& out) {
  std::map<std::string, MeasuredUnmatched> rows;
  for (size_t e = 0; e < trace.events.size(); ++e) {
    const MeasuredEvent& event = trace.events[e];
    if (matched.of[e] >= 0) {
      out.matched_time += event.duration();
      continue;
    }
    const MeasuredOperation& what = trace.operations[static_cast<size_t>(event.operation)];
    if (what.opcode == kTransfer) continue;  // part of a collective that is there as a whole
    out.unmatched_time += event.duration();
    const std::string& called = what.op;
    MeasuredUnmatched& row = rows.try_emplace(called, MeasuredUnmatched{called, 0, 0}).first->second;
    row.time_s += to_seconds(event.duration());
    ++row.count;
  }
  for (const auto& [called, row] : rows) out.unmatched.push_back(row);
  std::ranges::stable_sort(out.unmatched, std::ranges::greater(), &MeasuredUnmatched::time_s);
  const Picoseconds all = out.matched_time + out.unmatched_time;
  out.matched_share = all > 0 ? static_cast<double>(out.matched_time) / static_cast<double>(all) : 0;
}

void sort_operations(const MatchedEvents& matched, Residual& out) {
  std::vector<size_t> order(out.operations.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const ResidualOperation &x = out.operations[a], &y = out.operations[b];
    if (x.measured.has_value() != y.measured.has_value()) return x.measured.has_value();
    const Picoseconds first = std::abs(x.residual()), second = std::abs(y.residual());
    return first != second ? first > second : x.simulated > y.simulated;
  });
  std::vector<ResidualOperation> sorted;
  std::vector<int32_t> place(order.size());
  for (const size_t from : order) {
    place[from] = static_cast<int32_t>(sorted.size());
    sorted.push_back(std::move(out.operations[from]));
  }
  out.operations = std::move(sorted);
  for (const int32_t of : matched.of)
    out.operation_of.push_back(of < 0 ? -1 : place[static_cast<size_t>(of)]);
}

void set_notes(const Run& run, const MeasuredTrace& trace, const MatchedEvents& matched, Residual& out) {
  if (out.matched_time == 0)
    out.notes.push_back(
        "no measured event is an operation of this run: the trace is of another program, or names neither "
        "its instructions nor their shapes");
  if (trace.devices != run.timeline.devices)
    out.notes.push_back(
        fmt::format("the trace has {}, the run {}", counted(trace.devices, "device"), run.timeline.devices));
  if (matched.steps_found)
    out.notes.push_back(fmt::format("the trace marks no steps: {} found where its operations come again",
                                    counted(matched.steps.size(), "step")));
  const auto missing = std::ranges::count_if(out.operations, [](const auto& o) { return !o.measured; });
  if (out.matched_time > 0 && missing > 0)
    out.notes.push_back(fmt::format("not in the trace: {} of the run's {}", missing,
                                    counted(out.operations.size(), "operation")));
  for (const std::string& note : trace.notes) out.notes.push_back(note);
}

// The device of the trace that the run's device is, or the first that has events.
int32_t drawn_device(const MeasuredTrace& trace, int32_t device) {
  const auto has = [&](int32_t d) {
    return std::ranges::any_of(trace.events, [d](const MeasuredEvent& e) { return e.device == d; });
  };
  return has(device) ? device : trace.events.front().device;
}

Result<void> check(const Run& run, const MeasuredTrace& trace) {
  if (run.untimed)
    return invalid(fmt::format("run {} has no times: {}", run.id.value_or(0), run.untimed->text()), "--run",
                   "name a run that was timed");
  if (run.timeline.events.empty())
    return invalid(fmt::format("run {} is recorded without its events", run.id.value_or(0)), "--run",
                   "its operations are not known: run something smaller");
  if (trace.events.empty())
    return invalid(fmt::format("measured trace {} has no events", trace.id), "--measured",
                   "a table of times has no lanes: import a profile");
  return {};
}

}  // namespace

Result<Residual> residual_of(const RunWithStory& simulated, const MeasuredTrace& trace,
                             std::optional<size_t> step) {
  const Run& run = *simulated.run;
  TRY_VOID(check(run, trace));
  Residual out;
  out.run_id = run.id;
  out.measured_id = trace.id;
  out.run = run.strategy;
  out.trace = trace.title.empty() ? trace.source : trace.title;
  out.device = summarise(run.timeline).device;
  out.measured_device = drawn_device(trace, out.device);
  out.simulated = run.timeline.total;
  const std::vector<SimulatedOperation> operations = simulated_operations(simulated, out.device);
  const MatchedEvents matched = match(operations, trace);
  out.steps = matched.steps;
  if (step && *step >= out.steps.size())
    return invalid(fmt::format("step {} of {}", *step + 1, out.steps.size()), "--step",
                   "name one that the trace has");
  out.one_step = step.has_value();
  out.step = step.value_or(median_step(out.steps));
  out.measured = out.steps[out.step].length();
  const Sums sums = sums_of(trace, matched, operations.size());
  for (size_t o = 0; o < operations.size(); ++o) {
    out.operations.push_back(operations[o].row);
    set_measured(sums.operations[o], out, out.operations.back());
  }
  set_terms(run, sums, out);
  set_unmatched(trace, matched, out);
  sort_operations(matched, out);
  set_notes(run, trace, matched, out);
  return out;
}

Result<MeasuredBeside> beside(const RunWithStory& simulated, std::shared_ptr<const MeasuredTrace> trace,
                              std::optional<size_t> step) {
  TRY(Residual residual, residual_of(simulated, *trace, step));
  return MeasuredBeside{simulated.run, std::move(trace), std::move(residual)};
}

}  // namespace shardscope::inline report
