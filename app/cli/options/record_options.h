// SPDX-License-Identifier: Apache-2.0
// What compare, diff, render and export share: runs out of a workspace file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/report.h"
#include "engine/run/run.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace shardscope::inline cli {

// Opens `db` read-only and loads the runs; an unknown id is refused with the ids that are there.
Result<std::vector<RunPtr>> load_runs(const std::string& db, const std::vector<int64_t>& ids);
// What names a run of a workspace as it is now, for kept().
std::string record_key(const std::string& db, int64_t id);
// A measured trace of the same workspace beside one of its runs. `step`: by number, as people count; 0:
// medians over all.
struct MeasuredAsked {
  int64_t trace = 0;  // 0: none is asked for
  int64_t step = 0;
};
// Refuses a step of no trace.
Result<void> check_measured(const MeasuredAsked& asked);
// The number of a run, a trace or a step.
CLI::Option& add_number(CLI::App& command, const std::string& option, int64_t& number,
                        const std::string& help);
Result<MeasuredBeside> load_beside(const std::string& db, const RunPtr& run, const MeasuredAsked& asked);
// "1,2,3"; one that is named twice is there once.
Result<std::vector<int64_t>> parse_run_ids(const std::string& text);
Result<std::vector<int64_t>> parse_run_list(const std::string& text);  // as it is written

}  // namespace shardscope::inline cli
