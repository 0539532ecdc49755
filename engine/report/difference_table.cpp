// SPDX-License-Identifier: Apache-2.0
#include "engine/report/difference_table.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/units.h"

namespace shardscope::inline report {
namespace {

TextTable with_columns(const char* what, const Shown& others) {
  TextTable table;
  const auto column = [&](const std::string& header, bool right, const std::string& meaning) {
    table.header.push_back(header);
    table.right_aligned.push_back(right);
    table.meanings.push_back(meaning);
  };
  column(what, false, "What takes the time, by the name that the runs share");
  column("A", true, "Time in run A, the baseline; ×: so many times");
  for (const size_t r : others) column(letter_of(r), true, "Time in run " + letter_of(r));
  for (const size_t r : others)
    column(letter_of(r) + "−A", true, "How much longer it takes in run " + letter_of(r) + " than in A");
  return table;
}

std::vector<std::string> time_cells(const TimeRow& row, const Shown& others) {
  std::vector<std::string> cells{row.name, format_picoseconds(row.values.front())};
  for (const size_t r : others) cells.push_back(format_picoseconds(row.values[r]));
  for (const size_t r : others) cells.push_back(signed_picoseconds(row.delta(r)));
  return cells;
}

bool differs(const OperationRow& row, const Shown& others) {
  for (const size_t r : others)
    if (row.change(r) != Change::same) return true;
  return false;
}

// "57.6 µs ×8", "–" where the run has none.
std::string time_cell(const OperationSide& side) {
  if (!side.there()) return kNothing;
  return format_picoseconds(side.time) + (side.count > 1 ? fmt::format(" ×{}", side.count) : "");
}

// "32 %" of the critical path; nothing where it is not on it.
std::string critical_cell(const RunDifference& d, const OperationRow& row, size_t run) {
  const double share = d.critical_share(row, run);
  if (share == 0) return row.sides[run].there() ? "" : kNothing;
  return share < 0.01 ? "<1 %" : fmt::format("{:.0f} %", share * 100);
}

Picoseconds of_term(const OperationRow& row, Term term, size_t run) {
  return row.sides[run].terms[static_cast<size_t>(term)];
}

std::string status_cell(const OperationRow& row, const Shown& others) {
  std::string out;
  for (const size_t r : others) {
    const std::string words = row.words(r);
    if (words.empty()) continue;
    if (!out.empty()) out += "; ";
    out += others.size() > 1 ? letter_of(r) + " " + words : words;
  }
  return out;
}

}  // namespace

Shown all_others(const RunDifference& difference) {
  Shown out;
  for (size_t r = 1; r < difference.runs.size(); ++r) out.push_back(r);
  return out;
}

TextTable runs_table(const RunDifference& difference) {
  TextTable table;
  table.header = {"", "run", "strategy", "total", "time", "resharding", "against A"};
  table.right_aligned = {false, true, false, true, true, true, true};
  const auto total = [&](size_t r) { return difference.runs[r].total + difference.runs[r].price; };
  for (size_t r = 0; r < difference.runs.size(); ++r) {
    const ComparedRun& run = difference.runs[r];
    table.rows.push_back({letter_of(r), run.id ? std::to_string(*run.id) : std::string(kNothing),
                          run.label.empty() ? run.strategy : run.strategy + " (" + run.label + ")",
                          format_picoseconds(total(r)), format_picoseconds(run.total),
                          format_picoseconds(run.price),
                          r == 0 ? std::string() : signed_picoseconds(total(r) - total(0))});
  }
  return table;
}

TextTable times_table(const RunDifference& difference, const char* what, const std::vector<TimeRow>& rows,
                      const Shown& others) {
  TextTable table = with_columns(what, others);
  TimeRow time{difference.priced() ? "time" : "total", {}}, price{"resharding", {}}, total{"total", {}};
  for (const ComparedRun& run : difference.runs) {
    time.values.push_back(run.total);
    price.values.push_back(run.price);
    total.values.push_back(run.total + run.price);
  }
  for (const TimeRow& row : rows) table.rows.push_back(time_cells(row, others));
  table.rows.push_back(time_cells(time, others));
  if (!difference.priced()) return table;
  table.rows.push_back(time_cells(price, others));
  table.rows.push_back(time_cells(total, others));
  return table;
}

TextTable operations_table(const RunDifference& difference, const Shown& others, size_t most) {
  TextTable table = with_columns("operation", others);
  Shown all = others;
  all.insert(all.begin(), 0);
  for (const size_t r : all) {
    table.header.push_back("crit. " + letter_of(r));
    table.right_aligned.push_back(true);
    table.meanings.push_back("Share of the critical path of run " + letter_of(r));
  }
  table.header.emplace_back("status");
  table.right_aligned.push_back(false);
  table.meanings.emplace_back("What changed: only in one run, other sizes, other times");
  size_t same = 0, more = 0;
  for (const OperationRow& row : difference.operations) {
    const bool apart = differs(row, others);
    if (most > 0 && (!apart || table.rows.size() >= most)) {
      ++(apart ? more : same);
      continue;
    }
    std::vector<std::string> cells{row.key, time_cell(row.sides.front())};
    for (const size_t r : others) cells.push_back(time_cell(row.sides[r]));
    for (const size_t r : others) cells.push_back(signed_picoseconds(row.delta(r)));
    for (const size_t r : all) cells.push_back(critical_cell(difference, row, r));
    cells.push_back(status_cell(row, others));
    table.rows.push_back(std::move(cells));
  }
  const auto left_out = [&](size_t count, const char* what) {
    if (count == 0) return;
    std::vector<std::string> cells(table.header.size());
    cells.front() = fmt::format("{} {}", count, what);
    table.rows.push_back(std::move(cells));
  };
  left_out(more, "more that differ");
  left_out(same, "that take the same");
  return table;
}

std::vector<int> operations_in(const RunDifference& d, std::optional<Term> term) {
  std::vector<int> out;
  for (size_t o = 0; o < d.operations.size(); ++o) {
    bool any = !term;
    for (size_t r = 0; r < d.runs.size() && !any; ++r) any = of_term(d.operations[o], *term, r) != 0;
    if (any) out.push_back(static_cast<int>(o));
  }
  if (!term) return out;
  const auto order = [&](int o) {
    const OperationRow& row = d.operations[static_cast<size_t>(o)];
    Picoseconds most = 0;
    for (size_t r = 1; r < d.runs.size(); ++r)
      most = std::max(most, std::abs(of_term(row, *term, r) - of_term(row, *term, 0)));
    return -most;
  };
  std::ranges::stable_sort(out, {}, order);
  return out;
}

TextTable term_table(const RunDifference& d, const Shown& others, Term term) {
  TextTable table = with_columns(name(term), others);
  for (const int o : operations_in(d, term)) {
    const OperationRow& row = d.operations[static_cast<size_t>(o)];
    TimeRow times{row.key, {}};
    for (size_t r = 0; r < d.runs.size(); ++r) times.values.push_back(of_term(row, term, r));
    table.rows.push_back(time_cells(times, others));
  }
  TimeRow rest{term == Term::idle ? "at the end, and what is not known" : "what is not known", {}};
  for (const Terms& left : d.rest) rest.values.push_back(left[static_cast<size_t>(term)]);
  const bool any = std::ranges::any_of(rest.values, [](Picoseconds time) { return time != 0; });
  if (any) table.rows.push_back(time_cells(rest, others));
  TimeRow total = d.terms[static_cast<size_t>(term)];
  total.name = "together";
  table.rows.push_back(time_cells(total, others));
  return table;
}

TextTable memory_table(const RunDifference& difference, const Shown& others) {
  TextTable table;
  table.header = {"memory at the peak", "A"};
  table.right_aligned = {false, true};
  for (const size_t r : others) {
    table.header.push_back(letter_of(r));
    table.right_aligned.push_back(true);
  }
  for (const MemoryRow& row : difference.memory) {
    const auto cell = [&](size_t r) {
      return row.bytes[r] == 0 ? std::string(kNothing) : format_bytes(static_cast<double>(row.bytes[r]));
    };
    std::vector<std::string> cells{row.array, cell(0)};
    for (const size_t r : others) cells.push_back(cell(r));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace shardscope::inline report
