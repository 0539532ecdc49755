// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/output/output.h"
#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/request/fields.h"
#include "engine/session/modules/explicit_mode.h"

namespace shardscope::inline cli {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

std::string types_json(const ExplicitModule& module) {
  Json values = Json::array();
  for (const ExplicitRow& row : module.rows) {
    Json choices = Json::array();
    for (const OutSharding& choice : row.choices)
      choices.push_back({{"out_sharding", choice.spec},
                         {"collectives", choice.collectives},
                         {"bytes_sent_per_device", choice.bytes_sent},
                         {"time_s", to_seconds(choice.time)}});
    values.push_back({{"instruction", row.name},
                      {"name", row.text_name},
                      {"opcode", row.opcode},
                      {"type", text_or_null(row.type)},
                      {"source_line", text_or_null(row.source_line)},
                      {"error", text_or_null(row.error)},
                      {"out_shardings", choices}});
  }
  return Json{{"mesh", module.mesh}, {"values", values}}.dump(2) + "\n";
}

std::string row_text(const ExplicitRow& row, size_t width) {
  std::string out = fmt::format("{:<{}}  {}", row.text_name, width, row.type.empty() ? "-" : row.type);
  if (!row.source_line.empty()) out += "  " + row.source_line;
  out += "\n";
  if (row.error.empty()) return out;
  out += fmt::format("  error in explicit mode: {}\n", row.error);
  for (const OutSharding& choice : row.choices)
    out += fmt::format("  out_sharding={}: {}, a device sends {}, {}\n", choice.spec,
                       choice.collectives.empty() ? "no collectives"
                                                  : fmt::format("{}", fmt::join(choice.collectives, ", ")),
                       format_bytes(choice.bytes_sent), format_picoseconds(choice.time));
  return out;
}

std::string types_text(const ExplicitModule& module) {
  size_t width = 0, errors = 0;
  for (const ExplicitRow& row : module.rows) {
    width = std::max(width, row.text_name.size());
    errors += row.error.empty() ? 0 : 1;
  }
  std::string out = "mesh " + module.mesh + "\n";
  for (const ExplicitRow& row : module.rows) out += row_text(row, width);
  return out + (errors == 0 ? "no error in explicit mode\n"
                            : counted(errors, "operation") + " would be an error in explicit mode\n");
}

Result<int> run(const HloOptions& options, std::stop_token stop) {
  TRY(const Hardware hardware, typed_hardware(options.asked));
  TRY(const Program module, read_module(options, stop));
  PartitionOptions how;
  how.devices = options.devices;
  how.stop = std::move(stop);
  TRY(const ExplicitModule types, explicit_module(module, how, hardware));
  TRY_VOID(print_text(options.json ? types_json(types) : types_text(types)));
  return kExitDone;
}

}  // namespace

Command add_hlo_types_command(CLI::App& hlo) {
  CLI::App* command =
      hlo.add_subcommand("types",
                         "The types of a module's values in JAX's explicit mode, and where it would "
                         "ask for an out_sharding");
  auto options = std::make_shared<HloOptions>();
  add_hlo_file(*command, *options);
  add_devices(*command, *options);
  add_field_option(*command, *find_field("hardware"), options->asked);
  add_quiet(*command, *options);
  command->add_flag("--json", options->json, "One JSON object on stdout");
  return [options](std::stop_token stop) { return at_its_line(*options, run(*options, stop), stop); };
}

}  // namespace shardscope::inline cli
