// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "app/report/report_figures.h"

namespace shardscope::inline app_report {

// The runs under each other on one time axis, and the bars of what they differ in; one run alone with all its
// devices. As many as can be compared, in their order; a picture too high for a page becomes several, each
// with the axis on top.
Result<void> add_timelines(const std::vector<RunPtr>& runs, float width, const std::stop_token& stop,
                           ReportPictures& out);

}  // namespace shardscope::inline app_report
