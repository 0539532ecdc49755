// SPDX-License-Identifier: Apache-2.0
// The steps of a run in the record: column `loop` of `run`, table `loop_step`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/run/steps.h"
#include "engine/trace/sql/database.h"

namespace shardscope::inline trace {

// What is of all steps, JSON.
std::string loop_text(const RunSteps& steps);
Result<void> insert_steps(const Database& db, int64_t id, const RunSteps& steps);
// Of a run whose column `loop` is `text`.
Result<RunSteps> read_steps(const Database& db, int64_t id, const std::string& text);

}  // namespace shardscope::inline trace
