// SPDX-License-Identifier: Apache-2.0
// A comparison of several runs as text, Markdown, CSV and LaTeX.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/report/difference_table.h"
#include "engine/report/run_difference.h"
#include "engine/request/command_line.h"

namespace shardscope::inline report {
namespace {

constexpr size_t kLineWidth = 100;

// Broken between words.
std::string wrapped(const std::string& text) {
  std::string out, line;
  for (const std::string& word : split(text, ' ')) {
    if (!line.empty() && display_width(line) + 1 + display_width(word) > kLineWidth) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + line + "\n";
}

// What is too wide for the terminal is cut in its first column, then in its last.
TextTable within_columns(TextTable table) {
  const auto width_of = [&](size_t c) {
    size_t width = display_width(table.header[c]);
    for (const auto& row : table.rows) width = std::max(width, display_width(row[c]));
    return width;
  };
  const auto cut = [&](size_t c, size_t least) {
    size_t all = 2 * (table.header.size() - 1);
    for (size_t i = 0; i < table.header.size(); ++i) all += width_of(i);
    if (all <= kLineWidth) return;
    const size_t room = std::max(least, width_of(c) - std::min(width_of(c), all - kLineWidth));
    for (auto& row : table.rows) {
      if (display_width(row[c]) <= room) continue;
      std::string kept;
      for (size_t i = 0; i < row[c].size() && display_width(kept) + 1 <= room; ++i) {
        kept += row[c][i];
        while (i + 1 < row[c].size() && (static_cast<unsigned char>(row[c][i + 1]) & 0xC0) == 0x80)
          kept += row[c][++i];
        if (display_width(kept) + 1 == room) break;
      }
      row[c] = kept + "…";
    }
  };
  cut(0, 24);
  cut(table.header.size() - 1, 10);
  return table;
}

// Three columns of differences at most fit a terminal.
std::vector<Shown> in_threes(const Shown& others) {
  std::vector<Shown> out;
  for (size_t i = 0; i < others.size(); i += 3)
    out.emplace_back(others.begin() + static_cast<std::ptrdiff_t>(i),
                     others.begin() + static_cast<std::ptrdiff_t>(std::min(others.size(), i + 3)));
  return out;
}

}  // namespace

std::string difference_text(const RunDifference& d) {
  std::string out = plain_table(within_columns(runs_table(d))) + "\n" + wrapped(d.verdict);
  for (const std::string& note : d.notes) out += wrapped(note);
  for (const Shown& others : in_threes(all_others(d))) {
    out += "\n" + plain_table(within_columns(times_table(d, "terms", d.terms, others)));
    out += "\n" + plain_table(within_columns(times_table(d, "critical path", d.parts, others)));
  }
  for (const size_t r : all_others(d))
    out += "\n" + plain_table(within_columns(operations_table(d, {r}, kTextRows)));
  for (const Shown& others : in_threes(all_others(d)))
    out += "\n" + plain_table(within_columns(memory_table(d, others)));
  return out;
}

std::string difference_markdown(const RunDifference& d) {
  const Shown others = all_others(d);
  std::string out = markdown_table(runs_table(d)) + "\n" + d.verdict + "\n";
  for (const std::string& note : d.notes) out += "\n" + note + "\n";
  out += "\n" + markdown_table(times_table(d, "terms", d.terms, others));
  out += "\n" + markdown_table(times_table(d, "critical path", d.parts, others));
  out += "\n" + markdown_table(operations_table(d, others, kReportRows));
  return out + "\n" + markdown_table(memory_table(d, others));
}

std::string difference_latex(const RunDifference& d) {
  const Shown others = all_others(d);
  return latex_table(times_table(d, "terms", d.terms, others)) + "\n" +
         latex_table(operations_table(d, others, 0));
}

std::string difference_csv(const RunDifference& d) {
  std::string out = "operation";
  for (size_t r = 0; r < d.runs.size(); ++r) {
    const std::string of = letter_of(r);
    out += fmt::format(",time_s_{0},delta_s_{0},status_{0},bytes_{0},count_{0},critical_s_{0}", of);
  }
  out += "\n";
  for (const OperationRow& row : d.operations) {
    out += "\"" + row.key + "\"";  // keys have no quotes
    for (size_t r = 0; r < d.runs.size(); ++r) {
      const OperationSide& side = row.sides[r];
      out += fmt::format(",{:.12g},{:.12g},{},{},{},{:.12g}", to_seconds(side.time), to_seconds(row.delta(r)),
                         name(row.change(r)), side.bytes, side.count, to_seconds(side.critical));
    }
    out += "\n";
  }
  return out;
}

std::string difference_command(const RunDifference& d, const std::string& file) {
  std::vector<std::string> ids;
  for (const ComparedRun& run : d.runs) ids.push_back(std::to_string(run.id.value_or(0)));
  return shell_line({"shardscope", "diff", "--db", file, "--runs", join(ids, ",")});
}

}  // namespace shardscope::inline report
