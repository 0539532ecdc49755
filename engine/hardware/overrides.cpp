// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/overrides.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/base/text.h"

namespace shardscope::inline hardware {

namespace {

Result<int64_t> parse_chip(std::string_view part, std::string_view whole) {
  const auto chip = parse_int(trim(part));
  if (!chip || *chip < 0) {
    return invalid(fmt::format("'{}' is not a chip", trim(part)), std::string(whole),
                   "write its place in the mesh, from 0");
  }
  return *chip;
}

Result<double> parse_speed(std::string_view part, std::string_view whole, bool may_be_zero) {
  const auto speed = parse_double(trim(part));
  if (!speed || !std::isfinite(*speed) || *speed < 0 || (*speed == 0 && !may_be_zero)) {
    return invalid(fmt::format("'{}' is not a speed", trim(part)), std::string(whole),
                   may_be_zero ? "write a share of the normal bandwidth, 0 for a broken link"
                               : "write a share of the normal speed, more than 0");
  }
  return *speed;
}

}  // namespace

double chip_speed(const HardwareOverrides& overrides, int64_t chip) {
  double speed = 1;
  for (const DeviceOverride& it : overrides.devices) {
    if (it.chip == chip) speed = it.speed;
  }
  return speed;
}

double link_speed(const HardwareOverrides& overrides, int64_t a, int64_t b) {
  double speed = 1;
  for (const LinkOverride& it : overrides.links) {
    if (std::minmax(it.a, it.b) == std::minmax(a, b)) speed = it.speed;
  }
  return speed;
}

double axis_factor(const HardwareOverrides& overrides, std::string_view axis) {
  double factor = 1;
  for (const AxisOverride& it : overrides.axes) {
    if (it.axis == axis) factor = it.factor;
  }
  return factor;
}

Result<DeviceOverride> parse_device_override(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return invalid(fmt::format("'{}' names no speed", text), "slow device", "write chip=speed, as in 3=0.5");
  }
  DeviceOverride out;
  TRY(out.chip, parse_chip(text.substr(0, equals), text));
  TRY(out.speed, parse_speed(text.substr(equals + 1), text, false));
  return out;
}

Result<LinkOverride> parse_link_override(std::string_view text) {
  const size_t equals = text.find('=');
  const size_t dash = text.find('-');
  if (equals == std::string_view::npos || dash == std::string_view::npos || dash > equals) {
    return invalid(fmt::format("'{}' names no link", text), "slow link",
                   "write chip-chip=share, as in 0-1=0.25");
  }
  LinkOverride out;
  TRY(out.a, parse_chip(text.substr(0, dash), text));
  TRY(out.b, parse_chip(text.substr(dash + 1, equals - dash - 1), text));
  TRY(out.speed, parse_speed(text.substr(equals + 1), text, true));
  return out;
}

Result<AxisOverride> parse_axis_override(std::string_view text) {
  const char* how = "write axis=x2 for twice the bandwidth, axis=0 for no time, axis=x0 for broken links";
  const size_t equals = text.find('=');
  AxisOverride out;
  out.axis = trim(text.substr(0, equals));
  if (equals == std::string_view::npos || out.axis.empty())
    return invalid(fmt::format("'{}' names no factor", text), "link", how);
  const std::string_view said = trim(text.substr(equals + 1));
  const auto number = parse_double(said.starts_with('x') ? said.substr(1) : said);
  if (!number || !std::isfinite(*number) || *number < 0 || (!said.starts_with('x') && *number != 0))
    return invalid(fmt::format("'{}' is not a factor", said), std::string(text), how);
  out.factor = said.starts_with('x') ? *number : std::numeric_limits<double>::infinity();
  return out;
}

std::string text(const DeviceOverride& it) {
  return fmt::format("{}={}", it.chip, it.speed);
}
std::string text(const LinkOverride& it) {
  return fmt::format("{}-{}={}", it.a, it.b, it.speed);
}
std::string text(const AxisOverride& it) {
  return std::isinf(it.factor) ? it.axis + "=0" : fmt::format("{}=x{}", it.axis, it.factor);
}

}  // namespace shardscope::inline hardware
