// SPDX-License-Identifier: Apache-2.0
// compare, render and export: what can be had from recorded runs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "app/cli/commands/commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/options/record_options.h"
#include "app/cli/options/report_options.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/cli/output/run_page.h"
#include "app/report/beside_figure.h"
#include "app/report/made_now.h"
#include "app/report/paper_figure.h"
#include "app/report/report_files.h"
#include "engine/base/text.h"
#include "engine/program/source/shard_map_source.h"
#include "engine/report/residual/residual.h"
#include "engine/request/command_line.h"
#include "engine/session/price.h"
#include "engine/trace/workspace.h"
#include "views/draw/paint.h"
#include "views/draw/picture_name.h"
#include "views/scene/core/run_views.h"

namespace shardscope::inline cli {
namespace {

constexpr const char* kBesideView = "beside";

struct RecordOptions {
  std::string db, runs, format, output, size = "1600x900";
  std::vector<std::string> views;
  int64_t run = 0;
  MeasuredAsked measured;
  bool figure = false, json = false;
  std::string width = "178mm";
  std::optional<int32_t> beat;
  AudienceOption audience;
};

// The runs that are compared; of a measured trace alone the one that it is beside.
std::string compared_runs(const RecordOptions& o) {
  return o.runs.empty() && o.run > 0 ? std::to_string(o.run) : o.runs;
}

Result<void> add_measured_to(Comparison& comparison, const RecordOptions& o) {
  if (o.measured.trace == 0) return {};
  RunPtr run = comparison.runs.front();
  for (const RunPtr& other : comparison.runs)
    if (other->id == o.run) run = other;
  if (o.run > 0 && run->id != o.run)
    return invalid(fmt::format("run {} is none of --runs {}", o.run, o.runs), "--run", "name one of them");
  TRY(comparison.measured, load_beside(o.db, run, o.measured));
  return {};
}

// The command that asks the same, in another format.
std::vector<std::string> compare_words(const RecordOptions& o, const std::string& format) {
  std::vector<std::string> words{"shardscope", "compare", "--db", o.db};
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  if (!o.runs.empty()) add("--runs", o.runs);
  if (o.run > 0) add("--run", std::to_string(o.run));
  if (o.measured.trace > 0) add("--measured", std::to_string(o.measured.trace));
  if (o.measured.step > 0) add("--step", std::to_string(o.measured.step));
  add("--format", format);
  return words;
}

// What is asked for, before anything is read.
Result<void> check_compare(const RecordOptions& o) {
  if (compared_runs(o).empty())
    return invalid("no run named", "--runs", "write them as in 1,2,3, or --run 3 --measured 1");
  if (o.measured.trace > 0) return {};
  if (o.run > 0 || o.json || o.measured.step > 0)
    return invalid("no measured trace named", "--measured",
                   "--run, --step and --json are of one: see "
                   "`shardscope measure list`");
  return {};
}

// What was said, else what the file's name ends in.
Result<std::string> compared_format(const RecordOptions& o) {
  if (!o.format.empty()) return o.format;
  if (o.json) return std::string("json");
  if (o.output.empty() || o.output == "-") return std::string("md");
  return report_format_of(o.output);
}

Result<int> compare(const RecordOptions& o, const std::stop_token& stop) {
  TRY_VOID(check_compare(o));
  TRY(const std::string format, compared_format(o));
  if (format == "pdf" && (o.output.empty() || o.output == "-"))
    return invalid("a PDF needs a file", "-o", "say -o report.pdf");
  const std::string runs = compared_runs(o);
  TRY(const std::vector<int64_t> ids, parse_run_ids(runs));
  Comparison comparison;
  TRY(comparison.runs, load_runs(o.db, ids));
  TRY_VOID(add_measured_to(comparison, o));
  if (comparison.measured && (o.json || (o.format.empty() && o.output.empty()))) {
    const Residual& residual = comparison.measured->residual;
    TRY_VOID(o.json ? write_output(residual_json(residual), o.output) : print_text(residual_text(residual)));
    return kExitDone;
  }
  for (RunPtr& run : comparison.runs) {
    TRY(run, with_price(run, stop));
  }
  if (format == "csv") {
    TRY_VOID(write_output(
        comparison.measured ? residual_csv(comparison.measured->residual) : compare_csv(comparison),
        o.output));
    return kExitDone;
  }
  std::vector<std::string> words = compare_words(o, format);
  if (!o.output.empty()) words.insert(words.end(), {"-o", o.output});
  o.audience.type_into(words);
  const std::string csv =
      comparison.measured ? shell_line(compare_words(o, "csv")) : csv_command(o.db, comparison.runs);
  TRY_VOID(write_report(std::move(comparison),
                        {o.output, format, shell_line(words), csv, o.audience.audience()}, stop));
  return kExitDone;
}

Result<int> render_measured(const RecordOptions& o, const RunPtr& run, const std::stop_token& stop) {
  const bool other_view = std::ranges::any_of(o.views, [](const auto& view) { return view != kBesideView; });
  if (o.measured.trace == 0)
    return invalid("no measured trace named", "--measured", "`shardscope measure list` says which there are");
  if (other_view || o.figure || o.format == "html" || o.output.ends_with(".html"))
    return invalid("a measured trace is drawn beside its run", "--view",
                   "say --view beside, and -o FILE.png, .svg or .pdf");
  TRY(const PictureSize size, parse_picture_size(o.size));
  TRY(const MeasuredBeside beside, load_beside(o.db, run, o.measured));
  start_offscreen_gui();
  TRY(const Scene scene,
      beside_picture(beside, {size.width, size.height, light_theme(), measure_text}, stop));
  TRY_VOID(write_picture(scene, o.output));
  note_file(o.output);
  return kExitDone;
}

Result<int> render_figure(const RecordOptions& o, const RunPtr& run, const std::stop_token& stop) {
  TRY(const double width, parse_paper_width(o.width));
  start_offscreen_gui();
  TRY(const Scene scene,
      paper_figure(run, o.views.empty() ? "timeline" : o.views.front(), {width, o.beat}, stop));
  TRY(const std::string bytes, paper_bytes(scene, width, o.output, made_now({run}, "", "").date));
  TRY_VOID(write_output(bytes, o.output));
  return kExitDone;
}

Result<int> render(const RecordOptions& o, const std::stop_token& stop) {
  TRY_VOID(check_measured(o.measured));
  const bool page = o.format == "html" || o.output.ends_with(".html");
  if (!page) TRY_VOID(picture_format_of(o.output));
  TRY(const std::vector<RunPtr> runs, load_runs(o.db, {o.run}));
  if (o.measured.trace > 0 || std::ranges::find(o.views, kBesideView) != o.views.end())
    return render_measured(o, runs.front(), stop);
  if (page) {
    TRY(const std::string text, run_page(runs.front(), o.views, stop));
    TRY_VOID(write_output(text, o.output));
    return kExitDone;
  }
  if (o.views.size() > 1)
    return invalid("a picture is of one view", "--view", "say --format html for a page of several");
  if (o.figure) return render_figure(o, runs.front(), stop);
  TRY(const PictureSize size, parse_picture_size(o.size));
  TRY(const Scene scene,
      picture_of(runs.front(), o.views.empty() ? "timeline" : o.views.front(), size, o.beat, stop));
  TRY_VOID(write_picture(scene, o.output));
  note_file(o.output);
  return kExitDone;
}

Result<int> export_run(const RecordOptions& o) {
  TRY(const std::vector<RunPtr> runs, load_runs(o.db, {o.run}));
  if (o.format == "csv") {
    TRY_VOID(write_output(events_csv(*runs.front()), o.output));
  } else if (o.format == "jax") {
    TRY(const std::string source, shard_map_source(runs.front()->program, runs.front()->strategy));
    TRY_VOID(write_output(source, o.output));
  } else {
    TRY(const std::string trace, chrome_trace(*runs.front()));
    TRY_VOID(write_output(trace, o.output));
  }
  return kExitDone;
}

void add_measured_options(CLI::App& command, RecordOptions& o) {
  add_number(command, "--measured", o.measured.trace,
             "Number of a measured trace of the same workspace (`measure list`): how much longer "
             "than the run it takes, by operation and cause");
  add_number(command, "--step", o.measured.step, "Of a measured trace: its step (default: medians over all)");
}

}  // namespace

Command add_compare_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare recorded runs in a report: who wins and why, tables, pictures, how it was made");
  auto o = std::make_shared<RecordOptions>();
  command->add_option("--db", o->db, "Workspace file")->type_name(kWorkspaceFile)->required();
  command->add_option("--runs", o->runs, "Run numbers, as in 1,2,3");
  add_number(*command, "--run", o->run,
             "With --measured: the run that the trace belongs to (default: the first of --runs)");
  add_measured_options(*command, *o);
  command->add_flag("--json", o->json, "One JSON object on stdout: with --measured the differences");
  command
      ->add_option("--format", o->format,
                   join(report_format_ids(), ", ") +
                       " (default: by the file's ending, else md; with --measured alone a table on stdout)")
      ->check(CLI::IsMember(report_format_ids()));
  command->add_option("-o,--output", o->output, "File (default: stdout)")->type_name(kOutputFile);
  o->audience.add_to(*command);
  return [o](const std::stop_token& stop) { return compare(*o, stop); };
}

Command add_render_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("render", "Draw one view of a recorded run into a file");
  auto o = std::make_shared<RecordOptions>();
  command->add_option("--db", o->db, "Workspace file")->type_name(kWorkspaceFile)->required();
  add_number(*command, "--run", o->run, "Run number").required();
  command
      ->add_option("--view", o->views,
                   join(view_names(), ", ") +
                       ", beside with --measured (default: timeline); of a page any of them, as in ring,grid "
                       "(default: " +
                       join(page_views(), ",") + ")")
      ->delimiter(',');
  add_measured_options(*command, *o);
  command->add_option("--size", o->size, "Pixels of a picture, as in 1600x900");
  command
      ->add_flag("--figure", o->figure,
                 "For a paper: cropped, with a caption, without a playhead, fonts embedded")
      ->excludes("--size");
  command
      ->add_option("--width", o->width, "Width of the figure on paper, as in 85mm or 178mm (default: 178mm)")
      ->needs("--figure");
  command->add_option("--beat", o->beat,
                      "The step to show, as `story` numbers them (default: one that shows much)");
  command
      ->add_option("--format", o->format,
                   "html: a page that plays the run step by step, offline (default: by the file's ending)")
      ->check(CLI::IsMember({"html"}));
  command->add_option("-o,--output", o->output, "File ending in .png, .svg, .pdf or .html")
      ->type_name(kOutputFile)
      ->required();
  return [o](const std::stop_token& stop) { return render(*o, stop); };
}

Command add_export_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("export", "Write a recorded run for other tools: its events, or its program as JAX");
  auto o = std::make_shared<RecordOptions>();
  o->format = "chrome-trace";
  command->add_option("--db", o->db, "Workspace file")->type_name(kWorkspaceFile)->required();
  add_number(*command, "--run", o->run, "Run number").required();
  command
      ->add_option("--format", o->format,
                   "chrome-trace (Perfetto opens it), csv, or jax: the program as Python with shard_map")
      ->check(CLI::IsMember({"chrome-trace", "csv", "jax"}));
  command->add_option("-o,--output", o->output, "File (default: stdout)")->type_name(kOutputFile);
  return [o](std::stop_token) { return export_run(*o); };
}

}  // namespace shardscope::inline cli
