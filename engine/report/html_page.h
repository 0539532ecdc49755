// SPDX-License-Identifier: Apache-2.0
// Parts of the self-contained HTML reports: no script, no font and no picture from outside.
#pragma once

#include <string>
#include <vector>

#include "engine/report/report.h"
#include "engine/report/table.h"

namespace shardscope {

std::string html_head(const std::string& title, const std::string& verdict);  // plain texts
// `best`: per row, whether it stands out.
std::string html_table(const TextTable& table, const std::vector<bool>& best);
std::string html_figure(const NamedPicture& picture);
std::string html_foot();

}  // namespace shardscope
