// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/backend/backend_passes.h"
#include "engine/hardware/hardware.h"
#include "engine/partition/types/partitioned.h"

namespace shardscope::inline session {

// The partitioned module as the passes leave it, each collective with the reasons of what it is made of.
Partitioned after_passes(const std::shared_ptr<const Partitioned>& made,
                         const std::shared_ptr<const BackendPass>& last, const Hardware& hardware);

// A partitioned module as a compiler's backend leaves it.
struct BackendModule {
  std::shared_ptr<const Partitioned> made;  // the last stage's program, with reasons and notes
  StagePtr last;                            // behind the module that was given; that itself: no pass
  std::map<std::string, CollectiveOverlap> overlaps;  // by collective
};
// Errors: as backend_passes.
Result<BackendModule> through_backend(const std::shared_ptr<const Partitioned>& made, CompileAs compiler,
                                      const XlaFlags& flags, const Hardware& hardware,
                                      const std::stop_token& stop);

// The same with each start of a collective as the collective in plain form, for what asks each by itself; it
// does not run.
Partitioned with_plain_collectives(const Partitioned& made);

}  // namespace shardscope::inline session
