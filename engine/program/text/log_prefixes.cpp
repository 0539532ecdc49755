// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/log_prefixes.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/text/hlo_header.h"

namespace shardscope::inline program {
namespace {

constexpr size_t kLongestPrefix = 240;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A line of a log and what was logged: "hlo.cc:123" and the text behind its bracket.
struct LogLine {
  std::string_view site, text;
};

// glog's "I0503 10:00:00.123456 77 path/hlo.cc:123] …", TensorFlow's "2024-05-03 10:00:00.123456: I
// path/hlo.cc:123] …".
std::optional<LogLine> log_line(std::string_view line) {
  const bool glog = line.size() > 5 && std::string_view("IWEF").find(line[0]) != std::string_view::npos &&
                    std::ranges::all_of(line.substr(1, 4), is_digit);
  const bool dated = line.size() > 5 && std::ranges::all_of(line.substr(0, 4), is_digit) && line[4] == '-';
  const size_t bracket = line.substr(0, kLongestPrefix).find("] ");
  const bool empty = line.ends_with(']') && line.size() < kLongestPrefix;  // nothing behind it
  if ((!glog && !dated) || (bracket == std::string_view::npos && !empty)) return std::nullopt;
  const size_t end = bracket == std::string_view::npos ? line.size() - 1 : bracket;
  const std::string_view before = line.substr(0, end);
  const std::string_view site = before.substr(before.rfind(' ') + 1);
  const size_t colon = site.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == site.size() ||
      !std::ranges::all_of(site.substr(colon + 1), is_digit))
    return std::nullopt;
  return LogLine{site, line.substr(std::min(line.size(), end + 2))};
}

}  // namespace

std::optional<std::string> without_log_prefixes(std::string_view text) {
  if (text.find(std::string("] ") + std::string(kModuleWord)) == std::string_view::npos) return std::nullopt;
  std::string out, site;
  bool any = false, over = false;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const auto logged = log_line(line);
    const std::string_view said = logged ? logged->text : line;
    const bool begins = logged && said.starts_with(kModuleWord);
    if (begins && site.empty()) site = logged->site;
    over = over || (logged && !site.empty() && logged->site != site) || (begins && any);
    if (!over && !site.empty()) {
      out += said;
      any = true;
    }
    out += '\n';
  }
  return any ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace shardscope::inline program
