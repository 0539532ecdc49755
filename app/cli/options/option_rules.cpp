// SPDX-License-Identifier: Apache-2.0
#include "app/cli/options/option_rules.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

#include "app/cli/options/common_options.h"
#include "engine/base/file/write_file.h"
#include "engine/base/text.h"

namespace shardscope::inline cli {
namespace {

// --help shows a type with what checks it behind a colon.
std::string type_of(const CLI::Option& option) {
  const std::string full = option.get_type_name();
  return full.substr(0, full.find(':'));
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0 && type_of(option) != "" && !option.get_positional();
}

bool begins_as_number(const std::string& text) {
  const size_t first = text.find_first_not_of("+-. ");
  return first != std::string::npos && std::isdigit(static_cast<unsigned char>(text[first])) != 0;
}

template <class Number>
std::string as_decimal(std::string& text, const char* range) {
  const std::string_view bare = trim(text);
  Number value = 0;
  const auto [end, problem] = std::from_chars(bare.data(), bare.data() + bare.size(), value);
  if (problem != std::errc() || end != bare.data() + bare.size())
    return fmt::format("expected a whole number{}, got '{}'", range, text);
  text = std::to_string(value);
  return "";
}

// Fields of the table read their own words, "auto" among them, and know their ranges: here only what looks
// like a number counts.
std::string decimal_count(std::string& text) {
  if (!begins_as_number(text)) return "";
  const bool beyond = !text.starts_with('-') && as_decimal<uint64_t>(text, "").empty();
  return beyond ? "" : as_decimal<int64_t>(text, "");
}
std::string decimal_positive(std::string& text) {
  return as_decimal<uint64_t>(text, " from 0 to 2^64 - 1");
}
std::string finite_number(std::string& text) {
  const std::string_view bare = trim(text);
  const auto value = parse_double(bare);
  if (value ? std::isfinite(*value) : !begins_as_number(text)) return "";
  return fmt::format("expected a number, got '{}'", text);
}

void settle(CLI::Option& option) {
  const std::string type = type_of(option);
  std::string (*read)(std::string&) = type == "INT"     ? decimal_count
                                      : type == "UINT"  ? decimal_positive
                                      : type == "FLOAT" ? finite_number
                                                        : nullptr;
  if (read != nullptr) option.transform(CLI::Validator(read, ""));
  if (option.get_expected_max() > 1 && !option.get_positional()) option.allow_extra_args(false);
}

const CLI::Option* option_named(const CLI::App& command, const std::string& word) {
  return word.size() > 1 && word[0] == '-' ? command.get_option_no_throw(word) : nullptr;
}

const CLI::App* subcommand_named(const CLI::App& command, const std::string& word) {
  const auto below = command.get_subcommands([&](const CLI::App* c) { return c->get_name() == word; });
  return below.empty() ? nullptr : below.front();
}

std::string name_of(const CLI::Option& option) {
  return option.get_name(false, true).substr(0, option.get_name(false, true).find(','));
}

Result<void> check_stdout(const CLI::App& command, const std::string& type) {
  if (type != kOutputFile) return invalid("this goes into a file, got -", "", "name a file");
  if (asks_for(command, "--json"))
    return invalid("- and --json would both write to stdout", "", "leave one of them out");
  return {};
}

Result<void> check_name(const CLI::App& command, const std::string& type, const std::string& name) {
  if (name.empty()) return invalid("the name of a file is empty");
  if (type == kInputFile || type == kWorkspaceFile) return {};  // whoever opens it says what is wrong
  if (name == "-") return check_stdout(command, type);
  const bool folder =
      type == kOutputFolder || (type == kReportFile && std::filesystem::path(name).extension().empty());
  return folder ? check_new_folder(name) : check_new_file(name);
}

Result<void> check_option(const CLI::App& command, const CLI::Option& option) {
  static const std::vector<std::string> kFiles = {kInputFile,   kWorkspaceFile, kOutputFile,
                                                  kOutputArray, kOutputFolder,  kReportFile};
  const std::string type = type_of(option);
  if (option.count() == 0 || std::ranges::find(kFiles, type) == kFiles.end()) return {};
  for (const std::string& name : option.results()) {
    const Result<void> fine = check_name(command, type, name);
    if (fine.ok()) continue;
    Error error = fine.error();
    if (error.where.empty()) error.where = name_of(option);
    return error;
  }
  return {};
}

}  // namespace

void settle_options(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) settle(*option);
  for (CLI::App* below : app.get_subcommands([](CLI::App*) { return true; })) settle_options(*below);
}

Error unexpected_words(const CLI::App& app) {
  const std::string path = called_name(app);
  std::vector<std::string> names;
  for (const CLI::Option* option : called_command(app).get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::vector<std::string> words = app.remaining(true);
  const std::string& first = words.front();
  const auto near = first.starts_with("--") ? nearest(first.substr(0, first.find('=')), names) : std::nullopt;
  return invalid(fmt::format("not expected: {}", join(words, " ")), path,
                 near ? fmt::format("did you mean {}?", *near) : fmt::format("see {} --help", path));
}

std::optional<Error> missing_value(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int at = 1; at < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--") return std::nullopt;
    if (const CLI::App* below = subcommand_named(*command, word)) {
      command = below;
      continue;
    }
    const CLI::Option* option = option_named(*command, word);
    if (option == nullptr || !takes_value(*option)) continue;
    const std::string next = at + 1 < argc ? argv[at + 1] : "--";
    if (next == "--" || next == "--help" || option_named(*command, next) != nullptr)
      return invalid("the value is missing" + (next == "--" ? "" : ", got the option " + next), word,
                     word.starts_with("--") && next != "--"
                         ? fmt::format("if that is the value, say {}={}", word, next)
                         : "");
    ++at;
  }
  return std::nullopt;
}

Result<void> check_files(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) TRY_VOID(check_option(app, *option));
  for (const CLI::App* below : app.get_subcommands()) TRY_VOID(check_files(*below));
  return {};
}

}  // namespace shardscope::inline cli
