// SPDX-License-Identifier: Apache-2.0
#include "engine/request/step_loop.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline request {
namespace {

// At commas outside of braces: names of parts of tuples have some, "p{0,1}".
std::vector<std::string_view> split_names(std::string_view text) {
  std::vector<std::string_view> out;
  size_t begin = 0;
  int depth = 0;
  for (size_t k = 0; k <= text.size(); ++k) {
    const char c = k < text.size() ? text[k] : ',';
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c != ',' || (depth > 0 && k < text.size())) continue;
    out.push_back(text.substr(begin, k - begin));
    begin = k + 1;
  }
  return out;
}

}  // namespace

std::string to_text(const std::vector<CarriedResult>& value) {
  std::vector<std::string> parts;
  for (const CarriedResult& it : value) parts.push_back(it.result + "=" + it.argument);
  return join(parts, ",");
}

Result<void> from_text(std::string_view text, std::vector<CarriedResult>& out) {
  out.clear();
  if (trim(text).empty()) return {};
  for (const std::string_view part : split_names(text)) {
    const size_t equals = part.find('=');
    const bool both = equals != std::string_view::npos && !trim(part.substr(0, equals)).empty() &&
                      !trim(part.substr(equals + 1)).empty();
    if (!both)
      return invalid(fmt::format("expected a result and the argument it becomes, got '{}'", trim(part)), "",
                     "write RESULT=ARG, as in 1=w1 or result{1}=w1");
    CarriedResult it{std::string(trim(part.substr(0, equals))), std::string(trim(part.substr(equals + 1)))};
    if (std::ranges::count(out, it.argument, &CarriedResult::argument) > 0)
      return invalid(fmt::format("argument '{}' is carried twice", it.argument));
    out.push_back(std::move(it));
  }
  return {};
}

}  // namespace shardscope::inline request
