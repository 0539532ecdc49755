// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/experiment_options.h"
#include "app/cli/options/kept.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/options/record_options.h"
#include "engine/base/text.h"
#include "engine/mesh/chosen_devices.h"
#include "engine/program/text/hlo_text.h"
#include "engine/report/range_report.h"
#include "engine/report/story_report.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/hlo_run.h"
#include "engine/story/checks/invariants.h"

namespace shardscope::inline cli {
namespace {

struct StoryOptions : ExperimentOptions {
  std::optional<std::string> strategy;
  std::optional<int64_t> run, devices;
  std::string beats, level = name(SentenceLevel::moves), holdings = "off", range, of;
};

// A story looks into its run.
struct ToldRun {
  RunPtr run;
  Story story;
};

bool is_module(const StoryOptions& options) {
  const std::string ending = std::filesystem::path(options.preset).extension().string();
  return ending == ".hlo" || ending == ".mlir" || ending == ".txt";
}

// A file, or a module that is built in: "mlp.hlo".
Result<HloText> module_of(const std::string& file, const std::stop_token& stop) {
  if (!std::filesystem::exists(file))
    for (const HloPreset& preset : hlo_presets())
      if (preset.name + ".hlo" == file) return read_hlo(preset.text, file);
  return read_module_text(file, stop);
}

Result<RunPtr> run_of_module(const StoryOptions& options, std::stop_token stop) {
  ModuleRunOptions how;
  how.check = CheckMode::off;
  how.partition.devices = options.devices;
  if (options.strategy) return invalid("a module has no strategy", "--strategy", "leave it out");
  for (const auto& [key, value] : options.fields) {
    if (!find_field(key)->has(kModule))
      return invalid("modules have no such option", "--" + key, "see shardscope hlo run --help");
    how.asked[key] = value;
  }
  TRY(const HloText read, module_of(options.preset, stop));
  if (read.cut) how.cut = read.cut->what;
  TRY(const ModuleRun made, execute_module(read.program, how, std::move(stop)));
  return made.run;
}

Result<RunPtr> run_of_strategy(const StoryOptions& options, std::stop_token stop) {
  if (options.devices)
    return invalid("a strategy runs on the devices of its mesh", "--devices", "say --mesh row=2,col=4");
  TRY(Experiment experiment, typed_experiment(options));
  TRY(RunRequest request, pick_run(options, options.strategy, experiment));
  TRY_VOID(lay_over_run(options, request));
  TRY_VOID(fit_problem(options, {}, experiment));
  ExecutionOptions timing;
  timing.numerics = false;
  return execute(experiment, request, timing, std::move(stop));
}

// What was said of a run that is to be made; "": nothing.
std::string asked_beside(const StoryOptions& options) {
  if (!options.preset.empty()) return options.preset;
  if (options.strategy) return "--strategy";
  if (options.devices) return "--devices";
  return options.fields.empty() ? "" : "--" + options.fields.begin()->first;
}

Result<RunPtr> run_to_tell(const StoryOptions& options, std::stop_token stop) {
  if (options.db.empty() != !options.run) {
    return options.run ? invalid("the workspace is missing", "--db", "say --db FILE --run N")
                       : invalid("the run is missing", "--run", "say --db FILE --run N");
  }
  if (options.run) {
    const std::string other = asked_beside(options);
    if (!other.empty()) return invalid("a recorded run and " + other, "--run", "leave one of them out");
    TRY(const std::vector<RunPtr> runs, load_runs(options.db, {*options.run}));
    return runs.front();
  }
  return is_module(options) ? run_of_module(options, std::move(stop))
                            : run_of_strategy(options, std::move(stop));
}

// "3..5", "3"; empty: all of them.
Result<StoryExcerpt> excerpt_of(const std::string& beats, const Story& story) {
  const auto last = static_cast<int32_t>(story.beats().size()) - 1;
  StoryExcerpt out;
  out.last = last;
  if (beats.empty()) return out;
  const size_t dots = beats.find("..");
  const auto from = parse_int(beats.substr(0, dots));
  const auto to = dots == std::string::npos ? from : parse_int(beats.substr(dots + 2));
  if (!from || !to || *from > *to)
    return invalid(fmt::format("'{}' is not a range of steps", beats), "--beats", "write them as in 3..5");
  if (*from < 0 || *to > last)
    return invalid(fmt::format("expected steps from 0 to {}, got {}", last, beats), "--beats");
  out.first = static_cast<int32_t>(*from);
  out.last = static_cast<int32_t>(*to);
  return out;
}

Result<SentenceLevel> level_of(const std::string& text) {
  std::vector<std::string> words;
  for (const SentenceLevel level : sentence_levels()) {
    if (text == name(level)) return level;
    words.push_back(name(level));
  }
  return invalid(fmt::format("expected {}, got '{}'", join(words, ", "), text), "--level");
}

// "1e-5..2e-5", "all".
Result<TimeRange> range_of(const std::string& text, const Timeline& timeline) {
  if (text == "all") return TimeRange{0, timeline.total};
  const size_t dots = text.find("..");
  const auto from = parse_double(text.substr(0, dots));
  const auto to = dots == std::string::npos ? std::nullopt : parse_double(text.substr(dots + 2));
  const double end = to_seconds(timeline.total);
  if (!from || !to || !(*from >= 0 && *from < *to))
    return invalid(fmt::format("'{}' is not a range of time", text), "--range",
                   "write seconds, from and to, as in 1e-5..2.5e-5, or all");
  if (*from >= end) return invalid(fmt::format("the run ends at {} s, before {}", end, text), "--range");
  return TimeRange{to_picoseconds(*from), to_picoseconds(std::min(*to, end))};
}

// A run that is too big to be told is summed all the same: its collectives do not say what travels.
Result<int> sum_range(const StoryOptions& options, const Run& run, const Story* story) {
  TRY(const TimeRange range, range_of(options.range, run.timeline));
  if (run.timeline.events.empty() && run.timeline.event_count > 0)
    return invalid("the run was kept without its events", "--range", "run it again on fewer devices");
  std::vector<int32_t> devices = all_devices(run);
  if (!options.of.empty()) {
    TRY(devices, chosen_devices(run.mesh, options.of));
  }
  const RangeStatistics sums = range_statistics(run, story, range, devices);
  StdoutWriter writer;
  writer.write(options.json ? range_json(sums) : range_text(sums));
  TRY_VOID(writer.finish());
  return kExitDone;
}

Result<int> tell_story(const StoryOptions& options, const std::stop_token& stop) {
  TRY(const SentenceLevel level, level_of(options.level));
  TRY(const bool holdings, on_or_off(options.holdings, "--holdings"));
  TRY(const RunPtr run, run_to_tell(options, stop));
  if (!options.of.empty() && options.range.empty())
    return invalid("a choice of devices without a range", "--of", "say --range all too");
  const auto tell_it = [&]() -> Result<ToldRun> {
    TRY(Story story, tell(run->program, run->timeline, stop));
    return ToldRun{run, std::move(story)};
  };
  // A run that is no record's is made anew, and so is its story.
  const std::string key = options.run ? "story " + record_key(options.db, *options.run) : "";
  const auto told = kept<ToldRun>(key, tell_it);
  if (!told.ok() && (options.range.empty() || told.error().kind != ErrorKind::too_big)) return told.error();
  if (!options.range.empty()) return sum_range(options, *run, told.ok() ? &(*told)->story : nullptr);
  const Story& story = (*told)->story;
  TRY(StoryExcerpt excerpt, excerpt_of(options.beats, story));
  excerpt.level = level;
  excerpt.holdings = holdings;
  if (run->kind == StrategyKind::broken) excerpt.breaks = first_broken(story);
  StdoutWriter writer;
  const TextSink sink = [&](std::string_view text) { return writer.write(text); };
  options.json ? story_json(story, excerpt, sink) : story_text(story, excerpt, sink);
  TRY_VOID(writer.finish());
  return kExitDone;
}

}  // namespace

Command add_story_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "story",
      "Tell what happens in a run, step by step: which device sends what to which, and which has what");
  auto o = std::make_shared<StoryOptions>();
  add_request_options(*command, "A built-in preset, an experiment file (.toml) or a module (.hlo, .mlir)",
                      *o);
  command->add_option("--strategy", o->strategy, "Strategy id or alias (see strategies)");
  command->add_option("--devices", o->devices, "Of a module (default: as many as the shardings name)");
  command->add_option("--db", o->db, "Workspace file that holds the run")->type_name(kWorkspaceFile);
  command->add_option("--run", o->run, "Run number");
  command->add_option("--beats", o->beats,
                      "From the first to the last one, as in 3..5 (default: all; 0 is before)");
  command->add_option("--level", o->level, "Level of the sentences: idea, moves or program (default: moves)");
  command->add_option("--holdings", o->holdings,
                      "on: what each device has at the end of a step (default: off)");
  command->add_option("--range", o->range,
                      "Instead: what the devices do between two times in seconds, by operation, as in "
                      "1e-5..2.5e-5; all: the whole run");
  command->add_option("--of", o->of,
                      "The devices that a range covers, as in row=0, col=2..5 or (0,1) (default: all)");
  command->add_flag("--json", o->json, "One JSON object on stdout");
  return [o](const std::stop_token& stop) { return tell_story(*o, stop); };
}

}  // namespace shardscope::inline cli
