// SPDX-License-Identifier: Apache-2.0
#include "engine/session/note_values.h"

#include "engine/base/toml.h"
#include "engine/request/experiment_file.h"
#include "engine/session/lessons/experiment_runs.h"

namespace shardscope::inline session {

EvaluatedNotes evaluated_notes(const Experiment& experiment) {
  ExperimentRuns runs(experiment, false, {});
  FilledText filled = fill_in(experiment.notes, fact_scope(runs, {}), "runs.");
  return {std::move(filled.text), std::move(filled.errors)};
}

Result<void> check_notes(std::string_view toml, std::string_view file_name) {
  TRY(const Experiment experiment, parse_experiment(toml, file_name));
  TRY(const TomlTable root, TomlTable::parse(toml, file_name));
  const EvaluatedNotes notes = evaluated_notes(experiment);
  if (notes.unknown.empty()) return {};
  Error error = notes.unknown.front();
  error.where = root.where("notes");
  return error;
}

}  // namespace shardscope::inline session
