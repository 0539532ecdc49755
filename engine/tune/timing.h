// SPDX-License-Identifier: Apache-2.0
// What the schedule says of a choice, totals only.
#pragma once

#include <optional>
#include <stop_token>

#include "engine/schedule/fastest.h"
#include "engine/tune/choices.h"

namespace shardscope::inline tuner {

// Seconds; the last three sum to total_s.
struct OptionTime {
  double total_s = 0;
  int64_t peak_bytes = 0;                             // of the busiest device
  double bandwidth_s = 0, latency_s = 0, rest_s = 0;  // of the critical path
};

// A chip, and what is known of collectives there; what is not is found for each program anew.
struct TimedOn {
  const Hardware& hardware;
  const FastestAlgorithms& fastest;
};

// An option as it is timed: by its loops where it has some.
Result<Program> planned(const LayerOption& option, const Mesh& mesh, const MatmulProblem& problem,
                        const std::stop_token& stop);
// What else has to be known of collectives before a program is timed; of what cannot be timed nothing.
std::vector<CollectiveQuery> asked_by(const Program& program, const TimedOn& chip);

// None when it takes longer than `limit_s`. Errors: as schedule, and those of planning.
Result<std::optional<OptionTime>> time_option(const LayerOption& option, const Mesh& mesh,
                                              const MatmulProblem& problem, const TimedOn& chip,
                                              double limit_s, const std::stop_token& stop);
// The same of what is planned.
Result<std::optional<OptionTime>> time_planned(Result<Program> program, const TimedOn& chip, double limit_s,
                                               const std::stop_token& stop);

// What it takes to hand an array on to who reads it otherwise: of the program that does it its simulated
// time, and what the device that receives most receives. Infinite where it cannot be timed: no chain takes
// it.
struct Resharding {
  double bytes = 0;
  double seconds = 0;
};
Resharding resharding(const Mesh& mesh, const TimedOn& chip, const StoredArray& from, const StoredArray& to,
                      const Shape& shape, const std::stop_token& stop = {});
// Of the program that does it.
Resharding resharding(const Result<Program>& program, const TimedOn& chip, const std::stop_token& stop);

}  // namespace shardscope::inline tuner
