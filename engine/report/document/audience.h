// SPDX-License-Identifier: Apache-2.0
// For whom a report is, which chooses how much it says.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/report/table.h"

namespace shardscope::inline report {

enum class Audience : uint8_t { engineer, students };
inline constexpr std::array kAudiences{Audience::students, Audience::engineer};
const char* name(Audience audience);         // "class", "engineer": as --audience takes it
const char* description(Audience audience);  // one sentence
Result<Audience> parse_audience(std::string_view text);

// Sections of a comparison that it is not told, by id.
const std::set<std::string>& left_out_for(Audience audience);
// How much a report says: `left_out` are sections that are not wanted, by id.
struct ReportExtent {
  Audience audience = Audience::engineer;
  std::set<std::string> left_out{};
  bool leaves_out(const std::string& section) const { return left_out.contains(section); }
  bool operator==(const ReportExtent&) const = default;
};

inline ReportExtent extent_for(Audience audience) {
  return {audience, left_out_for(audience)};
}

// The columns of the table of runs that it is shown.
TextTable columns_for(Audience audience, const TextTable& table);

}  // namespace shardscope::inline report
