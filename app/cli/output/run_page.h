// SPDX-License-Identifier: Apache-2.0
// One run as a page that plays it beat by beat, offline.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/run/run.h"

namespace shardscope::inline cli {

std::vector<std::string> page_views();  // what a page shows when nothing else is said
// `views`: ids; empty: page_views(). Errors: no such view, stopped.
Result<std::string> run_page(const RunPtr& run, std::vector<std::string> views, const std::stop_token& stop);

}  // namespace shardscope::inline cli
