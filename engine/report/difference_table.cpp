// SPDX-License-Identifier: Apache-2.0
#include "engine/report/difference_table.h"

#include <fmt/format.h>

#include "engine/base/units.h"

namespace shardscope {
namespace {

constexpr const char* kNone = "–";

TextTable with_columns(const char* what, const Shown& others) {
  TextTable table;
  const auto column = [&](const std::string& header, bool right) {
    table.header.push_back(header);
    table.right_aligned.push_back(right);
  };
  column(what, false);
  column("A", true);
  for (const size_t r : others) column(letter_of(r), true);
  for (const size_t r : others) column(letter_of(r) + "−A", true);
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
  if (!side.there()) return kNone;
  return format_picoseconds(side.time) + (side.count > 1 ? fmt::format(" ×{}", side.count) : "");
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
  table.header = {"", "run", "strategy", "time", "against A"};
  table.right_aligned = {false, true, false, true, true};
  for (size_t r = 0; r < difference.runs.size(); ++r) {
    const ComparedRun& run = difference.runs[r];
    table.rows.push_back({letter_of(r), run.id ? std::to_string(*run.id) : std::string(kNone),
                          run.label.empty() ? run.strategy : run.strategy + " (" + run.label + ")",
                          format_picoseconds(run.total),
                          r == 0 ? std::string() : signed_picoseconds(difference.gap(r))});
  }
  return table;
}

TextTable times_table(const RunDifference& difference, const char* what, const std::vector<TimeRow>& rows,
                      const Shown& others) {
  TextTable table = with_columns(what, others);
  TimeRow total{"total", {}};
  for (const ComparedRun& run : difference.runs) total.values.push_back(run.total);
  for (const TimeRow& row : rows) table.rows.push_back(time_cells(row, others));
  table.rows.push_back(time_cells(total, others));
  return table;
}

TextTable operations_table(const RunDifference& difference, const Shown& others, size_t most) {
  TextTable table = with_columns("operation", others);
  table.header.emplace_back("status");
  table.right_aligned.push_back(false);
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
      return row.bytes[r] == 0 ? std::string(kNone) : format_bytes(static_cast<double>(row.bytes[r]));
    };
    std::vector<std::string> cells{row.array, cell(0)};
    for (const size_t r : others) cells.push_back(cell(r));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace shardscope
