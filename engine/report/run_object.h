// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "engine/report/report.h"

namespace shardscope::inline report {

using ReportJson = nlohmann::ordered_json;

ReportJson run_object(const Run& run);  // what run_json prints
// What sweep_json prints, and the ranking row by row.
ReportJson comparison_object(const Comparison& comparison);

}  // namespace shardscope::inline report
