// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each adds itself to the parser and gives the function that runs it: Result<int> is the
// exit code of a command that did what it was asked; an Error is printed by the caller as "error: what;
// where; fix".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/output/output.h"
#include "engine/base/result.h"

namespace CLI {
class App;
}

namespace shardscope::inline cli {

using Command = std::function<Result<int>(std::stop_token)>;

// What came of a question of a session.
struct SessionAnswer {
  int exit = 0;  // done, or wrong numbers
  std::string text{};
  std::optional<Error> error{};
};
using Ask = std::function<SessionAnswer(const std::vector<std::string>& words, const std::stop_token& stop)>;

Command add_strategies_command(CLI::App& app);
Command add_presets_command(CLI::App& app);
Command add_run_command(CLI::App& app);
Command add_sweep_command(CLI::App& app);
Command add_tune_command(CLI::App& app);
Command add_calibrate_command(CLI::App& app);
Command add_sharding_command(CLI::App& app);
Command add_reshard_command(CLI::App& app);
Command add_atlas_command(CLI::App& app);
Command add_runs_command(CLI::App& app);
Command add_compare_command(CLI::App& app);
Command add_diff_command(CLI::App& app);
Command add_render_command(CLI::App& app);
Command add_export_command(CLI::App& app);
Command add_story_command(CLI::App& app);
Command add_what_if_command(CLI::App& app);
Command add_errors_command(CLI::App& app);
Command add_gmm_command(CLI::App& app);
Command add_tgmm_command(CLI::App& app);
Command add_kernel_command(CLI::App& app);
Command add_hlo_command(CLI::App& app);
Command add_lesson_command(CLI::App& app);
Command add_measure_command(CLI::App& app);
Command add_beside_command(CLI::App& app);
Command add_truth_command(CLI::App& app);
Command add_doctor_command(CLI::App& app);
Command add_schema_command(CLI::App& app);  // of `app`, which outlives the command
Command add_serve_command(CLI::App& app, Ask ask);
Command add_completion_command(CLI::App& app);  // likewise

}  // namespace shardscope::inline cli
