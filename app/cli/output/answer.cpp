// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/answer.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>

#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"

namespace shardscope::inline cli {

void add_answer_options(CLI::App& command, AnswerOptions& options, const std::string& json_help) {
  command.add_flag("--json", options.json, json_help);
  command.add_option("--format", options.format, "html, json (default: text, or by the file's ending)")
      ->check(CLI::IsMember({"html", "json"}));
  command.add_option("-o,--output", options.output, "File (default: stdout)")->type_name(kOutputFile);
}

Result<AnswerForm> answer_form(const AnswerOptions& options) {
  const auto is = [&](const std::string& format) {
    return options.format.empty() ? options.output.ends_with("." + format) : options.format == format;
  };
  const bool page = is("html");
  if (options.json && page)
    return invalid("a page is no JSON", "--json", "say either --json or --format html");
  if (page) return AnswerForm::page;
  const std::string ending = std::filesystem::path(options.output).extension().string();
  if (options.format.empty() && !options.json && !ending.empty() && ending != ".json" && ending != ".txt")
    return invalid(fmt::format("no format is called '{}'", ending.substr(1)), options.output,
                   "use .html, .json or .txt, or say --format");
  return options.json || is("json") ? AnswerForm::json : AnswerForm::text;
}

Result<void> write_answer(const AnswerOptions& options, AnswerForm form, const std::string& answer) {
  return form == AnswerForm::text && options.output.empty() ? print_text(answer)
                                                            : write_output(answer, options.output);
}

}  // namespace shardscope::inline cli
