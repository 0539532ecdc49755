// SPDX-License-Identifier: Apache-2.0
// Parts of the HTML reports, between the head and the foot of all pages (page_frame.h).
#pragma once

#include <string>
#include <vector>

#include "engine/report/report.h"
#include "engine/report/table.h"

namespace shardscope::inline report {

std::string html_head(const std::string& title, const std::string& verdict);  // plain texts
// `best`: per row, whether it stands out. `kind`: its class; "sort" is one whose rows the reader may sort.
std::string html_table(const TextTable& table, const std::vector<bool>& best, const char* kind = "sort");
// As it may stand in a page: without what comes before the element itself.
std::string inline_svg(const std::string& svg);
std::string html_foot();

}  // namespace shardscope::inline report
