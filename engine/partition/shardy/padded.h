// SPDX-License-Identifier: Apache-2.0
// Shardy's stage behind the collectives: arrays that their shardings do not divide become larger ones that
// they do. What is beyond an array's end is anything, so it is masked where it would be summed.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "engine/base/result.h"
#include "engine/partition/types/fitted_module.h"

namespace shardscope::inline partitioner {

struct PaddedModule {
  std::optional<FittedModule> module;  // none: nothing needs it, or see `why`
  // "%9 (reshape.12) has no rule for padded arrays": XLA's rules pad as they go then.
  std::string why;
};
// Arguments and results keep their sizes. Shardy masks one side of a product and no reduction; both are
// masked here, since what is beyond the end may be infinite. Errors: cancelled.
Result<PaddedModule> pad_for_divisibility(const std::shared_ptr<const FittedModule>& collectives,
                                          std::stop_token stop);

}  // namespace shardscope::inline partitioner
