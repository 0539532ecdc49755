// SPDX-License-Identifier: Apache-2.0
// Options of a command whose answer is text, JSON or a page.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace CLI {
class App;
}

namespace shardscope::inline cli {

struct AnswerOptions {
  std::string format, output;
  bool json = false;
};
void add_answer_options(CLI::App& command, AnswerOptions& options, const std::string& json_help);

enum class AnswerForm { text, json, page };
// By --format, else by the file's ending; a file without one is text. Errors: --json beside a page; an ending
// that is of no form of it.
Result<AnswerForm> answer_form(const AnswerOptions& options);
// To the file, or to stdout: text fits a terminal there.
Result<void> write_answer(const AnswerOptions& options, AnswerForm form, const std::string& answer);

}  // namespace shardscope::inline cli
