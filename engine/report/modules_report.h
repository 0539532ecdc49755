// SPDX-License-Identifier: Apache-2.0
// Modules side by side as text, JSON and a page.
#pragma once

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/program/stages/columns.h"
#include "engine/report/table.h"

namespace shardscope::inline report {

// The largest page, in bytes.
inline constexpr size_t kMostModulesPage = size_t{2} << 20;

// Instructions and collectives of each module, what neighbours differ in, line by line.
// Error: cancelled.
Result<std::string> modules_text(const ModuleColumns& columns, const std::stop_token& stop = {});
// The parts of it: a row for each module; of neighbours how many lines are alike.
TextTable modules_table(const ModuleColumns& columns);
std::vector<std::string> neighbours_sentences(const ModuleColumns& columns);
// `hlo diff --json`. Error: cancelled.
Result<std::string> modules_json(const ModuleColumns& columns, const std::stop_token& stop = {});
// One file of at most `most` bytes with a column for each module; needs nothing from outside. What does not
// fit is left out, what all have alike first, and the page says how much that is. Error: cancelled.
Result<std::string> modules_html(const ModuleColumns& columns, const std::string& title,
                                 size_t most = kMostModulesPage, const std::stop_token& stop = {});

}  // namespace shardscope::inline report
