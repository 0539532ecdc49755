// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/chip_speeds.h"

#include <QStringList>
#include <algorithm>
#include <tuple>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

bool joins(const LinkOverride& link, int64_t a, int64_t b) {
  return std::minmax(link.a, link.b) == std::minmax(a, b);
}

}  // namespace

HardwareOverrides with_chip_speed(HardwareOverrides overrides, int64_t chip, double speed) {
  std::erase_if(overrides.devices, [&](const DeviceOverride& it) { return it.chip == chip; });
  if (speed != 1) overrides.devices.push_back({chip, speed});
  std::ranges::sort(overrides.devices, {}, &DeviceOverride::chip);
  return overrides;
}

HardwareOverrides with_link_speed(HardwareOverrides overrides, int64_t a, int64_t b, double speed) {
  std::erase_if(overrides.links, [&](const LinkOverride& it) { return joins(it, a, b); });
  if (speed != 1) overrides.links.push_back({std::min(a, b), std::max(a, b), speed});
  std::ranges::sort(overrides.links, {}, [](const LinkOverride& it) { return std::tuple(it.a, it.b); });
  return overrides;
}

QString speed_text(double speed) {
  if (speed <= 0) return "broken";
  if (speed == 0.5) return "½×";
  if (speed == 0.25) return "¼×";
  if (speed == 0.75) return "¾×";
  return QString::number(speed, 'g', 3) + "×";
}

QString overrides_text(const HardwareOverrides& overrides) {
  QStringList parts;
  for (const DeviceOverride& it : overrides.devices)
    parts << "chip %1 runs at %2"_tr.arg(it.chip).arg(speed_text(it.speed));
  for (const LinkOverride& it : overrides.links) {
    parts << "link %1–%2 %3 %4"_tr.arg(it.a).arg(it.b).arg(it.speed > 0 ? "runs at"_tr : "is",
                                                           speed_text(it.speed));
  }
  return parts.join(", ");
}

}  // namespace shardscope::inline window
