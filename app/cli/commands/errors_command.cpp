// SPDX-License-Identifier: Apache-2.0
// errors: how the error of a sum grows with its length, by where it is rounded.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/common_options.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "engine/numerics/check/error_growth.h"
#include "engine/report/error_growth_text.h"
#include "views/draw/paint.h"
#include "views/draw/picture_name.h"

namespace shardscope::inline cli {
namespace {

struct ErrorsOptions {
  std::string k = "16..16384", size = "1200x700", output;
  uint64_t seed = 0;
  int threads = 0;
  bool json = false;
};

Result<int> run(const ErrorsOptions& o, std::stop_token stop) {
  TRY(const std::vector<int64_t> ks, parse_growth_lengths(o.k));
  TRY(const PictureSize size, parse_picture_size(o.size));
  if (!o.output.empty()) TRY_VOID(picture_format_of(o.output));
  TRY(const ErrorGrowth growth, measure_error_growth(ks, o.seed, Workers(o.threads), stop));
  TRY_VOID(print_text(o.json ? error_growth_json(growth) : error_growth_text(growth)));
  if (o.output.empty()) return kExitDone;
  start_offscreen_gui();
  TRY_VOID(write_picture(layout_error_growth(growth, {size.width, size.height, light_theme(), measure_text}),
                         o.output));
  return kExitDone;
}

}  // namespace

Command add_errors_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "errors", "Measure how the error of a sum grows with its length, by accumulation mode");
  auto o = std::make_shared<ErrorsOptions>();
  command->add_option("--k", o->k, "Lengths: powers of two as in 16..16384, or a list (default: 16..16384)");
  command->add_option("--seed", o->seed, "Seed of the data (default: 0)");
  add_threads(*command, o->threads);
  command->add_flag("--json", o->json, "One JSON object on stdout");
  command->add_option("--size", o->size, "Pixels of the chart, as in 1200x700");
  command->add_option("-o,--output", o->output, "Draw the chart into a file ending in .png, .svg or .pdf")
      ->type_name(kOutputFile);
  return [o](std::stop_token stop) { return run(*o, std::move(stop)); };
}

}  // namespace shardscope::inline cli
