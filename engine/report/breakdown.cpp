// SPDX-License-Identifier: Apache-2.0
#include "engine/report/breakdown.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/story/sums/operation_name.h"

namespace shardscope::inline report {
namespace {

// Where something of a device begins or ends.
struct Edge {
  Picoseconds time = 0;
  int32_t event = 0, instruction = 0;  // of a transfer: no event
  int8_t change = 0;
};

std::vector<Edge> edges_of(const Run& run, int32_t device) {
  std::vector<Edge> out;
  for (size_t number = 0; number < run.timeline.events.size(); ++number) {
    const Event& e = run.timeline.events[number];
    if (e.end <= e.start) continue;
    const bool computes = e.kind == EventKind::compute && e.device == device;
    const bool moves = e.kind == EventKind::transfer && leaves_or_arrives(run, e, device);
    if (!computes && !moves) continue;
    const int32_t event = computes ? static_cast<int32_t>(number) : -1;
    out.push_back({e.start, event, e.instruction, 1});
    out.push_back({e.end, event, e.instruction, -1});
  }
  std::ranges::stable_sort(out, {}, &Edge::time);
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

// Compute covers transfers; what neither covers is idle until the next of the two begins.
std::vector<Stretch> stretches_of(const Run& run, int32_t device) {
  std::vector<Stretch> out;
  std::map<int32_t, int32_t> computes, transfers;  // under way: by event, how many by instruction
  int32_t computed = -1;                           // the event that the last stretch is of
  Picoseconds now = 0;
  const auto add = [&](Picoseconds until) {
    Stretch next{Term::idle, {}, until - now};
    const int32_t event = computes.empty() ? -1 : computes.begin()->first;
    if (event >= 0) {
      next.term = Term::compute;
      next.instructions = {run.timeline.events[static_cast<size_t>(event)].instruction};
    } else if (!transfers.empty()) {
      next.term = Term::exposed;
      for (const auto& [instruction, times] : transfers) next.instructions.push_back(instruction);
    }
    const bool goes_on = !out.empty() && out.back().term == next.term && event == computed &&
                         out.back().instructions == next.instructions;
    if (goes_on) out.back().time += next.time;
    if (!goes_on && !out.empty() && out.back().term == Term::idle)
      out.back().instructions = next.instructions;
    if (!goes_on) out.push_back(std::move(next));
    computed = event;
  };
  for (const Edge& edge : edges_of(run, device)) {
    if (edge.time > now) add(edge.time);
    now = edge.time;
    auto& active = edge.event >= 0 ? computes : transfers;
    const int32_t key = edge.event >= 0 ? edge.event : edge.instruction;
    if ((active[key] += edge.change) == 0) active.erase(key);
  }
  if (run.timeline.total > now) add(run.timeline.total);
  return out;
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

}  // namespace shardscope::inline report
