// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/base/result.h"
#include "engine/report/document/writers.h"

namespace shardscope::inline app_report {

// The winner, the second and the next of a ranking, beat by beat, as far as a page of two megabytes has room;
// those of very many devices not at all. They stand in the section "moment". Error: cancelled.
Result<PagePlayers> report_players(const Comparison& comparison, const std::stop_token& stop);

}  // namespace shardscope::inline app_report
