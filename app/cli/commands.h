// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each adds itself to the parser and gives the function that runs it: Result<int> is the
// exit code of a command that did what it was asked; an Error is printed by the caller as "error: what;
// where; fix".
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "engine/base/result.h"

namespace CLI {
class App;
}

namespace shardscope {

// Exit codes; --help lists them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitRequest = 2;
inline constexpr int kExitWrongNumbers = 3;
inline constexpr int kExitFile = 4;
inline constexpr int kExitCancelled = 130;

using Command = std::function<Result<int>(std::stop_token)>;

Command add_strategies_command(CLI::App& app);
Command add_run_command(CLI::App& app);
Command add_sweep_command(CLI::App& app);
Command add_tune_command(CLI::App& app);
Command add_sharding_command(CLI::App& app);
Command add_compare_command(CLI::App& app);
Command add_render_command(CLI::App& app);
Command add_export_command(CLI::App& app);
Command add_errors_command(CLI::App& app);
Command add_gmm_command(CLI::App& app);
Command add_tgmm_command(CLI::App& app);
Command add_hlo_command(CLI::App& app);

}  // namespace shardscope
