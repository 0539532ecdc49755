// SPDX-License-Identifier: Apache-2.0
// A comparison as a report in each format: the command line's and the window's one door.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/document/make_report.h"
#include "views/scene/core/scene.h"

namespace shardscope::inline app_report {

// `id` is the ending of a file and what --format takes.
struct ReportFormat {
  const char* id;
  const char* title;
};
std::span<const ReportFormat> report_formats();  // those that this program can draw
std::vector<std::string> report_format_ids();
// By a file's ending; Markdown for one without. Error: no report ends so.
Result<std::string> report_format_of(const std::string& path);

struct FinishedReport {
  Comparison comparison;
  std::optional<CrossoverTable> crossovers{};  // of a report of these: there is no comparison
  ReportParts parts;
  Report report;
  std::vector<Scene> pictures;  // by ReportFigure::picture
};
// With its pictures and what would help the winner, as far as it goes. A
// QGuiApplication is there. Error: cancelled.
Result<FinishedReport> finish_report(Comparison comparison, HowMade made, const std::stop_token& stop,
                                     ReportExtent extent = {});

FinishedReport finish_report(const CrossoverTable& table, HowMade made);

// A file of a report; the name may begin with a folder beside the first file.
struct ReportFile {
  std::string name, bytes;
};
// The first is the report, named `name`; LaTeX and Markdown have their pictures in files beside it, unless
// the name is empty.
Result<std::vector<ReportFile>> report_files(const FinishedReport& finished, const std::string& format,
                                             const std::string& name, const std::stop_token& stop);

}  // namespace shardscope::inline app_report
