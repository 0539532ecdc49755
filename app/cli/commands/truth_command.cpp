// SPDX-License-Identifier: Apache-2.0
// truth: every measured point and module beside what the model says.
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/answer.h"
#include "app/cli/output/output.h"
#include "engine/measure/point_truth.h"
#include "engine/report/truth_report.h"
#include "engine/session/truth/module_truth.h"

namespace shardscope::inline cli {
namespace {

struct TruthOptions {
  std::string points, modules;
  AnswerOptions answer;
};

Result<Truth> truth(const TruthOptions& o, const std::stop_token& stop) {
  std::vector<MeasuredPoint> points = published_points();
  if (!o.points.empty()) {
    TRY(const std::vector<MeasuredPoint> more, read_points(o.points));
    points.insert(points.end(), more.begin(), more.end());
  }
  TRY(std::vector<MeasuredModule> modules, shipped_modules());
  if (!o.modules.empty()) {
    TRY(const std::vector<MeasuredModule> more, read_measured_modules(o.modules));
    modules.insert(modules.end(), more.begin(), more.end());
  }
  TRY(std::vector<TruthPoint> out, truth_of_points(points, 0, stop));
  TRY(const std::vector<TruthPoint> timed, truth_of_modules(modules, stop));
  out.insert(out.end(), timed.begin(), timed.end());
  return truth_of(std::move(out));
}

Result<int> run(const TruthOptions& o, const std::stop_token& stop) {
  TRY(const AnswerForm form, answer_form(o.answer));
  TRY(const Truth all, truth(o, stop));
  TRY_VOID(write_answer(o.answer, form,
                        form == AnswerForm::page   ? truth_page(all)
                        : form == AnswerForm::json ? truth_json(all)
                                                   : truth_text(all)));
  return kExitDone;
}

}  // namespace

Command add_truth_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "truth",
      "Every measured point and module that is shipped beside what the model says, by chip and kind");
  auto o = std::make_shared<TruthOptions>();
  command->add_option("--points", o->points, "Points of one's own, with the columns of calibrate's file")
      ->type_name(kInputFile);
  command
      ->add_option("--modules", o->modules,
                   "A folder of NAME/compiled.hlo or NAME/stablehlo.mlir, with a times.csv of the columns "
                   "module,chip,measured_us")
      ->type_name(kInputFolder);
  add_answer_options(*command, o->answer, "One JSON object on stdout");
  return [o](const std::stop_token& stop) { return run(*o, stop); };
}

}  // namespace shardscope::inline cli
