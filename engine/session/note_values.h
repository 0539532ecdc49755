// SPDX-License-Identifier: Apache-2.0
// Numbers in an experiment's notes are references to what its runs come to, so that they cannot be stale:
// "{runs.wang.os.bytes_sent}" of the run of wang.os, "{runs.summa.os#2.exposed}" of the second one of
// summa.os, "{runs.a.total / runs.b.total}" their quotient: expressions as in lessons (engine/lesson).
// Whatever begins with "{runs." is one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/request/experiment.h"

namespace shardscope::inline session {

struct EvaluatedNotes {
  std::string text;            // with values; "?" for what could not be had
  std::vector<Error> unknown;  // why: no such run, no such value, a run that cannot be planned
};
// Plans and times the runs that the notes are about, and no others.
EvaluatedNotes evaluated_notes(const Experiment& experiment);

// The first unknown reference of an experiment file's notes, with the line that they begin on.
Result<void> check_notes(std::string_view toml, std::string_view file_name);

}  // namespace shardscope::inline session
