// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document/audience.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"

namespace shardscope::inline report {
namespace {

constexpr std::array<std::string_view, 7> kClassColumns{"strategy", "total",    "× best", "compute",
                                                        "exposed",  "sent/dev", "numbers"};

}  // namespace

const char* name(Audience audience) {
  return audience == Audience::students ? "class" : "engineer";
}

const char* description(Audience audience) {
  return audience == Audience::students
             ? to_say("What was multiplied, who wins and why, and what happens; a few pages")
             : to_say("Operations, links, memory, sensitivities and the chip's numbers as well");
}

Result<Audience> parse_audience(std::string_view text) {
  for (const Audience audience : kAudiences)
    if (text == name(audience)) return audience;
  return invalid(fmt::format("no audience '{}'", text), "", "use class or engineer");
}

const std::set<std::string>& left_out_for(Audience audience) {
  static const std::set<std::string> kNone,
      kClass{"operations", "links", "memory", "warnings", "sensitivity", "chip"};
  return audience == Audience::students ? kClass : kNone;
}

TextTable columns_for(Audience audience, const TextTable& table) {
  if (audience == Audience::engineer) return table;
  return with_columns(table, [](const std::string& header) {
    return std::ranges::find(kClassColumns, header) != kClassColumns.end();
  });
}

}  // namespace shardscope::inline report
