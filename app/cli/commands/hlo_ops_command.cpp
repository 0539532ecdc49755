// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/output/output.h"
#include "engine/session/op_support.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

std::string json_text() {
  Json rows = Json::array();
  for (const OperationSupport& operation : operation_support()) {
    Json row = {{"op", opcode_text(operation.opcode)}};
    for (const Support& part : operation.parts)
      row[part.part] = part.hole.empty() ? Json(true) : Json(part.hole);
    rows.push_back(std::move(row));
  }
  return Json{{"ops", std::move(rows)}}.dump(2) + "\n";
}

// A column a part, "yes" or "-"; what is missing is said behind the row.
std::string table_text() {
  std::string out;
  for (const OperationSupport& operation : operation_support()) {
    if (out.empty()) {
      out = fmt::format("{:<26}", "operation");
      for (const Support& part : operation.parts) out += fmt::format("{:<11}", part.part);
      out += "\n";
    }
    std::string row = fmt::format("{:<26}", opcode_text(operation.opcode)), why;
    for (const Support& part : operation.parts) {
      row += fmt::format("{:<11}", part.hole.empty() ? "yes" : "-");
      if (!part.hole.empty()) why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", part.part, part.hole);
    }
    while (why.empty() && row.back() == ' ') row.pop_back();
    out += row + why + "\n";
  }
  return out;
}

}  // namespace

Command add_hlo_ops_command(CLI::App& hlo) {
  CLI::App* command = hlo.add_subcommand("ops",
                                         "Which operations are parsed, verified, run, costed, partitioned, "
                                         "propagated, recorded and differentiated");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object on stdout");
  return [json](std::stop_token) -> Result<int> {
    TRY_VOID(print_text(*json ? json_text() : table_text()));
    return kExitDone;
  };
}

}  // namespace shardscope::inline cli
