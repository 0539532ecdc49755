// SPDX-License-Identifier: Apache-2.0
// Answers of a tuning that processes do together, as one tells the others.
#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/base/sharing.h"
#include "engine/tune/knowledge.h"

namespace shardscope::inline tuner {

// Of several processes each times every n-th job; one alone all.
bool is_own(const Sharing* sharing, size_t job);
// Gives the others the answers to this one's jobs, and puts theirs among them.
Result<void> share_answers(Sharing& sharing, std::vector<TuneAnswer>& answers);

}  // namespace shardscope::inline tuner
