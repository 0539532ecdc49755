// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "app/report/report_figures.h"
#include "engine/base/result.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline app_report {

// Measured lanes below the simulated ones, with the bars of what they differ in. Error: cancelled.
Result<Scene> beside_picture(const MeasuredBeside& beside, const Canvas& canvas, const std::stop_token& stop);
Result<void> add_measured(const MeasuredBeside& beside, float width, const std::stop_token& stop,
                          ReportPictures& out);

}  // namespace shardscope::inline app_report
