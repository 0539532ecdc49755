// SPDX-License-Identifier: Apache-2.0
// A simulated run beside a measured trace: computes the values of engine/study/residual.h, and prints
// them.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/report/run_difference.h"
#include "engine/report/table.h"
#include "engine/study/residual.h"

namespace shardscope::inline report {

// `step`: whose times count, by place; none: medians over all. Refuses a run without times or events, a trace
// without events and a step that it has not. A trace of another program matches nothing: no error.
Result<Residual> residual_of(const RunWithStory& simulated, const MeasuredTrace& trace,
                             std::optional<size_t> step = std::nullopt);

// The same with what pictures and reports draw of it.
Result<MeasuredBeside> beside(const RunWithStory& simulated, std::shared_ptr<const MeasuredTrace> trace,
                              std::optional<size_t> step = std::nullopt);

// "Measured 131 µs, simulated 102 µs: +29.0 µs (+28 %). 91 % of the measured device time is of operations of
// this run."
std::string residual_sentence(const Residual& residual);
TextTable residual_terms_table(const Residual& residual);
// At most `most` (0: all); what is left out is said in a last row.
TextTable residual_operations_table(const Residual& residual, size_t most);
TextTable residual_unmatched_table(const Residual& residual, size_t most);

nlohmann::ordered_json residual_object(const Residual& residual);
std::string residual_json(const Residual& residual);      // `compare --measured --json`
std::string residual_text(const Residual& residual);      // for a terminal
std::string residual_csv(const Residual& residual);       // the operations
std::string residual_markdown(const Residual& residual);  // sentence and tables

}  // namespace shardscope::inline report
