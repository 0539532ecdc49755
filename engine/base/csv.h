// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace shardscope {

// A cell of a CSV file (RFC 4180): quotes around what holds a comma, a quote or a line's end. One that begins
// with = + @ or - and is no number begins with ' instead: no spreadsheet takes it for a formula.
std::string csv_cell(const std::string& text);
std::string csv_line(const std::vector<std::string>& cells);  // with its end

}  // namespace shardscope
