// SPDX-License-Identifier: Apache-2.0
// What a report says, and in which order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/report/document/audience.h"
#include "engine/report/document/document.h"
#include "engine/report/report.h"
#include "engine/study/crossover.h"
#include "engine/study/what_if.h"

namespace shardscope::inline report {

// How the report came to be, so that it can be made again.
struct HowMade {
  std::string version, commit;
  std::string command;      // that makes this report
  std::string csv_command;  // that prints the same numbers as CSV; empty: there is none
  std::string date;         // ISO 8601
};

struct SectionFigure {
  std::string section;  // id of its section
  ReportFigure figure;
};

// What 10 % more of each parameter would give a run.
struct RunWorth {
  RunPtr run;
  std::vector<Sensitivity> rows;
};

// What is not in the runs themselves.
struct ReportParts {
  std::vector<SectionFigure> figures;
  std::vector<RunWorth> worth;
  HowMade made;
  ReportExtent extent = {};
};

Report make_report(const Comparison& comparison, const ReportParts& parts);
// The sections that a comparison may have, in their order: a report has those that have something to say.
struct ReportPart {
  std::string id, title;
};
const std::vector<ReportPart>& report_parts();
// Who wins where: `sweep --over`. Its figures stand in the section "where".
Report make_report(const CrossoverTable& table, const ReportParts& parts);
// The experiment's title, and what was multiplied on what.
std::string report_title(const Comparison& comparison);
// "wang.os (run 3)": a run as captions name it.
std::string run_name(const Run& run);

}  // namespace shardscope::inline report
