// SPDX-License-Identifier: Apache-2.0
// The words of a command line: every option of every command, and what was typed of them.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/cli/commands/commands.h"
#include "app/cli/options/common_options.h"
#include "engine/base/result.h"

namespace shardscope::inline cli {

struct TopLevel {
  std::string file, view;
  std::optional<std::string> preset, screenshot;
  std::optional<double> scale;
  std::optional<std::string> theme, language;
  bool man = false;
};

struct Parser {
  // `ask`: what answers the questions of a session.
  explicit Parser(Ask ask);
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  CLI::App app;
  TopLevel top;
  CommonOptions common;
  std::map<std::string, Command> commands;
};

Error usage_error(const CLI::ParseError& problem, const CLI::App& app);
// Runs the command that was read. Without an answer of its own in JSON, --json is one of its text and its
// files.
Result<int> run_read_command(const Parser& parser, const std::stop_token& stop);
// A question of a session: a command, read and run as if it were typed, its output kept.
SessionAnswer answer_words(const std::vector<std::string>& words, const std::stop_token& stop);

}  // namespace shardscope::inline cli
