// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/commands/hlo_commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/cli/output/terminal.h"
#include "engine/base/text.h"
#include "engine/run/run.h"
#include "engine/session/gradient_check.h"
#include "views/draw/paint.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline cli {
namespace {

struct GradOptions : HloOptions {
  std::string of, by, remat = "none", output, picture;
  uint64_t seed = 0;
};

// Where a gradient is other than that of automatic differentiation: of those that are, the first.
Result<void> draw_difference(const std::vector<GradientDifference>& checks, const std::string& path) {
  if (checks.empty())
    return invalid("no operation of the module has a NAME.backward to look at", "--picture", "leave it out");
  const auto wrong = std::ranges::find_if(checks, [](const GradientDifference& c) { return c.other > 0; });
  const GradientDifference& shown = wrong == checks.end() ? checks.front() : *wrong;
  auto run = std::make_shared<Run>();
  run->numerics = shown.numbers;
  start_offscreen_gui();
  const std::unique_ptr<TraceSource> trace = memory_trace(run);
  const PictureSize size;
  const Scene scene = layout_numerics({*run, *trace}, {size.width, size.height, light_theme(), measure_text});
  return write_picture(scene, path);
}

Result<int> write_gradient(const GradOptions& options, std::stop_token stop) {
  GradRequest request{options.of, split(options.by, ',')};
  if (!options.picture.empty()) TRY_VOID(picture_format_of(options.picture));
  TRY(request.remat, parse_remat(options.remat));
  TRY(const Program module, read_module(options, stop));
  request.stop = stop;
  const Workers workers;
  TRY(const auto checks, check_backwards(module, request, options.seed, workers));
  TRY(const Program made, gradient(module, request));
  TRY_VOID(write_output(print_program(made), options.output));
  for (const GradientDifference& check : checks)
    if (check.other == 0)
      note(check.text());
    else  // of what is wrong nobody is spared
      std::fputs(marked_line("note", check.text()).c_str(), stderr);
  if (!options.picture.empty()) TRY_VOID(draw_difference(checks, options.picture));
  const bool equal = std::ranges::all_of(checks, [](const GradientDifference& c) { return c.other == 0; });
  return equal ? kExitDone : kExitWrongNumbers;
}

}  // namespace

Command add_hlo_grad_command(CLI::App& hlo) {
  CLI::App* command = hlo.add_subcommand("grad", "Write the module of a gradient (reverse mode)");
  auto options = std::make_shared<GradOptions>();
  add_hlo_file(*command, *options);
  command
      ->add_option(
          "--of", options->of,
          "A result by its number, or an instruction of the entry; where it is no scalar its cotangent "
          "is a parameter more, NAME.bar")
      ->type_name("OUT")
      ->required();
  command->add_option("--by", options->by, "Parameters by name or number, separated by commas")
      ->type_name("ARG[,ARG…]")
      ->required();
  command->add_option("--remat", options->remat,
                      "What the backward pass computes again: none, all but the results of products, or all: "
                      "none, dots or all (default: none)");
  command->add_option("-o,--output,--out", options->output, "A file of HLO (default: stdout)")
      ->type_name(kOutputFile);
  command->add_option(
      "--seed", options->seed,
      "Seed of the arguments on which NAME.backward is compared with automatic differentiation (default: 0)");
  command
      ->add_option("--picture", options->picture,
                   "Draw where a gradient by NAME.backward differs, and by how much: a .png, .svg or .pdf")
      ->type_name(kOutputFile);
  add_quiet(*command, *options);
  return
      [options](std::stop_token stop) { return at_its_line(*options, write_gradient(*options, stop), stop); };
}

}  // namespace shardscope::inline cli
