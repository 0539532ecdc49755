// SPDX-License-Identifier: Apache-2.0
// The one table of a comparison; Markdown, HTML, CSV and the terminal print the same cells.
#pragma once

#include <string>
#include <vector>

#include "engine/report/report.h"

namespace shardscope {

struct TextTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<bool> right_aligned;  // per column
};

TextTable comparison_table(const Comparison& comparison);
std::string markdown_table(const TextTable& table);
std::string plain_table(const TextTable& table);  // columns lined up by display width
size_t display_width(const std::string& utf8);    // code points; our texts use no wide characters

}  // namespace shardscope
