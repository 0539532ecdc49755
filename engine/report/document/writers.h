// SPDX-License-Identifier: Apache-2.0
// A report in each format of text. The same report gives the same bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/report/document/document.h"
#include "engine/report/document/make_report.h"

namespace shardscope::inline report {

// What only a page has: pictures that play, each with the section that it opens, and what they share.
struct PagePlayers {
  std::vector<std::pair<std::string, std::string>> figures;  // section, HTML
  std::string tables;
};

// One file, with the script and style of all pages (page_frame.h) and nothing from outside. `pictures`: SVG,
// by ReportFigure::picture; a figure without one is left out.
std::string report_html(const Report& report, const std::vector<std::string>& pictures,
                        const PagePlayers& players = {});
// `pictures`: names of files beside it; a figure without one is its caption alone. So of LaTeX too, where
// they are PDF.
std::string report_markdown(const Report& report, const std::vector<std::string>& pictures);
// A whole article for pdflatex, with booktabs, longtable, siunitx and graphicx.
std::string report_latex(const Report& report, const std::vector<std::string>& pictures);

// {schema, title, made:{version, commit, date, command}, runs, ranking, groups, verdict, difference, …,
// sensitivity:[{run_id, strategy, rows}]}: of `sweep --json` the fields, and what the report has beside.
inline constexpr const char* kReportSchema = "shardscope.report/1";
std::string report_json(const Comparison& comparison, const ReportParts& parts);

}  // namespace shardscope::inline report
