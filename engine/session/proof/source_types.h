// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/partition/types/partitioned.h"

namespace shardscope::inline session {

// Where the partitioned program keeps a value in fewer bits than the module asks for, in a sentence; "":
// nowhere. A module that asks for bf16 sums gets them, also of parts: that is no fault.
std::string narrower_than_asked(const Partitioned& partitioned);

}  // namespace shardscope::inline session
