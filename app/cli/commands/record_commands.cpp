// SPDX-License-Identifier: Apache-2.0
// compare, render and export: what can be had from recorded runs.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <optional>

#include "app/cli/commands/commands.h"
#include "app/cli/options/record_options.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/cli/output/run_page.h"
#include "app/report/made_now.h"
#include "app/report/paper_figure.h"
#include "app/report/report_files.h"
#include "engine/base/text.h"
#include "engine/request/command_line.h"
#include "engine/session/price.h"
#include "engine/trace/workspace.h"
#include "views/draw/paint.h"
#include "views/scene/core/run_views.h"

namespace shardscope {
namespace {

struct RecordOptions {
  std::string db, runs, format, output, size = "1600x900";
  std::vector<std::string> views;
  int64_t run = 0;
  bool figure = false;
  std::string width = "178mm";
  std::optional<int32_t> beat;
};

Result<int> compare(const RecordOptions& o, const std::stop_token& stop) {
  TRY(const std::vector<int64_t> ids, parse_run_ids(o.runs));
  Comparison comparison;
  TRY(comparison.runs, load_runs(o.db, ids));
  for (RunPtr& run : comparison.runs) {
    TRY(run, with_price(run, stop));
  }
  comparison.title = fmt::format("Runs {} of {}", o.runs, o.db);
  if (o.format == "csv") {
    TRY_VOID(write_output(compare_csv(comparison), o.output));
    return kExitDone;
  }
  if (o.format == "pdf" && o.output.empty()) return invalid("a PDF needs a file", "-o", "say -o report.pdf");
  std::vector<std::string> words{"shardscope", "compare", "--db", o.db, "--runs", o.runs, "--format"};
  words.push_back(o.format);
  if (!o.output.empty()) words.insert(words.end(), {"-o", o.output});
  ReportTo to{o.output, o.format, shell_line(words), csv_command(o.db, comparison.runs)};
  TRY_VOID(write_report(std::move(comparison), to, stop));
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
  TRY(const std::vector<RunPtr> runs, load_runs(o.db, {o.run}));
  if (o.format == "html" || o.output.ends_with(".html")) {
    TRY(const std::string page, run_page(runs.front(), o.views, stop));
    TRY_VOID(write_output(page, o.output));
    return kExitDone;
  }
  if (o.views.size() > 1)
    return invalid("a picture is of one view", "--view", "say --format html for a page of several");
  if (o.figure) return render_figure(o, runs.front(), stop);
  TRY(const PictureSize size, parse_picture_size(o.size));
  TRY(const Scene scene,
      picture_of(runs.front(), o.views.empty() ? "timeline" : o.views.front(), size, o.beat, stop));
  TRY_VOID(write_picture(scene, o.output));
  return kExitDone;
}

Result<int> export_run(const RecordOptions& o) {
  TRY(const std::vector<RunPtr> runs, load_runs(o.db, {o.run}));
  if (o.format == "csv") {
    TRY_VOID(write_output(events_csv(*runs.front()), o.output));
  } else {
    TRY(const std::string trace, chrome_trace(*runs.front()));
    TRY_VOID(write_output(trace, o.output));
  }
  return kExitDone;
}

}  // namespace

Command add_compare_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "compare", "Compare recorded runs in a report: who wins and why, tables, pictures, how it was made");
  auto o = std::make_shared<RecordOptions>();
  o->format = "md";
  command->add_option("--db", o->db, "Workspace file")->required();
  command->add_option("--runs", o->runs, "Run numbers, as in 1,2,3")->required();
  command->add_option("--format", o->format, join(report_format_ids(), ", ") + " (default md)")
      ->check(CLI::IsMember(report_format_ids()));
  command->add_option("-o,--output", o->output, "File (default: stdout)");
  return [o](const std::stop_token& stop) { return compare(*o, stop); };
}

Command add_render_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("render", "Draw one view of a recorded run into a file");
  auto o = std::make_shared<RecordOptions>();
  command->add_option("--db", o->db, "Workspace file")->required();
  command->add_option("--run", o->run, "Run number")->required();
  command
      ->add_option("--view", o->views,
                   join(view_names(), ", ") +
                       " (default timeline); of a page any of them, as in ring,grid "
                       "(default " +
                       join(page_views(), ",") + ")")
      ->delimiter(',');
  command->add_option("--size", o->size, "Pixels of a picture, as in 1600x900");
  command->add_flag("--figure", o->figure,
                    "For a paper: cut to what it shows, with a caption, without a playhead, fonts inside");
  command->add_option("--width", o->width, "Of a figure on paper, as in 85mm or 178mm (default 178mm)");
  command->add_option("--beat", o->beat, "The beat to show, as `story` counts them (default: a telling one)");
  command
      ->add_option("--format", o->format,
                   "html: a page that plays the run beat by beat, offline (default: by the file's ending)")
      ->check(CLI::IsMember({"html"}));
  command->add_option("-o,--output", o->output, "File ending in .png, .svg, .pdf or .html")->required();
  return [o](const std::stop_token& stop) { return render(*o, stop); };
}

Command add_export_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "Write a recorded run's events for other tools");
  auto o = std::make_shared<RecordOptions>();
  o->format = "chrome-trace";
  command->add_option("--db", o->db, "Workspace file")->required();
  command->add_option("--run", o->run, "Run number")->required();
  command->add_option("--format", o->format, "chrome-trace (Perfetto opens it) or csv")
      ->check(CLI::IsMember({"chrome-trace", "csv"}));
  command->add_option("-o,--output", o->output, "File (default: stdout)");
  return [o](std::stop_token) { return export_run(*o); };
}

}  // namespace shardscope
