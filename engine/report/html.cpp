// SPDX-License-Identifier: Apache-2.0
// The self-contained HTML report: no script, no font and no picture from outside.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/base/xml.h"
#include "engine/report/html_page.h"
#include "engine/report/report.h"
#include "engine/report/run_difference.h"
#include "engine/report/table.h"

namespace shardscope {
namespace {

// What every run's numbers were compared with, and which side is off.
std::string numbers_section(const Comparison& comparison) {
  std::string out;
  for (const RunPtr& run : comparison.runs) {
    const NumericsReport& n = run->numerics;
    if (!n.exact || (n.allclose && n.max_abs == 0 && n.exact->result.max_abs == 0)) continue;
    const ExactComparison& e = *n.exact;
    out += fmt::format(
        "<li><b>{}</b>: {} (rtol {:g}, atol {:g}; passes from atol {:.3g}). Relative error against f64 "
        "{:.3g}, of "
        "{} {:.3g}. {}</li>\n",
        xml_escaped(run->strategy), numerics_word(n), n.rtol, n.atol, n.smallest_atol, e.result.rel_frobenius,
        xml_escaped(reference_words(n)), e.reference.rel_frobenius, xml_escaped(e.explanation));
  }
  return out.empty() ? "" : "<h2>Numbers</h2><ul>\n" + out + "</ul>\n";
}

std::string assumptions(const Comparison& comparison) {
  std::vector<std::string> seen;
  for (const RunPtr& run : comparison.runs) {
    for (const std::string& a : run->timeline.assumptions) {
      if (std::find(seen.begin(), seen.end(), a) == seen.end()) seen.push_back(a);
    }
  }
  std::string out;
  for (const std::string& a : seen) out += fmt::format("<li>{}</li>\n", xml_escaped(a));
  return out.empty() ? "" : "<h2>Assumptions</h2><ul>\n" + out + "</ul>\n";
}

}  // namespace

std::string compare_html(const Comparison& comparison, const std::vector<NamedPicture>& pictures) {
  const std::string title = comparison.title.empty() ? "Comparison" : comparison.title;
  const Verdict said = judge(comparison.runs);
  std::string out = html_head(title, said.text);
  std::vector<bool> best;
  for (const RankedRun& r : rank(comparison.runs)) best.push_back(r.ranked && best.empty());
  out += "<h2>Runs</h2>\n" + html_table(comparison_table(comparison), best);
  const auto plain = [](const TextTable& table) {
    return html_table(table, std::vector<bool>(table.rows.size(), false));
  };
  if (said.difference) out += "<h2>Why</h2>\n" + plain(term_table(said)) + plain(part_table(said));
  if (const auto apart = difference_of_best(comparison.runs))
    out += "<h2>Operation by operation</h2>\n" + difference_html(*apart);
  const TextTable groups = group_table(comparison);
  if (groups.rows.size() > 1) out += "<h2>Groups</h2>\n" + plain(groups);
  if (!comparison.runs.empty()) {
    const Run& first = *comparison.runs.front();
    out += fmt::format("<p>m={} k={} n={} {} on {}, {}.</p>\n", first.problem.m, first.problem.k,
                       first.problem.n, name(first.problem.dtype), xml_escaped(first.mesh.text()),
                       xml_escaped(first.hardware.name));
  }
  out += numbers_section(comparison);
  if (!comparison.skipped.empty()) {
    out += "<h2>Not run</h2><ul>\n";
    for (const SkippedRun& s : comparison.skipped) {
      out += fmt::format("<li><b>{}</b>: {}</li>\n", xml_escaped(s.strategy), xml_escaped(reason_alone(s)));
    }
    out += "</ul>\n";
  }
  for (const NamedPicture& p : pictures) {
    out += html_figure(p);
  }
  out += assumptions(comparison);
  return out + html_foot();
}

}  // namespace shardscope
