// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/output/output.h"
#include "engine/base/text.h"
#include "engine/session/preset_catalogue.h"

namespace shardscope::inline cli {
namespace {

std::vector<const CataloguedPreset*> chosen(const PresetFilter& filter) {
  std::vector<const CataloguedPreset*> out;
  for (const size_t place : found_presets(filter)) out.push_back(&preset_catalogue()[place]);
  return out;
}

std::string presets_json(const PresetFilter& filter) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const CataloguedPreset* preset : chosen(filter)) {
    const Experiment& e = preset->experiment;
    nlohmann::ordered_json strategies = nlohmann::ordered_json::array();
    for (const RunRequest& run : e.runs) strategies.push_back(run.strategy);
    list.push_back({{"name", preset->name},
                    {"title", e.title},
                    {"topic", preset->topic},
                    {"devices", preset->devices},
                    {"mesh", e.mesh.text()},
                    {"hardware", e.hardware},
                    {"paper", e.source},
                    {"notes", e.notes},
                    {"strategies", strategies}});
  }
  return nlohmann::ordered_json{{"presets", list}}.dump(2) + "\n";
}

std::string presets_text(const PresetFilter& filter) {
  std::string out;
  for (const CataloguedPreset* preset : chosen(filter)) {
    const Experiment& e = preset->experiment;
    out += fmt::format("{:<22} {:<20} {:>4} devices  {}\n", preset->name, preset->topic, preset->devices,
                       e.title);
    if (!e.source.empty()) out += fmt::format("{:<22} from {}\n", "", e.source);
  }
  return out;
}

}  // namespace

Command add_presets_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "presets", "List the built-in experiments: topic, size and the paper that each comes from");
  auto words = std::make_shared<std::vector<std::string>>();
  auto topic = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("words", *words, "Only presets that contain all of these words");
  command->add_option("--topic", *topic, "Only presets on this topic");
  command->add_flag("--json", *json, "One JSON object on stdout");
  return [words, topic, json](std::stop_token) -> Result<int> {
    const std::vector<std::string> topics = preset_topics();
    if (!topic->empty() && std::find(topics.begin(), topics.end(), *topic) == topics.end())
      return invalid(fmt::format("unknown topic '{}'", *topic), "--topic",
                     "use one of " + join(topics, ", "));
    const PresetFilter filter{join(*words, " "), *topic, "", false};
    if (found_presets(filter).empty()) note("no preset contains " + join(*words, " "));
    TRY_VOID(print_text(*json ? presets_json(filter) : presets_text(filter)));
    return kExitDone;
  };
}

}  // namespace shardscope::inline cli
