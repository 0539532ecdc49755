// SPDX-License-Identifier: Apache-2.0
#include "engine/program/stages/columns.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_map>

namespace shardscope::inline program {
namespace {

// A module's lines, its entry's first.
std::vector<ColumnCell> lines_of_column(const Program& program) {
  std::vector<ColumnCell> out;
  std::vector<int32_t> first;
  int32_t number = 0;
  for (const Computation& c : program.computations) {
    first.push_back(number);
    number += static_cast<int32_t>(c.instructions.size());
  }
  const auto add = [&](size_t c) {
    out.push_back({-1, static_cast<int32_t>(c)});
    for (size_t k = 0; k < program.computations[c].instructions.size(); ++k)
      out.push_back({first[c] + static_cast<int32_t>(k), static_cast<int32_t>(c)});
  };
  const auto entry = static_cast<size_t>(program.entry.value);
  add(entry);
  for (size_t c = 0; c < program.computations.size(); ++c)
    if (c != entry) add(c);
  return out;
}

// Of pairs in the order of their firsts the longest part whose seconds ascend too.
std::vector<size_t> longest_ascending(const std::vector<size_t>& seconds) {
  std::vector<size_t> ends, before(seconds.size());
  for (size_t k = 0; k < seconds.size(); ++k) {
    const auto at = std::ranges::lower_bound(ends, seconds[k], {}, [&](size_t end) { return seconds[end]; });
    before[k] = at == ends.begin() ? k : *(at - 1);
    at == ends.end() ? ends.push_back(k) : void(*at = k);
  }
  std::vector<size_t> out;
  if (ends.empty()) return out;
  for (size_t k = ends.back();; k = before[k]) {
    out.push_back(k);
    if (before[k] == k) break;
  }
  std::ranges::reverse(out);
  return out;
}

// Where the counterpart of a module's line stands among the next one's lines; none: nowhere.
class Counterparts {
 public:
  Counterparts(const ModuleMatching& matching, const std::vector<ColumnCell>& lines) : matching_(matching) {
    for (size_t k = 0; k < lines.size(); ++k) {
      auto& places = lines[k].instruction < 0 ? heads_ : instructions_;
      const auto at =
          static_cast<size_t>(lines[k].instruction < 0 ? lines[k].computation : lines[k].instruction);
      if (places.size() <= at) places.resize(at + 1);
      places[at] = k;
    }
    for (const auto& [from, to] : matching.computations)
      counterpart_heads_.try_emplace(from.value, heads_[static_cast<size_t>(to.value)]);
  }
  std::optional<size_t> of(const ColumnCell& cell) const {
    if (cell.empty()) return std::nullopt;
    if (cell.instruction >= 0) {
      const int32_t other = matching_.before.counterpart[static_cast<size_t>(cell.instruction)];
      if (other < 0) return std::nullopt;
      return instructions_[static_cast<size_t>(other)];
    }
    const auto head = counterpart_heads_.find(cell.computation);
    return head == counterpart_heads_.end() ? std::nullopt : std::optional(head->second);
  }

 private:
  const ModuleMatching& matching_;
  std::vector<size_t> heads_, instructions_;
  std::unordered_map<int64_t, size_t> counterpart_heads_;  // by the computation that has it
};

// The rows with one more module at their right.
std::vector<ColumnRow> with_column(std::vector<ColumnRow> rows, const ModuleMatching& matching,
                                   const std::vector<ColumnCell>& lines) {
  const size_t width = rows.front().size();
  const Counterparts counterparts(matching, lines);
  std::vector<size_t> row_of, place;  // of all that have a counterpart
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto other = counterparts.of(rows[r].back());
    if (!other) continue;
    row_of.push_back(r);
    place.push_back(*other);
  }
  std::vector<ColumnRow> out;
  size_t row = 0, line = 0;
  const auto pass = [&](size_t rows_to, size_t lines_to) {
    for (; row < rows_to; ++row) {
      out.push_back(std::move(rows[row]));
      out.back().emplace_back();
    }
    for (; line < lines_to; ++line) {
      out.emplace_back(width);
      out.back().push_back(lines[line]);
    }
  };
  for (const size_t k : longest_ascending(place)) {
    pass(row_of[k], place[k]);
    out.push_back(std::move(rows[row++]));
    out.back().push_back(lines[line++]);
  }
  pass(rows.size(), lines.size());
  return out;
}

// Instructions of all modules, and which belong together.
class LinkedGroups {
 public:
  explicit LinkedGroups(const ModuleColumns& columns) {
    for (const ModuleColumn& each : columns.modules) {
      first_.push_back(parent_.size());
      parent_.resize(parent_.size() + static_cast<size_t>(each.program->instruction_count()));
    }
    std::iota(parent_.begin(), parent_.end(), size_t{0});
    for (size_t k = 0; k < columns.between.size(); ++k) {
      const ModuleMatching& matching = columns.between[k];
      for (size_t made = 0; made < matching.after.counterpart.size(); ++made)
        for (const int32_t source : matching.links.sources(static_cast<int32_t>(made)))
          parent_[root(first_[k + 1] + made)] = root(first_[k] + static_cast<size_t>(source));
    }
  }
  int32_t of(size_t module, int32_t instruction) {
    return static_cast<int32_t>(root(first_[module] + static_cast<size_t>(instruction)));
  }

 private:
  size_t root(size_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  std::vector<size_t> first_, parent_;
};

}  // namespace

Result<ModuleColumns> columns_of(std::vector<ModuleColumn> modules, const std::stop_token& stop) {
  ModuleColumns out;
  out.modules = std::move(modules);
  for (size_t k = 0; k + 1 < out.modules.size(); ++k) {
    TRY(ModuleMatching matching, match_modules(*out.modules[k].program, *out.modules[k + 1].program, stop));
    out.between.push_back(std::move(matching));
  }
  return out;
}

Result<ModuleColumns> columns_of(const StageStrip& strip, const std::stop_token& stop) {
  ModuleColumns out;
  for (size_t k = 0; k < strip.size(); ++k) {
    const StripStage& each = strip[k];
    out.modules.push_back({each.title, each.stage->program, each.said});
    if (k == 0) continue;
    if (each.before == static_cast<int>(k) - 1) {
      out.between.push_back(each.from);
      continue;
    }
    TRY(ModuleMatching matching, match_modules(*strip[k - 1].stage->program, *each.stage->program, stop));
    out.between.push_back(std::move(matching));
  }
  return out;
}

Result<std::vector<ColumnRow>> aligned_rows(const ModuleColumns& columns, const std::stop_token& stop) {
  std::vector<ColumnRow> rows;
  if (columns.modules.empty()) return rows;
  for (const ColumnCell& line : lines_of_column(*columns.modules.front().program)) rows.push_back({line});
  for (size_t k = 1; k < columns.modules.size(); ++k) {
    if (stop.stop_requested()) return cancelled();
    rows = with_column(std::move(rows), columns.between[k - 1], lines_of_column(*columns.modules[k].program));
  }
  LinkedGroups groups(columns);
  for (ColumnRow& row : rows)
    for (size_t module = 0; module < row.size(); ++module)
      if (row[module].instruction >= 0) row[module].group = groups.of(module, row[module].instruction);
  return rows;
}

std::vector<DifferentLine> different_lines(const ModuleColumns& columns, size_t module,
                                           const std::vector<ColumnRow>& rows) {
  const ModuleMatching& matching = columns.between[module];
  std::vector<ColumnCell> after(matching.after.fate.size());
  for (const ColumnRow& row : rows)
    if (const ColumnCell& cell = row[module + 1]; cell.instruction >= 0)
      after[static_cast<size_t>(cell.instruction)] = cell;
  std::vector<DifferentLine> out;
  for (const ColumnRow& row : rows) {
    if (const ColumnCell& cell = row[module]; cell.instruction >= 0) {
      const auto at = static_cast<size_t>(cell.instruction);
      if (matching.before.fate[at] == Fate::alone) out.push_back({cell, {}});
      if (matching.before.fate[at] == Fate::changed)
        out.push_back({cell, after[static_cast<size_t>(matching.before.counterpart[at])]});
    }
    if (const ColumnCell& cell = row[module + 1]; cell.instruction >= 0)
      if (matching.after.fate[static_cast<size_t>(cell.instruction)] == Fate::alone)
        out.push_back({{}, cell});
  }
  return out;
}

std::map<std::string, std::vector<int64_t>> other_counts(std::span<const ModuleColumn> modules) {
  std::map<std::string, std::vector<int64_t>> out;
  for (size_t module = 0; module < modules.size(); ++module) {
    for (const Computation& c : modules[module].program->computations) {
      for (const Instruction& i : c.instructions) {
        auto& counts = out[std::string(opcode_text(i))];
        counts.resize(modules.size());
        ++counts[module];
      }
    }
  }
  std::erase_if(out, [](const auto& each) {
    return std::ranges::count(each.second, each.second.front()) == std::ssize(each.second);
  });
  return out;
}

bool same_in_all(const ModuleColumns& columns, const ColumnRow& row) {
  for (size_t k = 0; k < row.size(); ++k) {
    if (row[k].empty()) return false;
    if (k == 0 || row[k].instruction < 0) continue;
    if (columns.between[k - 1].after.fate[static_cast<size_t>(row[k].instruction)] != Fate::same)
      return false;
  }
  return true;
}

std::string cell_text(const ModuleColumns& columns, size_t module, const ColumnCell& cell) {
  if (cell.empty()) return "";
  const SharedProgram& module_of = columns.modules[module].program;
  const Program& program = *module_of;
  const Computation& computation = program.computations[static_cast<size_t>(cell.computation)];
  if (cell.instruction < 0)
    return (program.entry.value == cell.computation ? "ENTRY " : "") + computation.name;
  const InstructionId place(&module_of.at(cell.instruction) - computation.instructions.data());
  return (computation.root == place ? "ROOT " : "") + print_instruction(program, computation, place);
}

}  // namespace shardscope::inline program
