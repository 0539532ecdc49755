// SPDX-License-Identifier: Apache-2.0
// Chips and links that are not as the hardware says: slow, faster, or broken.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope::inline hardware {

// A chip by its row-major place in the mesh's torus (Mesh::chip_of), with a share > 0 of the normal speed of
// its products and its memory.
struct DeviceOverride {
  int64_t chip = 0;
  double speed = 1;
  bool operator==(const DeviceOverride&) const = default;
};

// The link between two neighbouring chips, both directions, with a share of the normal bandwidth; 0: broken.
struct LinkOverride {
  int64_t a = 0, b = 0;
  double speed = 1;
  bool operator==(const LinkOverride&) const = default;
};

// All links of a mesh axis (of a machine whose links are not the axes': "port", "network" or "link", as its
// lanes are called), times the normal bandwidth; 0: broken; infinite: messages take no time on them.
struct AxisOverride {
  std::string axis;
  double factor = 1;
  bool operator==(const AxisOverride&) const = default;
};

struct HardwareOverrides {
  std::vector<DeviceOverride> devices;
  std::vector<LinkOverride> links;
  std::vector<AxisOverride> axes;
  bool empty() const { return devices.empty() && links.empty() && axes.empty(); }
  bool operator==(const HardwareOverrides&) const = default;
};
// Shares of the normal speed, of a link either way round; of several words about one the last counts.
double chip_speed(const HardwareOverrides& overrides, int64_t chip);
double link_speed(const HardwareOverrides& overrides, int64_t a, int64_t b);
double axis_factor(const HardwareOverrides& overrides, std::string_view axis);

// "3=0.5" and "0-1=0.25"; "col=x2", "col=x0" (broken) and "col=0" (no time). Whether chips and axes exist is
// for the mesh to say.
Result<DeviceOverride> parse_device_override(std::string_view text);
Result<LinkOverride> parse_link_override(std::string_view text);
Result<AxisOverride> parse_axis_override(std::string_view text);
std::string text(const DeviceOverride& it);  // as parse_device_override reads it
std::string text(const LinkOverride& it);
std::string text(const AxisOverride& it);

}  // namespace shardscope::inline hardware
