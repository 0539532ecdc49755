// SPDX-License-Identifier: Apache-2.0
// Plays a loop plan, rounds that follow each other at fixed distances in one go.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "engine/schedule/loops/written_rounds.h"

namespace shardscope::inline scheduler {

// In a time that does not depend on how many rounds there are; none where that cannot be shown to be the
// same, or where `most_played` rounds would be played one by one.
Result<std::optional<RoundsPlayed>> play_as_lines(const RoundsRequest& asked, int64_t most_played,
                                                  const std::stop_token& stop);

}  // namespace shardscope::inline scheduler
