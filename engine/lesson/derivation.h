// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/run/run.h"

namespace shardscope::inline lesson {

// How a run's time comes about, with its values put in: "3 steps × (24.0 MiB / 45.0 GB/s + 1.00 µs)" of equal
// messages one after the other, "the longer of … and …" of a product, "A, + B" of a product and then
// messages. Empty: it is not the sum of such parts, as where one hides another.
std::string derivation_of(const Run& run);

}  // namespace shardscope::inline lesson
