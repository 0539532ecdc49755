// SPDX-License-Identifier: Apache-2.0
#include "engine/report/table.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/base/csv.h"
#include "engine/base/escape.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/run_list.h"
#include "engine/request/check_kind.h"
#include "engine/run/metrics.h"
#include "engine/study/difference.h"

namespace shardscope::inline report {
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
  std::string text = heading_of(*r.run);
  if (!r.ranked) text += fmt::format(" [{}]", name(r.run->kind));
  return text;
}

// What the list of runs says of the column that is headed so there.
std::string meaning_of(const std::string& header) {
  if (header == "#") return "Place among the runs of the same problem";
  const auto columns = run_columns();
  const auto found = std::ranges::find_if(
      columns, [&](const RunColumn& c) { return c.header == (header == "run" ? "#" : header); });
  return found == columns.end() ? "" : found->about;
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
  return n.reference == kF64Reference || n.reference == kQuickProduct ? "WRONG" : "differs";
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
  const auto column = [&](const char* header, bool right) {
    table.header.emplace_back(header);
    table.right_aligned.push_back(right);
  };
  column("#", true), column("run", true), column("strategy", false), column("mesh", false);
  column("total", true), column("× best", true), column("time", true), column("resharding", true);
  column("layouts", false), column("× best of its layouts", true), column("compute", true),
      column("exposed", true), column("idle", true);
  column("overlap", true), column("sent/dev", true), column("peak mem", true);
  column("bound", false), column("numbers", false);
  for (const std::string& header : table.header) table.meanings.push_back(meaning_of(header));
  for (const RankedRun& r : rank(comparison.runs)) {
    const Run& run = *r.run;
    const RunNumbers numbers = numbers_of(run);
    table.rows.push_back(
        {r.ranked ? std::to_string(r.standing) : kNothing, run.id ? std::to_string(*run.id) : kNothing,
         strategy_cell(r), run.mesh.text(),
         r.ranked ? format_picoseconds(summary_of(run).priced_total()) : kNothing,
         format_ratio(r.ratio_to_best), numbers.text(RunMetric::time),
         r.ranked && run.price ? format_picoseconds(run.price->total()) : kNothing,
         r.group ? group_name(*r.group) : kNothing, r.group ? format_ratio(r.ratio_in_group) : kNothing,
         numbers.text(RunMetric::compute), numbers.text(RunMetric::exposed), numbers.text(RunMetric::idle),
         numbers.text(RunMetric::overlap), numbers.text(RunMetric::sent), peak_cell(run),
         summarise(run.timeline).bound, numbers_cell(run.numerics)});
  }
  return table;
}

TextTable with_columns(const TextTable& table, const std::function<bool(const std::string& header)>& keep) {
  TextTable out;
  out.rows.resize(table.rows.size());
  for (size_t c = 0; c < table.header.size(); ++c) {
    if (!keep(table.header[c])) continue;
    out.header.push_back(table.header[c]);
    out.right_aligned.push_back(table.right_aligned[c]);
    if (!table.meanings.empty()) out.meanings.push_back(table.meanings[c]);
    for (size_t r = 0; r < table.rows.size(); ++r) out.rows[r].push_back(table.rows[r][c]);
  }
  return out;
}

TextTable group_table(const Comparison& comparison) {
  TextTable table;
  table.header = {"layouts", "inputs", "result", "what is resharded"};
  table.right_aligned = {false, false, false, false};
  std::set<size_t> told;
  for (const RankedRun& r : rank(comparison.runs)) {
    if (!r.group || !told.insert(*r.group).second) continue;
    const RunEnds ends = ends_of(*r.run);
    const std::string words = r.run->price    ? r.run->price->words()
                              : r.run->module ? "none: as the module says"
                                              : "not known";
    table.rows.push_back({group_name(*r.group), text(ends.inputs), text(ends.outputs),
                          words.empty() ? "the experiment's own" : words});
  }
  return table;
}

namespace {

TextTable two_runs(const Verdict& verdict, const char* what) {
  TextTable table;
  const auto named = [&](const Run& run) {
    const bool twice = ranked_name(*verdict.winner) == ranked_name(*verdict.other);
    return ranked_name(run) + (twice && run.id ? fmt::format(" (run {})", *run.id) : "");
  };
  table.header = {what, named(*verdict.winner), named(*verdict.other), "difference"};
  table.right_aligned = {false, true, true, true};
  return table;
}

void add_row(TextTable& table, const char* what, Picoseconds first, Picoseconds second) {
  table.rows.push_back(
      {what, format_picoseconds(first), format_picoseconds(second), signed_picoseconds(first - second)});
}

}  // namespace

TextTable term_table(const Verdict& verdict) {
  const Difference& d = *verdict.difference;
  TextTable table = two_runs(verdict, "terms");
  for (const Term term : kTerms) {
    const auto t = static_cast<size_t>(term);
    add_row(table, name(term), d.first.terms[t], d.second.terms[t]);
  }
  const bool priced = d.first.price > 0 || d.second.price > 0;
  add_row(table, priced ? "time" : "total", d.first.total, d.second.total);
  if (priced) {
    add_row(table, "resharding", d.first.price, d.second.price);
    add_row(table, "total", d.first.total + d.first.price, d.second.total + d.second.price);
  }
  return table;
}

TextTable part_table(const Verdict& verdict) {
  const Difference& d = *verdict.difference;
  TextTable table = two_runs(verdict, "critical path");
  for (size_t p = 0; p < kPartNames.size(); ++p)
    add_row(table, kPartNames[p], d.first.parts[p], d.second.parts[p]);
  add_row(table, "total", d.first.total, d.second.total);
  return table;
}

std::string markdown_table(const TextTable& table) {
  const auto line = [](std::vector<std::string> cells) {
    for (std::string& cell : cells) cell = markdown_escaped(cell);
    return "| " + join(cells, " | ") + " |\n";
  };
  std::string out = line(table.header) + "|";
  for (bool right : table.right_aligned) out += right ? " ---: |" : " --- |";
  out += '\n';
  for (const auto& row : table.rows) out += line(row);
  return out;
}

std::string csv_table(const TextTable& table) {
  std::string out = csv_line(table.header);
  for (const auto& row : table.rows) out += csv_line(row);
  return out;
}

std::string latex_cell(const std::string& text) {
  static const std::map<std::string, const char*> kUnits = {{"s", "\\second"},
                                                            {"ms", "\\milli\\second"},
                                                            {"µs", "\\micro\\second"},
                                                            {"ns", "\\nano\\second"},
                                                            {"ps", "\\pico\\second"},
                                                            {"B", "\\byte"},
                                                            {"KiB", "\\kibi\\byte"},
                                                            {"MiB", "\\mebi\\byte"},
                                                            {"GiB", "\\gibi\\byte"},
                                                            {"TiB", "\\tebi\\byte"},
                                                            {"%", "\\percent"},
                                                            {"GB/s", "\\giga\\byte\\per\\second"},
                                                            {"TB/s", "\\tera\\byte\\per\\second"},
                                                            {"MB/s", "\\mega\\byte\\per\\second"}};
  const size_t blank = text.find(' ');
  std::string number = text.substr(0, blank);
  for (const auto& [sign, plain] : {std::pair{"−", "-"}, std::pair{"+", "+"}})
    if (number.starts_with(sign)) number.replace(0, std::string_view(sign).size(), plain);
  const bool times = number.ends_with("×") && blank == std::string::npos;
  if (times) number.resize(number.size() - std::string_view("×").size());
  const std::string unit = blank == std::string::npos ? "" : text.substr(blank + 1);
  const auto named = kUnits.find(unit);
  const std::string digits = number.substr(number.starts_with('+') || number.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789.") != std::string::npos || digits == "." ||
      (named == kUnits.end() && !times))
    return latex_escaped(text);
  if (times) return fmt::format("\\num{{{}}}$\\times$", number);
  return fmt::format("\\qty{{{}}}{{{}}}", number, named->second);
}

std::string latex_table(const TextTable& table) {
  std::string out = "\\begin{tabular}{";
  for (const bool right : table.right_aligned) out += right ? 'r' : 'l';
  out += "}\n\\toprule\n";
  const auto line = [](const std::vector<std::string>& cells) {
    std::vector<std::string> set;
    for (const std::string& cell : cells) set.push_back(latex_cell(cell));
    return join(set, " & ") + " \\\\\n";
  };
  out += line(table.header) + "\\midrule\n";
  for (const auto& row : table.rows) out += line(row);
  return out + "\\bottomrule\n\\end{tabular}\n";
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

}  // namespace shardscope::inline report
