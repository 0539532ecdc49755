// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/backend/compile_as.h"
#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/stages/strip.h"

namespace shardscope::inline session {

// All stages up to `last`; behind the partitioned one what the passes of that compiler's backend make of it
// for the chip, where it has any and they are not among the stages yet. A pass that changes nothing is no
// stage of its own: the next one says so. Errors: of the passes; cancelled.
Result<StageStrip> strip_of(const StagePtr& last, CompileAs as, const Hardware& hardware,
                            const std::stop_token& stop = {});

}  // namespace shardscope::inline session
