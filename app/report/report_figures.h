// SPDX-License-Identifier: Apache-2.0
// The pictures of a report. Each is of a whole run or says of which moment it is; none has a playhead.
#pragma once

#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/document/make_report.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline app_report {

struct ReportPictures {
  std::vector<SectionFigure> figures;
  std::vector<Scene> scenes;  // by ReportFigure::picture
  void add(std::string section, ReportFigure figure, Scene scene);
};

// All that is drawn of a comparison, in the order of a report; a QGuiApplication is there. Error: cancelled.
Result<ReportPictures> report_figures(const Comparison& comparison, const std::vector<RunWorth>& worth,
                                      const std::stop_token& stop);

}  // namespace shardscope::inline app_report
