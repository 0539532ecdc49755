// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <cstdint>

#include "engine/hardware/overrides.h"

namespace shardscope::inline window {

// With that chip or link as given; 1 takes it off the list. Chips and links stay in order.
HardwareOverrides with_chip_speed(HardwareOverrides overrides, int64_t chip, double speed);
HardwareOverrides with_link_speed(HardwareOverrides overrides, int64_t a, int64_t b, double speed);

QString speed_text(double speed);  // "½×", "0.8×", "broken"
// "chip 3 runs at ½×, link 0–1 is broken", "" when there are none.
QString overrides_text(const HardwareOverrides& overrides);

}  // namespace shardscope::inline window
