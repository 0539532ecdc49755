// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/run/run.h"

namespace shardscope {

// A run of eight devices whose events have no pattern, so that in a record every device's are rows of their
// own.
RunPtr make_unalike_run(int64_t events);

}  // namespace shardscope
