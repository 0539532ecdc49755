// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/log_axis.h"

#include <fmt/format.h>

#include "engine/base/units.h"

namespace shardscope::inline views {

std::string decade_label(int power) {
  if (power >= 0 && power < 7) return group_digits(std::llround(std::pow(10, power)));
  if (power < 0 && power >= -2) return fmt::format("{:.{}f}", std::pow(10, power), -power);
  const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = power < 0 ? "10⁻" : "10";
  for (const char c : std::to_string(std::abs(power))) out += digits[c - '0'];
  return out;
}

}  // namespace shardscope::inline views
