// SPDX-License-Identifier: Apache-2.0
#include "engine/report/table.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/units.h"

namespace shardscope {
namespace {

std::string numbers_cell(const NumericsReport& n) {
  if (!n.checked) return "not checked";
  const bool other = n.reference != kF64Reference;
  if (!n.allclose)
    return fmt::format("{} ({} bad{})", numerics_word(n), format_percent(n.percent_bad / 100),
                       other ? " against " + n.reference : "");
  const char* word = n.max_abs > 0 ? "allclose" : other ? "equal" : "exact";
  return other ? fmt::format("{} to {}", word, n.reference) : word;
}

// The largest peak, marked when the chip has less memory.
std::string peak_cell(const Run& run) {
  const std::string peak = format_bytes(max_per_device(run.timeline).peak_bytes);
  return fits_hbm(run).value_or(true) ? peak : peak + " > HBM";
}

std::string strategy_cell(const RankedRun& r) {
  std::string text = r.run->strategy;
  if (!r.run->asked.label.empty()) text += " (" + r.run->asked.label + ")";
  if (!r.ranked) text += fmt::format(" [{}]", name(r.run->kind));
  if (!r.same_output) text += " [other output sharding]";
  if (!r.replicated_inputs.empty()) text += fmt::format(" [{}]", r.replicated_inputs);
  return text;
}

// Pads to `width` display columns.
std::string padded(const std::string& text, size_t width, bool right) {
  const size_t have = display_width(text);
  const std::string blanks(width > have ? width - have : 0, ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace

std::string numerics_word(const NumericsReport& n) {
  if (n.allclose) return "allclose";
  return n.reference == kF64Reference ? "WRONG" : "differs";
}

std::string reference_words(const NumericsReport& n) {
  return n.reference == kF64Reference ? "one rounding of the f64 product" : n.reference;
}

std::string reason_alone(const SkippedRun& skipped) {
  const std::string named = skipped.strategy + ": ";
  return skipped.reason.starts_with(named) ? skipped.reason.substr(named.size()) : skipped.reason;
}

std::string fit_words(const Run& run) {
  if (fits_hbm(run).value_or(true)) return "";
  return fmt::format(", does NOT fit the chip's {} of HBM", format_bytes(*run.hardware.memory.hbm_bytes));
}

size_t display_width(const std::string& utf8) {
  return static_cast<size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

TextTable comparison_table(const Comparison& comparison) {
  TextTable table;
  table.header = {"#",       "run",     "strategy", "mesh",     "time",  "× best",
                  "exposed", "overlap", "sent/dev", "peak mem", "bound", "numbers"};
  table.right_aligned = {true, true, false, false, true, true, true, true, true, true, false, false};
  int place = 0;
  for (const RankedRun& r : rank(comparison.runs)) {
    const SimulatedSummary s = summarise(r.run->timeline);
    const PerDevice mean = mean_per_device(r.run->timeline);
    table.rows.push_back(
        {r.ranked ? std::to_string(++place) : "–", r.run->id ? std::to_string(*r.run->id) : "–",
         strategy_cell(r), r.run->mesh.text(), format_seconds(s.total_s), format_ratio(r.ratio_to_best),
         format_seconds(s.exposed_comm_s), s.overlap ? format_percent(*s.overlap) : "–",
         format_bytes(mean.bytes_sent), peak_cell(*r.run), s.bound, numbers_cell(r.run->numerics)});
  }
  return table;
}

std::string markdown_table(const TextTable& table) {
  std::string out = "| " + join(table.header, " | ") + " |\n|";
  for (bool right : table.right_aligned) out += right ? " ---: |" : " --- |";
  out += '\n';
  for (const auto& row : table.rows) out += "| " + join(row, " | ") + " |\n";
  return out;
}

std::string plain_table(const TextTable& table) {
  std::vector<size_t> widths;
  for (size_t c = 0; c < table.header.size(); ++c) {
    size_t width = display_width(table.header[c]);
    for (const auto& row : table.rows) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text;
    for (size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) text += "  ";
      text += padded(cells[c], widths[c], table.right_aligned[c]);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text + "\n";
  };
  std::string out = line(table.header);
  for (const auto& row : table.rows) out += line(row);
  return out;
}

}  // namespace shardscope
