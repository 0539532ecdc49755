// SPDX-License-Identifier: Apache-2.0
#include "engine/program/source/python_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline program {
namespace {

constexpr std::array kKeywords{"False",  "None",   "True",    "and",      "as",       "assert", "async",
                               "await",  "break",  "class",   "continue", "def",      "del",    "elif",
                               "else",   "except", "finally", "for",      "from",     "global", "if",
                               "import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
                               "pass",   "raise",  "return",  "try",      "while",    "with",   "yield"};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string PythonNames::name(std::string_view text) {
  std::string base;
  for (const char c : text) base += is_plain(c) ? c : '_';
  if (base.empty() || (base.front() >= '0' && base.front() <= '9')) base.insert(base.begin(), 'v');
  if (std::ranges::count(kKeywords, base) > 0) base += '_';
  std::string out = base;
  for (int n = 2; !taken_.insert(out).second; ++n) out = fmt::format("{}_{}", base, n);
  return out;
}

std::string python_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ')
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string python_tuple(const std::vector<std::string>& parts) {
  return "(" + join(parts, ", ") + (parts.size() == 1 ? ",)" : ")");
}

std::string python_tuple(const std::vector<int64_t>& values) {
  std::vector<std::string> parts;
  for (const int64_t value : values) parts.push_back(std::to_string(value));
  return python_tuple(parts);
}

}  // namespace shardscope::inline program
