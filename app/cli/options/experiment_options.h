// SPDX-License-Identifier: Apache-2.0
// The straight way from a command line to what is asked: options as typed -> laid over the preset -> a run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/request/fields.h"
#include "engine/session/session.h"

namespace CLI {
class App;
}

namespace shardscope::inline cli {

// The options that `run` and `sweep` share. Fields as they were typed, by key; those that were not leave the
// preset's or the default value.
struct ExperimentOptions {
  std::string preset;
  std::map<std::string, std::string, std::less<>> fields;
  std::optional<std::string> lhs, rhs;
  std::string db;
  bool json = false;
  bool quiet = false;

  bool says(std::string_view key) const { return fields.find(key) != fields.end(); }
};

// A field's --key, kept in `typed` under its key.
void add_field_option(CLI::App& command, const Field& field,
                      std::map<std::string, std::string, std::less<>>& typed);
// The chip of a command that asks for nothing else of a run: as typed under "hardware", else the default one.
// Errors name the option.
Result<Hardware> typed_hardware(const std::map<std::string, std::string, std::less<>>& typed);
// The preset, which `what` describes, and the options of all fields.
void add_request_options(CLI::App& command, const char* what, ExperimentOptions& options);
// These, arrays, record and output.
void add_experiment_options(CLI::App& command, ExperimentOptions& options);

// The preset with what was typed laid over it, but for what a run has alone; sizes may still be missing.
Result<Experiment> typed_experiment(const ExperimentOptions& options);
// The typed options of strategies over those of `run`.
Result<void> lay_over_run(const ExperimentOptions& options, RunRequest& run);
// The one run that was meant: the one of `strategy`, or the only one of the preset.
Result<RunRequest> pick_run(const ExperimentOptions& options, const std::optional<std::string>& strategy,
                            const Experiment& experiment);
// The experiment's run of a strategy, or a plain one of it.
RunRequest run_of(const Experiment& experiment, const Strategy& strategy);

// --lhs and --rhs in X[m,k], W[k,n] orientation, and the sizes they fix. Disagreement with m, k, n is
// refused.
struct KnownSizes {
  std::optional<int64_t> m, k, n;
  std::optional<ElementType> dtype;
};
struct UserArrays {
  std::optional<Array> lhs, rhs;
  KnownSizes sizes;
};
Result<UserArrays> read_user_arrays(const ExperimentOptions& options, const StoredOrientation& stored);
// The problem as typed, else as the arrays have it, else as the preset does; a missing size is refused.
Result<void> fit_problem(const ExperimentOptions& options, const KnownSizes& sizes, Experiment& experiment);

// The options as they were typed, for a line that asks the same: after "shardscope run" or "sweep".
std::vector<std::string> typed_words(const ExperimentOptions& options);

// Opens --db; progress goes to stderr when that is a terminal.
Result<ExecutionOptions> make_execution(const ExperimentOptions& options);
// Ends the progress line and waits for the record. Of `runs`, those that it lost have no number then.
Result<void> finish_execution(const ExecutionOptions& execution, std::vector<RunPtr>& runs);
// What became of the record of `runs`, as finish_execution.
Result<void> wait_for_record(Workspace& workspace, std::vector<RunPtr>& runs);

}  // namespace shardscope::inline cli
