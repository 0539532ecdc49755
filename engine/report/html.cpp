// SPDX-License-Identifier: Apache-2.0
// The self-contained HTML report: no script, no font and no picture from outside.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/base/xml.h"
#include "engine/report/report.h"
#include "engine/report/table.h"

namespace shardscope {
namespace {

constexpr const char* kStyle = R"(
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--best:#e8f3ff;--page:#ffffff}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--rule:#3a424c;--best:#12304d;--page:#0f1419}}
body{font:15px/1.5 system-ui,"DejaVu Sans",sans-serif;color:var(--ink);background:var(--page);max-width:1200px;margin:32px auto;padding:0 24px}
h1{font-size:26px;margin:0 0 8px}h2{font-size:18px;margin:32px 0 8px;border-bottom:1px solid var(--rule);padding-bottom:4px}
p.verdict{font-size:17px;margin:8px 0 24px}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{font-weight:600;text-align:left;color:var(--soft)}th,td{padding:4px 10px;border-bottom:1px solid var(--rule);white-space:nowrap}
.right{text-align:right}tr.best{background:var(--best);font-weight:600}.wide{overflow-x:auto}
figure{margin:16px 0;background:#fff;border:1px solid var(--rule)}figure svg{width:100%;height:auto;display:block}
footer{color:var(--soft);margin-top:40px;font-size:13px}
)";

std::string html_table(const TextTable& table, const std::vector<bool>& best) {
  std::string out = "<div class=\"wide\"><table>\n<tr>";
  const auto cell = [&](const char* tag, size_t c, const std::string& text) {
    return fmt::format("<{}{}>{}</{}>", tag, table.right_aligned[c] ? " class=\"right\"" : "",
                       xml_escaped(text), tag);
  };
  for (size_t c = 0; c < table.header.size(); ++c) out += cell("th", c, table.header[c]);
  out += "</tr>\n";
  for (size_t r = 0; r < table.rows.size(); ++r) {
    out += best[r] ? "<tr class=\"best\">" : "<tr>";
    for (size_t c = 0; c < table.rows[r].size(); ++c) out += cell("td", c, table.rows[r][c]);
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

// An inline <svg> must not carry an XML declaration or doctype.
std::string inline_svg(const std::string& svg) {
  const size_t start = svg.find("<svg");
  return start == std::string::npos ? "" : svg.substr(start);
}

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
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>{0} – Shardscope</title><style>{1}</style></head><body>\n<h1>{0}</h1>\n<p "
      "class=\"verdict\">{2}</p>\n",
      xml_escaped(title), kStyle, xml_escaped(verdict(comparison.runs)));
  std::vector<bool> best;
  for (const RankedRun& r : rank(comparison.runs)) best.push_back(r.ranked && best.empty());
  out += "<h2>Runs</h2>\n" + html_table(comparison_table(comparison), best);
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
      out += fmt::format("<li><b>{}</b>: {}</li>\n", xml_escaped(s.strategy), xml_escaped(s.reason));
    }
    out += "</ul>\n";
  }
  for (const NamedPicture& p : pictures) {
    out += fmt::format("<h2>{}</h2>\n<figure>{}</figure>\n", xml_escaped(p.name), inline_svg(p.svg));
  }
  out += assumptions(comparison);
  out +=
      "<footer>Times are simulated on a model of the chip; measured times, where shown, are of the machine "
      "that made this "
      "report. Made with Shardscope " SHARDSCOPE_VERSION ".</footer>\n</body></html>\n";
  return out;
}

}  // namespace shardscope
