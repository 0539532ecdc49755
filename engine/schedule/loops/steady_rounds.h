// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>

#include "engine/base/result.h"
#include "engine/schedule/loops/written_rounds.h"

namespace shardscope::inline scheduler {

// What a play of all rounds would do, of a play of a few of them: of each loop that has more, `rounds` and
// up to eleven; what a period of its steady state adds stands for the others. None: some loop is not seen to
// be in one. Errors: cancelled.
Result<std::optional<RoundsPlayed>> play_steadily(const RoundsRequest& asked, int64_t rounds,
                                                  const std::stop_token& stop);

}  // namespace shardscope::inline scheduler
