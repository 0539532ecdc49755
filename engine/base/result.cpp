// SPDX-License-Identifier: Apache-2.0
#include "engine/base/result.h"

#include <string_view>

namespace shardscope {
namespace {

constexpr size_t kLongest = 600;  // bytes of a text that an error quotes from a file

// What stands on several lines on one, and no more of it than a person reads: its begin and its end, which says what
// is wrong.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\r' || c == '\t';
    if (!blank) out += c;
    if (blank && !out.ends_with(' ')) out += ' ';
  }
  if (out.size() <= kLongest) return out;
  const auto rest_of_character = [&](size_t at) { return (static_cast<unsigned char>(out[at]) & 0xC0) == 0x80; };
  size_t begin = kLongest / 2, end = out.size() - kLongest / 2;
  while (begin > 0 && rest_of_character(begin)) --begin;
  while (end < out.size() && rest_of_character(end)) ++end;
  return out.substr(0, begin) + "…" + out.substr(end);
}

}  // namespace

std::string Error::text() const {
  std::string out = on_one_line(what);
  if (!where.empty()) out += "; " + on_one_line(where);
  if (!fix.empty()) out += "; " + fix;
  return out;
}

Error invalid(std::string what, std::string where, std::string fix) {
  return {ErrorKind::invalid, std::move(what), std::move(where), std::move(fix)};
}
Error io_error(std::string what, std::string where, std::string fix) {
  return {ErrorKind::io, std::move(what), std::move(where), std::move(fix)};
}
Error too_big(std::string what, std::string where, std::string fix) {
  return {ErrorKind::too_big, std::move(what), std::move(where), std::move(fix)};
}
Error cancelled(std::string what) {
  return {ErrorKind::cancelled, std::move(what), "", ""};
}

}  // namespace shardscope
