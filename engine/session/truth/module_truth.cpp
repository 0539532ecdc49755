// SPDX-License-Identifier: Apache-2.0
#include "engine/session/truth/module_truth.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <span>

#include "engine/base/csv_reader.h"
#include "engine/base/embedded_file.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/hardware/hardware.h"
#include "engine/program/mlir/module_text.h"
#include "engine/session/hlo_run.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> measured_module_hlo();
std::span<const EmbeddedFile> measured_module_mlir();
std::span<const EmbeddedFile> measured_module_times();
}  // namespace shardscope::embedded

namespace shardscope::inline session {

namespace {

constexpr const char* kColumns[] = {"module", "chip", "measured_us"};

Result<std::vector<MeasuredModule>> read_times(std::string_view csv, const std::string& file) {
  TRY(const std::vector<CsvRow> rows, parse_csv(csv, file));
  const auto place = [&](const CsvRow& row) { return fmt::format("{}:{}:1", file, row.line); };
  std::vector<size_t> columns;
  for (const char* column : kColumns) {
    const auto& head = rows.empty() ? std::vector<std::string>() : rows[0].cells;
    const auto found =
        std::ranges::find_if(head, [&](const std::string& cell) { return trim(cell) == column; });
    if (found == head.end())
      return invalid(fmt::format("column '{}' is missing", column), file,
                     "the first line names the columns: module,chip,measured_us");
    columns.push_back(static_cast<size_t>(found - head.begin()));
  }
  std::vector<MeasuredModule> out;
  for (size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].cells.size() != rows[0].cells.size())
      return invalid(fmt::format("{} cells in a line, the first line has {}", rows[r].cells.size(),
                                 rows[0].cells.size()),
                     place(rows[r]));
    const auto cell = [&](size_t c) { return std::string(trim(rows[r].cells[columns[c]])); };
    const auto us = parse_double(cell(2));
    if (!us || !std::isfinite(*us) || *us <= 0 || *us > 1e12)
      return invalid(
          fmt::format("'measured_us' must be a positive number of microseconds, got '{}'", cell(2)),
          place(rows[r]));
    const std::string name = cell(0);
    if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.'))
      return invalid(fmt::format("'{}' is no name of a folder", name), place(rows[r]));
    out.push_back({name, cell(1), *us * 1e-6, "", ""});
  }
  return out;
}

std::string text_of(std::span<const EmbeddedFile> files, const std::string& name) {
  const auto found = std::ranges::find_if(files, [&](const EmbeddedFile& file) { return file.name == name; });
  return found == files.end() ? "" : std::string(found->text);
}

// Whether the chip's [sources] name it: "… a profile of the module layer by JAX".
bool is_source_of(const Hardware& chip, const std::string& module) {
  const std::string words = "module " + module;
  return std::ranges::any_of(chip.sources, [&](const auto& source) {
    const std::string& text = source.second;
    const size_t at = text.find(words), end = at + words.size();
    return at != std::string::npos && (end == text.size() || text[end] == ' ');
  });
}

TruthPoint timed(const MeasuredModule& module, const std::string& text, const char* kind,
                 const std::stop_token& stop) {
  TruthPoint out{module.name, module.chip, kind, module.measured_s, std::nullopt};
  const Result<HloText> read = read_hlo_or_mlir(text, module.name, {}, stop);
  if (!read.ok()) {
    out.why = read.error().text();
    return out;
  }
  if (const Result<Hardware> chip = find_hardware(module.chip); chip.ok())
    out.fitted = is_source_of(*chip, module.name);
  ModuleRunOptions how;
  how.check = CheckMode::off;
  how.partition.propagate = true;
  how.asked["hardware"] = module.chip;
  const Result<ModuleRun> run = execute_module(read->program, how, stop);
  if (run.ok())
    out.predicted_s = to_seconds(run->run->timeline.total);
  else
    out.why = run.error().text();
  return out;
}

}  // namespace

Result<std::vector<MeasuredModule>> shipped_modules() {
  TRY(auto out, read_times(embedded::measured_module_times().front().text, "times.csv"));
  for (MeasuredModule& module : out) {
    module.compiled = text_of(embedded::measured_module_hlo(), module.name);
    module.source = text_of(embedded::measured_module_mlir(), module.name);
  }
  return out;
}

Result<std::vector<MeasuredModule>> read_measured_modules(const std::string& folder) {
  const std::string times = folder + "/times.csv";
  TRY(const std::string csv, read_file(times));
  TRY(auto out, read_times(csv, times));
  for (MeasuredModule& module : out) {
    const std::string base = folder + "/" + module.name + "/";
    const auto read = [&](const char* file, std::string& to) -> Result<void> {
      std::error_code none;
      if (!std::filesystem::exists(base + file, none)) return {};
      TRY(to, read_file(base + file));
      return {};
    };
    TRY_VOID(read("compiled.hlo", module.compiled));
    TRY_VOID(read("stablehlo.mlir", module.source));
    if (module.compiled.empty() && module.source.empty())
      return invalid(fmt::format("neither compiled.hlo nor stablehlo.mlir of '{}'", module.name), base,
                     "times.csv names a folder with one of them");
  }
  return out;
}

Result<std::vector<TruthPoint>> truth_of_modules(const std::vector<MeasuredModule>& modules,
                                                 const std::stop_token& stop) {
  std::vector<TruthPoint> out;
  for (const MeasuredModule& module : modules) {
    if (!module.compiled.empty()) out.push_back(timed(module, module.compiled, "module, compiled", stop));
    if (!module.source.empty())
      out.push_back(timed(module, module.source, "module, before compilation", stop));
    if (stop.stop_requested()) return cancelled();
  }
  return out;
}

}  // namespace shardscope::inline session
