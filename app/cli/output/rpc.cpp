// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/rpc.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "app/cli/output/output.h"
#include "engine/base/text.h"
#include "engine/request/command_line.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RpcError wrong_params(std::string what, std::string where) {
  return {RpcCode::invalid_params,
          invalid(std::move(what), std::move(where), "give a list of words, or an object")};
}

// As an option's value is typed: "2", "on", "4,8", "x=2,y=4".
std::string option_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (!value.is_structured()) return one_line(value);
  Words parts;
  for (const auto& [key, part] : value.items())
    parts.push_back(value.is_object() ? key + "=" + option_value(part) : option_value(part));
  return join(parts, ",");
}

// The command of this name, "hlo partition"; none: nullptr.
const CLI::App* find_command(const CLI::App& app, const Words& names) {
  const CLI::App* command = &app;
  for (const std::string& name : names) {
    const auto below = command->get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
    if (below.empty()) return nullptr;
    command = below.front();
  }
  return command == &app ? nullptr : command;
}

void add_option(const CLI::App& command, const std::string& key, const Json& value, Words& words) {
  std::string name = "--" + key;
  std::ranges::replace(name, '_', '-');
  const CLI::Option* option = command.get_option_no_throw(name);
  const bool flag = option != nullptr && option->get_items_expected_max() == 0;
  if (value.is_null() || (flag && value == false)) return;
  words.push_back(name);
  if (!flag) words.push_back(option_value(value));
}

}  // namespace

std::variant<RpcRequest, RpcError> read_request(const Json& message) {
  const auto wrong = [](const char* what) {
    return RpcError{RpcCode::invalid_request,
                    invalid(what, "", R"(send {"jsonrpc": "2.0", "id": 1, "method": "strategies"})")};
  };
  if (!message.is_object()) return wrong("a request is an object");
  if (!message.contains("jsonrpc") || message["jsonrpc"] != "2.0") return wrong("a request says jsonrpc 2.0");
  if (!message.contains("method") || !message["method"].is_string())
    return wrong("a request names its method");
  RpcRequest out;
  out.is_notification = !message.contains("id");
  if (!out.is_notification) out.id = message["id"];
  if (out.id.is_structured() || out.id.is_boolean()) return wrong("an id is a number or a text");
  out.method = message["method"].get<std::string>();
  out.params = message.value("params", Json::array());
  return out;
}

std::variant<Words, RpcError> words_of(const CLI::App& app, const RpcRequest& request) {
  Words words = split(request.method, ' ');
  const CLI::App* command = find_command(app, words);
  if (command == nullptr)
    return RpcError{RpcCode::no_such_method, invalid(fmt::format("no command '{}'", request.method), "method",
                                                     "see shardscope --help")};
  const Json& params = request.params;
  if (!params.is_structured()) return wrong_params("the params are no words", request.method);
  const Json typed = params.is_array() ? params : params.value("words", Json::array());
  if (!typed.is_array()) return wrong_params("'words' is no list", request.method);
  for (const Json& word : typed) words.push_back(option_value(word));
  if (params.is_object())
    for (const auto& [key, value] : params.items())
      if (key != "words") add_option(*command, key, value, words);
  if (std::ranges::find(words, "--json") == words.end()) words.emplace_back("--json");
  return words;
}

RpcError rpc_error(const Error& error) {
  const int status = exit_code(error);
  return {status == kExitFile        ? RpcCode::file
          : status == kExitCancelled ? RpcCode::cancelled
                                     : RpcCode::invalid_params,
          error};
}

std::string rpc_result(const Json& id, const std::string& answer, int exit, const Words& words) {
  std::string flat = answer;  // an end of a line stands in no text of JSON
  std::ranges::replace(flat, '\n', ' ');
  Words typed = {"shardscope"};
  typed.insert(typed.end(), words.begin(), words.end());
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"exit":{},"command":{},"answer":{}}}}})",
                     one_line(id), exit, one_line(shell_line(typed)), trim(flat)) +
         "\n";
}

std::string rpc_failure(const Json& id, const RpcError& failed) {
  const Error& error = failed.error;
  const Json message = {
      {"jsonrpc", "2.0"},
      {"id", id},
      {"error",
       {{"code", static_cast<int>(failed.code)},
        {"message", error.text()},
        {"data",
         {{"exit", exit_code(error)}, {"what", error.what}, {"where", error.where}, {"fix", error.fix}}}}}};
  return one_line(message) + "\n";
}

}  // namespace shardscope::inline cli
