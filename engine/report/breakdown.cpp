// SPDX-License-Identifier: Apache-2.0
#include "engine/report/breakdown.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

#include "engine/base/text.h"
#include "engine/story/sums/operation_name.h"

namespace shardscope {
namespace {

// [start, end) of a device's time, and what it is for: an instruction, or several transfers under way.
struct LaneSpan {
  Picoseconds start = 0, end = 0;
  std::vector<int32_t> instructions;
};

// What one device did: disjoint spans by start.
struct DeviceSpans {
  std::vector<LaneSpan> compute, transfers;
};

// Overlapping transfers cut at every begin and end: which are under way in between.
std::vector<LaneSpan> under_way(const std::vector<LaneSpan>& transfers) {
  struct Edge {
    Picoseconds time = 0;
    int32_t instruction = 0, change = 0;
  };
  std::vector<Edge> edges;
  for (const LaneSpan& t : transfers) {
    edges.push_back({t.start, t.instructions.front(), 1});
    edges.push_back({t.end, t.instructions.front(), -1});
  }
  std::ranges::stable_sort(edges, {}, &Edge::time);
  std::map<int32_t, int32_t> active;
  std::vector<LaneSpan> out;
  Picoseconds now = 0;
  for (const Edge& edge : edges) {
    if (edge.time > now && !active.empty()) {
      LaneSpan span{now, edge.time, {}};
      for (const auto& [instruction, times] : active) span.instructions.push_back(instruction);
      const bool goes_on =
          !out.empty() && out.back().end == now && out.back().instructions == span.instructions;
      if (goes_on) out.back().end = edge.time;
      if (!goes_on) out.push_back(std::move(span));
    }
    now = edge.time;
    if ((active[edge.instruction] += edge.change) == 0) active.erase(edge.instruction);
  }
  return out;
}

DeviceSpans spans_of(const Run& run, int32_t device) {
  DeviceSpans out;
  std::vector<LaneSpan> transfers;
  for (const Event& e : run.timeline.events) {
    if (e.end <= e.start) continue;
    if (e.kind == EventKind::compute && e.device == device)
      out.compute.push_back({e.start, e.end, {e.instruction}});
    if (e.kind != EventKind::transfer) continue;
    if (leaves_or_arrives(run, e, device)) transfers.push_back({e.start, e.end, {e.instruction}});
  }
  out.transfers = under_way(transfers);
  return out;
}

// Operations by what they are called.
class Tally {
 public:
  explicit Tally(const Run& run) : run_(run) {}
  // `instructions`: none at the end of a run.
  void add(Term term, const std::vector<int32_t>& instructions, Picoseconds time) {
    const std::string what = words(instructions);
    OperationTime& row = rows_[{term, term == Term::idle ? "before " + what : what}];
    row.term = term;
    row.time += time;
    ++row.count;
    if (term != Term::compute) return;
    const DotSize& size = known(instructions.front()).size;
    row.m = size.m;
    row.k = size.k;
    row.n = size.n;
  }
  std::vector<OperationTime> operations() const {
    std::vector<OperationTime> out;
    for (const auto& [key, row] : rows_) {
      out.push_back(row);
      out.back().what = key.second;
    }
    std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.time > b.time; });
    return out;
  }

 private:
  const OperationName& known(int32_t instruction) {
    const auto [found, is_new] = operations_.try_emplace(instruction);
    if (is_new) found->second = operation_name(run_.program, instruction);
    return found->second;
  }
  // "all-gather over row and col", "all-gather over row with reduce-scatter over col".
  std::string words(const std::vector<int32_t>& instructions) {
    if (instructions.empty()) return "the end";
    std::map<std::string, std::set<std::string>> places;  // by verb
    for (const int32_t i : instructions) places[known(i).verb].insert(known(i).place);
    std::vector<std::string> parts;
    for (const auto& [verb, where] : places) {
      std::vector<std::string> named(where.begin(), where.end());
      std::erase(named, "");
      // In the order of the mesh.
      std::ranges::stable_sort(named, {}, [&](const std::string& axis) {
        return run_.mesh.axis_index(axis).value_or(run_.mesh.rank());
      });
      parts.push_back(named.empty() ? verb : verb + " over " + join(named, " and "));
    }
    return join(parts, " with ");
  }

  const Run& run_;
  std::map<std::pair<Term, std::string>, OperationTime> rows_;
  std::map<int32_t, OperationName> operations_;
};

// Compute covers transfers; what neither covers is idle until the next of the two begins.
std::vector<Stretch> stretches_of(const DeviceSpans& spans, Picoseconds total) {
  std::vector<Stretch> out;
  size_t t = 0;
  Picoseconds now = 0;
  const auto add = [&](Term term, const std::vector<int32_t>& instructions, Picoseconds time) {
    if (time > 0) out.push_back({term, instructions, time});
  };
  const std::vector<int32_t> none;
  const auto until = [&](Picoseconds end, const std::vector<int32_t>& next) {
    while (now < end) {
      while (t < spans.transfers.size() && spans.transfers[t].end <= now) ++t;
      const LaneSpan* span = t < spans.transfers.size() ? &spans.transfers[t] : nullptr;
      const Picoseconds begins = span == nullptr ? end : std::min(end, std::max(now, span->start));
      add(Term::idle, begins < end ? span->instructions : next, begins - now);
      now = begins;
      if (now == end) return;
      const Picoseconds ends = std::min(end, span->end);
      add(Term::exposed, span->instructions, ends - now);
      now = ends;
    }
  };
  for (const LaneSpan& c : spans.compute) {
    until(c.start, c.instructions);
    add(Term::compute, c.instructions, c.end - c.start);
    now = c.end;
  }
  until(total, none);
  return out;
}

std::vector<OperationTime> operations_of(const Run& run, int32_t device, const Breakdown& sums) {
  if (run.timeline.events.empty()) return {};
  Tally tally(run);
  for (const Stretch& s : stretches_of(run, device)) tally.add(s.term, s.instructions, s.time);
  std::vector<OperationTime> out = tally.operations();
  // Where events do not say it exactly (what a kernel's call relays), nothing is said.
  Terms found{};
  for (const OperationTime& o : out) found[static_cast<size_t>(o.term)] += o.time;
  return found == sums.terms ? out : std::vector<OperationTime>();
}

}  // namespace

std::vector<Stretch> stretches_of(const Run& run, int32_t device) {
  return stretches_of(spans_of(run, device), run.timeline.total);
}

Breakdown breakdown_of(const Run& run) {
  Breakdown out;
  const Timeline& t = run.timeline;
  out.total = t.total;
  if (run.price) out.price = run.price->total();
  out.parts = parts_of(t.critical_path);
  out.terms = terms_of(t);
  if (!t.totals.empty()) out.operations = operations_of(run, summarise(t).device, out);
  return out;
}

Picoseconds Difference::term(Term t) const {
  return first.terms[static_cast<size_t>(t)] - second.terms[static_cast<size_t>(t)];
}

Difference difference_of(const Run& first, const Run& second) {
  Difference out{breakdown_of(first), breakdown_of(second), {}};
  if (out.first.operations.empty() || out.second.operations.empty()) return out;
  std::map<std::pair<Term, std::string>, OperationDifference> rows;
  const auto row = [&](const OperationTime& o) -> OperationDifference& {
    OperationDifference& found = rows[{o.term, o.what}];
    found.term = o.term;
    found.what = o.what;
    return found;
  };
  for (const OperationTime& o : out.first.operations) {
    row(o).first = o.time;
    row(o).first_count = o.count;
  }
  for (const OperationTime& o : out.second.operations) {
    row(o).second = o.time;
    row(o).second_count = o.count;
  }
  for (auto& [key, r] : rows) out.operations.push_back(std::move(r));
  std::ranges::stable_sort(out.operations, [](const auto& a, const auto& b) {
    return std::abs(a.difference()) > std::abs(b.difference());
  });
  return out;
}

}  // namespace shardscope
