// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/session/hlo_numbers.h"
#include "engine/session/proof/check_mode.h"

namespace shardscope::inline session {

// compute_module on all of the module or on a smaller form of it, which the report says. `values`: the
// results of the whole are asked for, whatever is proved. What is not proved has a reason in its report and
// no results. Errors: as compute_module, of what `mode` asks for.
Result<ModuleNumbers> check_module(const StagePtr& module, const NumbersRequest& request, CheckMode mode,
                                   bool values, const Workers& workers, std::stop_token stop);

// The same of a module as it was read, which was partitioned by `how`: constants that the text leaves out are
// drawn, what was cut off is left out.
struct ReadModule {
  std::shared_ptr<const Partitioned> made;
  const std::optional<Error>& cut;
  const PartitionOptions& how;
};
struct CheckSettings {
  CheckMode mode = CheckMode::automatic;
  uint64_t seed = 0;
  int threads = 0;
};
Result<ModuleNumbers> check_read_module(const ReadModule& read, const CheckSettings& settings,
                                        std::stop_token stop);

}  // namespace shardscope::inline session
