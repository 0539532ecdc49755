// SPDX-License-Identifier: Apache-2.0
// beside: a profile beside the simulation of the modules that it ran.
#include <CLI/CLI.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/option_rules.h"
#include "app/cli/output/answer.h"
#include "app/cli/output/output.h"
#include "app/cli/output/pictures.h"
#include "app/cli/output/progress_line.h"
#include "engine/session/profile/profile_beside.h"
#include "views/draw/paint.h"

namespace shardscope::inline cli {
namespace {

struct BesideOptions {
  ProfileRequest request;
  AnswerOptions answer;
};

constexpr PictureSize kPicture{1280, 480};

// Of the module that takes the longest.
Result<std::vector<BesidePicture>> pictures_of(const ProfileBeside& beside, const std::stop_token& stop) {
  std::vector<BesidePicture> out;
  if (beside.runs.empty()) return out;
  start_offscreen_gui();
  for (const auto& [view, caption] :
       {std::pair("memory", "Memory over the program as simulated, and what holds its peak"),
        std::pair("roofline", "Roofline of the program as simulated")}) {
    TRY(const Scene scene, picture_of(beside.runs.front(), view, kPicture, std::nullopt, stop));
    out.push_back({to_svg(scene), caption});
  }
  return out;
}

Result<int> run(const BesideOptions& o, const std::stop_token& stop) {
  TRY(const AnswerForm form, answer_form(o.answer));
  ProfileRequest request = o.request;
  const ProgressLine line(!o.answer.json);
  request.progress = line.shower();
  Result<ProfileBeside> beside = beside_profile(request, stop);
  line.clear();
  if (!beside.ok()) return beside.error();
  if (form != AnswerForm::page) {
    TRY_VOID(
        write_answer(o.answer, form, form == AnswerForm::json ? beside_json(*beside) : beside_text(*beside)));
    return kExitDone;
  }
  TRY(const std::vector<BesidePicture> pictures, pictures_of(*beside, stop));
  TRY_VOID(write_answer(o.answer, form, beside_page(*beside, pictures)));
  return kExitDone;
}

}  // namespace

Command add_beside_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "beside",
      "A profile of a real run beside the simulation of its modules: where a step's time goes, what each "
      "instruction takes and takes longer than simulated, what would help");
  auto o = std::make_shared<BesideOptions>();
  command
      ->add_option("files", o->request.files,
                   "The profile's files, one for each host or rank of the run: xplane.pb or trace.json.gz of "
                   "JAX, traces of PyTorch, SQLite exports of Nsight Systems; or the folder that a profiler "
                   "wrote into: its newest profile")
      ->type_name(kInputFile)
      ->required();
  command
      ->add_option("--hlo", o->request.hlo_file,
                   "The compiled module that was run (default: those that the profile holds)")
      ->type_name(kInputFile);
  command->add_option("--hardware", o->request.hardware,
                      "Chip to simulate on (default: the one that the profile names)");
  add_answer_options(*command, o->answer, "One JSON object on stdout, in seconds a step");
  return [o](const std::stop_token& stop) { return run(*o, stop); };
}

}  // namespace shardscope::inline cli
