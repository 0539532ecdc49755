// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "engine/backend/collective_passes.h"
#include "engine/hardware/hardware.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope {

// The partitioned module as the passes leave it, each collective with the reasons of what it is made of.
Partitioned after_passes(const std::shared_ptr<const Partitioned>& made,
                         const std::shared_ptr<const BackendPass>& last, const Hardware& hardware);

}  // namespace shardscope
