// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 as a session speaks it: a message a line.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/result.h"

namespace CLI {
class App;
}

namespace shardscope::inline cli {

enum class RpcCode {
  parse_error = -32700,
  invalid_request = -32600,
  no_such_method = -32601,
  invalid_params = -32602,  // exit status 2
  file = -32004,            // 4
  cancelled = -32800,
};

struct RpcError {
  RpcCode code = RpcCode::invalid_request;
  Error error;
};

struct RpcRequest {
  nlohmann::ordered_json id;  // null: nobody waits for what comes of it
  bool is_notification = false;
  std::string method;  // "hlo partition"
  nlohmann::ordered_json params;
};

// One message of a line.
std::variant<RpcRequest, RpcError> read_request(const nlohmann::ordered_json& message);
// A method and its params as they are typed: "hlo partition", ["f.mlir", "--mesh", "x=2"], or {"words":
// ["f.mlir"], "mesh": {"x": 2}}. Error: no such command; its params are neither.
std::variant<std::vector<std::string>, RpcError> words_of(const CLI::App& app, const RpcRequest& request);
RpcError rpc_error(const Error& error);

// Lines, with their end. `answer` is JSON and stands in the result as it is.
std::string rpc_result(const nlohmann::ordered_json& id, const std::string& answer, int exit,
                       const std::vector<std::string>& words);
std::string rpc_failure(const nlohmann::ordered_json& id, const RpcError& error);

}  // namespace shardscope::inline cli
