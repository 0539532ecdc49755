// SPDX-License-Identifier: Apache-2.0
#include "engine/base/csv.h"

#include "engine/base/escape.h"
#include "engine/base/text.h"

namespace shardscope {

std::string csv_cell(const std::string& given) {
  const std::string text = whole_characters(given);
  const bool formula = !text.empty() && std::string("=+@-\t\r").find(text[0]) != std::string::npos;
  std::string cell = formula && !parse_double(text) ? "'" + text : text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
  std::vector<std::string> out;
  for (const std::string& cell : cells) out.push_back(csv_cell(cell));
  return join(out, ",") + "\n";
}

}  // namespace shardscope
