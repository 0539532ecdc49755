// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_difference.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/base/text.h"
#include "engine/report/breakdown.h"
#include "engine/report/report.h"
#include "engine/report/run_operations.h"
#include "engine/report/verdict.h"

namespace shardscope::inline report {
namespace {

constexpr size_t kMostInReports = 4;  // more columns than that nobody reads side by side

// The row of `key`, made when it is new, in the order in which rows are asked for.
template <class Row, class Key>
Row& row_of(std::vector<Row>& rows, std::map<Key, size_t>& places, const Key& key, const Row& fresh) {
  const auto [at, is_new] = places.try_emplace(key, rows.size());
  if (is_new) rows.push_back(fresh);
  return rows[at->second];
}

std::vector<ReasonRow> reasons_of(const std::vector<Breakdown>& breakdowns) {
  std::vector<ReasonRow> out;
  std::map<std::pair<Term, std::string>, size_t> places;
  for (size_t r = 0; r < breakdowns.size(); ++r) {
    if (breakdowns[r].operations.empty() && breakdowns[r].total > 0) return {};
    for (const OperationTime& o : breakdowns[r].operations) {
      const ReasonRow fresh{o.term, {o.what, std::vector<Picoseconds>(breakdowns.size())}};
      row_of(out, places, std::pair(o.term, o.what), fresh).time.values[r] = o.time;
    }
  }
  return out;
}

void set_terms(const std::vector<Breakdown>& breakdowns, RunDifference& out) {
  for (const Term term : kTerms) out.terms.push_back({name(term), {}});
  for (const char* part : kPartNames) out.parts.push_back({part, {}});
  for (const Breakdown& b : breakdowns) {
    for (size_t t = 0; t < b.terms.size(); ++t) out.terms[t].values.push_back(b.terms[t]);
    for (size_t p = 0; p < b.parts.size(); ++p) out.parts[p].values.push_back(b.parts[p]);
  }
  out.reasons = reasons_of(breakdowns);
}

// A row while rows are put together.
struct OpenRow : OperationRow {
  RunOperation what;                  // without its side
  int64_t count = 0;                  // of them in every run that has them; 0: the runs differ in it
  std::vector<int64_t> largest_move;  // by run
};

// How many of `small` make up one `whole`: 0 when they do not fill it.
int64_t fills(const DotSize& small, const DotSize& whole) {
  int64_t times = 1;
  for (const auto& [a, b] : {std::pair(small.batch, whole.batch), std::pair(small.m, whole.m),
                             std::pair(small.k, whole.k), std::pair(small.n, whole.n)}) {
    if (a <= 0 || b % a != 0) return 0;
    times *= b / a;
  }
  return times;
}

void set_count(OpenRow& row) {
  for (const OperationSide& side : row.sides) {
    if (!side.there()) continue;
    if (row.count != 0 && row.count != side.count) {
      row.count = 0;
      return;
    }
    row.count = side.count;
  }
}

bool apart(const OpenRow& a, const OpenRow& b) {
  for (size_t r = 0; r < a.sides.size(); ++r)
    if (a.sides[r].there() && b.sides[r].there()) return false;
  return true;
}

// Whether what one row's runs do in products of its size, the other's do in equal parts of it.
bool same_work(const OpenRow& whole, const OpenRow& parts) {
  if (whole.what.product.m == 0 || parts.what.product.m == 0) return false;
  if (whole.count == 0 || parts.count == 0) return false;
  const int64_t times = fills(parts.what.product, whole.what.product);
  return times >= 2 && whole.count * times == parts.count && apart(whole, parts);
}

// Whether what one row's runs do at once, the other's do block by block: the same comes of it.
bool same_effect(const OpenRow& whole, const OpenRow& moves) {
  if (whole.what.effect == Effect::none || whole.what.effect != moves.what.effect) return false;
  if (!moves.what.single || whole.what.array != moves.what.array || whole.what.place != moves.what.place)
    return false;
  // Of two that go block by block either may be the other's.
  return (!whole.what.single || whole.key < moves.key) && apart(whole, moves);
}

void take_sides(OpenRow& from, OpenRow& to) {
  for (size_t r = 0; r < to.sides.size(); ++r) {
    if (!from.sides[r].there()) continue;
    to.sides[r] = std::move(from.sides[r]);
    to.largest_move[r] = from.largest_move[r];
  }
}

void put_parts_to_their_wholes(std::vector<OpenRow>& rows) {
  for (size_t w = 0; w < rows.size(); ++w) {
    for (size_t p = 0; p < rows.size(); ++p) {
      if (p == w || !(same_work(rows[w], rows[p]) || same_effect(rows[w], rows[p]))) continue;
      take_sides(rows[p], rows[w]);
      rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(p));
      if (p < w) --w;
      p = static_cast<size_t>(-1);  // others may be parts of it too
    }
  }
}

// Whether a run goes block by block about what others do at once.
bool is_single(const OpenRow& row, const OperationSide& side) {
  return !row.what.single && row.what.effect != Effect::none && side.verb != row.what.side.verb;
}

// The same bytes, or the same product, in more goes than where it takes the fewest. Of what goes block by
// block the blocks count, the device's own too: seven moves make a gather of eight.
void count_parts(OpenRow& row) {
  int64_t fewest = INT64_MAX;
  for (const OperationSide& side : row.sides)
    if (side.there() && !is_single(row, side)) fewest = std::min(fewest, side.count);
  const auto at_once = std::ranges::find_if(row.sides, [&](const OperationSide& side) {
    return side.there() && !is_single(row, side) && side.count == fewest;
  });
  if (at_once == row.sides.end()) return;
  const int64_t n = row.what.members;
  const int64_t whole = n > 1 ? at_once->bytes * n / (n - 1) : at_once->bytes;
  for (size_t r = 0; r < row.sides.size(); ++r) {
    OperationSide& side = row.sides[r];
    if (!side.there()) continue;
    if (is_single(row, side)) {
      side.parts = std::max<int64_t>(1, row.largest_move[r] > 0 ? whole / row.largest_move[r] : side.count);
    } else if ((row.what.product.m > 0 || side.bytes == at_once->bytes) && side.count % fewest == 0) {
      side.parts = side.count / fewest;
    }
  }
}

Picoseconds largest_delta(const OperationRow& row) {
  Picoseconds most = 0;
  for (size_t r = 0; r < row.sides.size(); ++r) most = std::max(most, std::abs(row.delta(r)));
  return most;
}

Picoseconds longest(const OperationRow& row) {
  Picoseconds most = 0;
  for (const OperationSide& side : row.sides) most = std::max(most, side.time);
  return most;
}

std::vector<OperationRow> operations_of(const std::vector<RunWithStory>& runs,
                                        const RunDifference& difference) {
  std::vector<OpenRow> rows;
  std::map<std::string, size_t> places;
  for (size_t r = 0; r < runs.size(); ++r) {
    for (RunOperation& o : operations_of(*runs[r].run, runs[r].story.get(), difference.runs[r].device)) {
      OpenRow fresh;
      fresh.key = o.key;
      fresh.what = o;
      fresh.sides.resize(runs.size());
      fresh.largest_move.resize(runs.size());
      OpenRow& row = row_of(rows, places, o.key, fresh);
      row.sides[r] = std::move(o.side);
      row.largest_move[r] = o.largest_move;
    }
  }
  for (OpenRow& row : rows) set_count(row);
  put_parts_to_their_wholes(rows);
  for (OpenRow& row : rows) count_parts(row);
  std::vector<OperationRow> out(std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
  std::ranges::stable_sort(out, [](const OperationRow& a, const OperationRow& b) {
    const Picoseconds x = largest_delta(a), y = largest_delta(b);
    return x != y ? x > y : longest(a) > longest(b);
  });
  return out;
}

std::vector<Terms> rest_of(const RunDifference& d) {
  std::vector<Terms> out(d.runs.size());
  for (size_t r = 0; r < out.size(); ++r) {
    for (size_t t = 0; t < out[r].size(); ++t) {
      out[r][t] = d.terms[t].values[r];
      for (const OperationRow& row : d.operations) out[r][t] -= row.sides[r].terms[t];
    }
  }
  return out;
}

std::vector<CollectiveRow> collectives_of(const std::vector<RunWithStory>& runs) {
  std::vector<CollectiveRow> out;
  std::map<std::pair<std::string, std::string>, size_t> places;
  const size_t n = runs.size();
  for (size_t r = 0; r < n; ++r) {
    for (const CollectiveSummary& c : runs[r].run->timeline.collectives) {
      const CollectiveRow fresh{c.opcode,
                                c.axis,
                                std::vector<int64_t>(n),
                                std::vector<int64_t>(n),
                                std::vector<std::string>(n),
                                std::vector<double>(n)};
      CollectiveRow& row = row_of(out, places, std::pair(c.opcode, c.axis), fresh);
      row.counts[r] += c.count;
      row.steps[r] += c.steps;
      row.algorithms[r] += (row.algorithms[r].empty() ? "" : ",") + c.algorithm;
      row.bytes_sent_per_device[r] += c.bytes_sent_per_device;
    }
  }
  return out;
}

// Live bytes by array, on the fullest device when it holds most.
std::map<std::string, int64_t> held_at_peak(const RunWithStory& told) {
  const Run& run = *told.run;
  int32_t fullest = 0;
  const auto& totals = run.timeline.totals;
  for (size_t d = 0; d < totals.size(); ++d)
    if (totals[d].peak_bytes > totals[static_cast<size_t>(fullest)].peak_bytes)
      fullest = static_cast<int32_t>(d);
  std::map<Picoseconds, int64_t> changes;
  for (const BufferLife& b : run.timeline.buffers) {
    if (b.device != fullest) continue;
    changes[b.start] += b.bytes;
    if (b.end < run.timeline.total) changes[b.end] -= b.bytes;
  }
  int64_t live = 0, most = -1;
  Picoseconds when = 0;
  for (const auto& [time, change] : changes) {
    live += change;
    if (live > most) most = live, when = time;
  }
  std::map<std::string, int64_t> out;
  for (const BufferLife& b : run.timeline.buffers) {
    const bool lives = b.start <= when && (b.end > when || b.end >= run.timeline.total);
    if (b.device != fullest || !lives || b.bytes == 0) continue;
    out[array_held_by(run, told.story.get(), b.instruction)] += b.bytes;
  }
  return out;
}

std::vector<MemoryRow> memory_of(const std::vector<RunWithStory>& runs) {
  std::vector<MemoryRow> out;
  std::map<std::string, size_t> places;
  for (size_t r = 0; r < runs.size(); ++r) {
    for (const auto& [array, bytes] : held_at_peak(runs[r]))
      row_of(out, places, array, {array, std::vector<int64_t>(runs.size())}).bytes[r] = bytes;
  }
  std::ranges::stable_sort(out, [](const MemoryRow& a, const MemoryRow& b) {
    return std::ranges::max(a.bytes) > std::ranges::max(b.bytes);
  });
  return out;
}

std::string problem_text(const Run& run) {
  const MatmulProblem& p = run.problem;
  return fmt::format("m={} k={} n={} {}", p.m, p.k, p.n, name(p.dtype));
}

// What is to be known of runs beside the verdict.
std::vector<std::string> notes_of(const std::vector<RunWithStory>& runs) {
  std::vector<std::string> out;
  const Run& first = *runs.front().run;
  for (size_t r = 0; r < runs.size(); ++r) {
    const Run& run = *runs[r].run;
    const std::string who = letter_of(r);
    const auto ends = [](const Run& of) {
      const RunEnds e = ends_of(of);
      return text(e.inputs) + " to " + text(e.outputs);
    };
    if (problem_text(run) == problem_text(first) && ends(run) != ends(first))
      out.push_back(fmt::format("{} goes from {}; A goes from {}", who, ends(run), ends(first)));
    if (run.timeline.events.empty() && run.timeline.total > 0)
      out.push_back(who + " is recorded without its events: its operations are not known");
  }
  return out;
}

}  // namespace

RunWithStory told(RunPtr run, const std::stop_token& stop) {
  RunWithStory out{std::move(run), nullptr};
  if (out.run->program.computations.empty() || out.run->timeline.events.empty()) return out;
  if (Result<Story> story = tell(out.run->program, out.run->timeline, stop); story.ok())
    out.story = std::make_shared<const Story>(*std::move(story));
  return out;
}

std::vector<RunWithStory> best_of(const std::vector<RunPtr>& runs) {
  std::vector<RunWithStory> best;
  for (const RankedRun& r : rank(runs))
    if (r.ranked && !r.run->untimed && best.size() < kMostInReports) best.push_back(told(r.run));
  return best;
}

std::optional<RunDifference> difference_of_best(const std::vector<RunPtr>& runs) {
  Result<RunDifference> out = difference_of(best_of(runs));
  return out.ok() ? std::optional(*std::move(out)) : std::nullopt;
}

Result<void> check_compared(size_t runs) {
  if (runs < 2) return invalid("one run alone cannot be compared", "--runs", "name two or more");
  if (runs > kMostCompared)
    return invalid(fmt::format("{} runs, expected 2 to {}", runs, kMostCompared), "--runs", "name fewer");
  return {};
}

Result<RunDifference> difference_of(const std::vector<RunWithStory>& runs) {
  TRY_VOID(check_compared(runs.size()));
  RunDifference out;
  std::vector<Breakdown> breakdowns;
  std::vector<RunPtr> plain;
  for (const RunWithStory& t : runs) {
    const Run& run = *t.run;
    if (run.untimed)
      return invalid(fmt::format("run {} has no times: {}", run.id.value_or(0), run.untimed->text()),
                     "--runs", "name runs that were timed");
    breakdowns.push_back(breakdown_of(run));
    out.runs.push_back({run.id, run.strategy, heading_label(run), run.timeline.total, breakdowns.back().price,
                        summarise(run.timeline).device});
    plain.push_back(t.run);
  }
  set_terms(breakdowns, out);
  out.operations = operations_of(runs, out);
  out.rest = rest_of(out);
  out.collectives = collectives_of(runs);
  out.memory = memory_of(runs);
  out.verdict = judge(plain, Judged::each).text;
  out.notes = notes_of(runs);
  return out;
}

}  // namespace shardscope::inline report
