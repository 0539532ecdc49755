// SPDX-License-Identifier: Apache-2.0
#include "engine/report/modules_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

namespace shardscope::inline report {
namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, int64_t> collectives_of(const Program& program) {
  std::map<std::string, int64_t> out;
  for (const Computation& c : program.computations)
    for (const Instruction& i : c.instructions)
      if (is_collective(i.opcode)) ++out[std::string(opcode_text(i))];
  return out;
}

std::string sentence(const ModuleMatching& m) {
  if (m.equal()) return "equal, names and metadata aside";
  return fmt::format("{} alike, {} changed, {} only before, {} only after", m.before.count(Fate::same),
                     m.before.count(Fate::changed), m.before.count(Fate::alone), m.after.count(Fate::alone));
}

std::string line_name(const ModuleColumns& columns, size_t module, const ColumnCell& cell) {
  return columns.modules[module].program.at(cell.instruction).name;
}

Json line_json(const ModuleColumns& columns, size_t module, const ColumnCell& cell) {
  if (cell.empty()) return nullptr;
  const Program& program = *columns.modules[module].program;
  return {{"name", line_name(columns, module, cell)},
          {"computation", program.computations[static_cast<size_t>(cell.computation)].name},
          {"text", cell_text(columns, module, cell)}};
}

Result<Json> between_json(const ModuleColumns& columns, size_t k, const std::vector<ColumnRow>& rows,
                          const std::stop_token& stop) {
  const ModuleMatching& m = columns.between[k];
  Json counts = Json::array(), lines = Json::array();
  for (const auto& [opcode, often] : other_counts(std::span(columns.modules).subspan(k, 2)))
    counts.push_back({{"opcode", opcode}, {"before", often[0]}, {"after", often[1]}});
  for (const DifferentLine& line : different_lines(columns, k, rows)) {
    if (stop.stop_requested()) return cancelled();
    const char* kind = line.after.empty() ? "only_before" : line.before.empty() ? "only_after" : "changed";
    lines.push_back({{"kind", kind},
                     {"before", line_json(columns, k, line.before)},
                     {"after", line_json(columns, k + 1, line.after)}});
  }
  return Json{{"before", columns.modules[k].name},
              {"after", columns.modules[k + 1].name},
              {"equal", m.equal()},
              {"alike", m.before.count(Fate::same)},
              {"changed", m.before.count(Fate::changed)},
              {"only_before", m.before.count(Fate::alone)},
              {"only_after", m.after.count(Fate::alone)},
              {"counts", counts},
              {"lines", lines}};
}

}  // namespace

std::vector<std::string> neighbours_sentences(const ModuleColumns& columns) {
  std::vector<std::string> out;
  for (size_t k = 0; k < columns.between.size(); ++k)
    out.push_back(fmt::format("{} | {}: {}", columns.modules[k].name, columns.modules[k + 1].name,
                              sentence(columns.between[k])));
  return out;
}

TextTable modules_table(const ModuleColumns& columns) {
  TextTable out{{"", "instructions"}, {}, {false, true}};
  std::set<std::string> kinds;
  for (const ModuleColumn& each : columns.modules)
    for (const auto& [opcode, count] : collectives_of(*each.program)) kinds.insert(opcode);
  for (const std::string& kind : kinds) {
    out.header.push_back(kind);
    out.right_aligned.push_back(true);
  }
  for (const ModuleColumn& each : columns.modules) {
    std::vector<std::string> row{each.name, std::to_string(each.program->instruction_count())};
    const auto own = collectives_of(*each.program);
    for (const std::string& kind : kinds)
      row.push_back(own.contains(kind) ? std::to_string(own.at(kind)) : kNothing);
    out.rows.push_back(std::move(row));
  }
  return out;
}

Result<std::string> modules_text(const ModuleColumns& columns, const std::stop_token& stop) {
  TRY(const std::vector<ColumnRow> rows, aligned_rows(columns, stop));
  std::string out = plain_table(modules_table(columns));
  const std::vector<std::string> sentences = neighbours_sentences(columns);
  for (size_t k = 0; k < columns.between.size(); ++k) {
    out += "\n@@ " + sentences[k] + "\n";
    for (const std::string& said : columns.modules[k + 1].said) out += "# " + said + "\n";
    for (const DifferentLine& line : different_lines(columns, k, rows)) {
      if (stop.stop_requested()) return cancelled();
      if (!line.before.empty()) out += "- " + cell_text(columns, k, line.before) + "\n";
      if (!line.after.empty()) out += "+ " + cell_text(columns, k + 1, line.after) + "\n";
    }
  }
  return out;
}

Result<std::string> modules_json(const ModuleColumns& columns, const std::stop_token& stop) {
  TRY(const std::vector<ColumnRow> rows, aligned_rows(columns, stop));
  Json modules = Json::array(), between = Json::array();
  for (const ModuleColumn& each : columns.modules)
    modules.push_back({{"name", each.name},
                       {"instructions", each.program->instruction_count()},
                       {"collectives", collectives_of(*each.program)},
                       {"said", each.said}});
  for (size_t k = 0; k < columns.between.size(); ++k) {
    TRY(Json each, between_json(columns, k, rows, stop));
    between.push_back(std::move(each));
  }
  return Json{{"modules", modules}, {"between", between}}.dump(1) + "\n";
}

}  // namespace shardscope::inline report
