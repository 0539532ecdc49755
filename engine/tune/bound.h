// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"

namespace shardscope {

// A time that no schedule of `program` beats, whatever the algorithms of its collectives: the longer of a
// device's dots at the peak and, for the busiest mesh axis, the bytes that must leave a device over its
// links. Seconds. Numbers that are not published count as no time.
double lower_bound_s(const Program& program, const Hardware& hardware);

}  // namespace shardscope
