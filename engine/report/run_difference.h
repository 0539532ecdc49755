// SPDX-License-Identifier: Apache-2.0
// The comparison of several runs, row by row: computes the values of engine/study/difference.h.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/run/run.h"
#include "engine/story/story.h"
#include "engine/study/difference.h"

namespace shardscope::inline report {

inline constexpr size_t kMostCompared = 20;

struct RunWithStory {
  RunPtr run;
  std::shared_ptr<const Story> story;  // none: what travels is not named
};
RunWithStory told(RunPtr run, const std::stop_token& stop = {});

// Refuses fewer than two and more than kMostCompared.
Result<void> check_compared(size_t runs);
// Against the first. Two to kMostCompared timed runs; others are refused. Runs of other problems, chips or
// shardings are compared, and the notes say so.
Result<RunDifference> difference_of(const std::vector<RunWithStory>& runs);

std::string difference_json(const RunDifference& difference);  // `diff --json`
// {key: name, values_s, delta_s}: rows of `diff` and of `what-if`.
nlohmann::ordered_json time_rows_json(const char* key, const std::vector<TimeRow>& rows);
std::string difference_text(const RunDifference& difference);      // in 100 columns
std::string difference_csv(const RunDifference& difference);       // the operations
std::string difference_markdown(const RunDifference& difference);  // tables with the verdict above
std::string difference_latex(const RunDifference& difference);     // the operations as a tabular

// Of a comparison of many runs those that a report shows side by side, the winner first: four at most.
std::vector<RunWithStory> best_of(const std::vector<RunPtr>& runs);
// What they differ in; none when fewer than two are ranked.
std::optional<RunDifference> difference_of_best(const std::vector<RunPtr>& runs);

// "shardscope diff --db FILE --runs 1,2,3".
std::string difference_command(const RunDifference& difference, const std::string& file);

}  // namespace shardscope::inline report
