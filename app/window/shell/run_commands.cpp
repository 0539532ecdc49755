// SPDX-License-Identifier: Apache-2.0
// Commands that run things, and that step through what ran.
#include <QApplication>
#include <QClipboard>

#include "app/window/docks/dock_area.h"
#include "app/window/docks/edit_chip.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/document/language.h"
#include "app/window/runs/beside_panel.h"
#include "app/window/shell/commands.h"
#include "engine/request/command_line.h"
#include "engine/session/hlo_presets.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kRun = to_say("&Run");
constexpr const char* kModule = to_say("&Run/&HLO module");

bool idle(const Context& c) {
  return !c.bench.jobs().running();
}

// The selected strategy, else the experiment's first; none where it asks for all of them.
std::optional<RunRequest> request_to_run(const Context& c) {
  if (auto request = c.docks.widget<ExperimentForm>("experiment")->strategies()->current()) return request;
  const std::vector<RunRequest>& runs = c.bench.document().experiment().runs;
  return runs.empty() ? std::nullopt : std::optional(runs.front());
}

void run_one(const Context& c) {
  if (const auto request = request_to_run(c)) return c.bench.run(*request);
  c.say("Select a strategy in the list first, or run all of them."_tr, 6000);
}

QString name_of_run(const Context& c) {
  const auto request = request_to_run(c);
  return request ? "Run %1"_tr.arg(QString::fromStdString(request->strategy)) : "Run"_tr;
}

void switch_overlap(const Context& c) {
  Experiment e = c.bench.document().experiment();
  e.overlap = !e.overlap;
  c.bench.document().change(e, "overlap");
}

void copy_command(const Context& c) {
  const ShownRunPtr& shown = c.bench.clock().shown();
  if (!shown) return c.say("There is no run yet."_tr, 6000);
  if (shown->run->module) return c.say("Run the module from its file: shardscope hlo run FILE"_tr, 6000);
  QApplication::clipboard()->setText(QString::fromStdString(run_command(*shown->run)));
}

std::vector<Command> step_commands() {
  return {
      {.id = "step.first",
       .menu = kRun,
       .title = "Before the first step"_tr,
       .keys = {QKeySequence("Ctrl+Home")},
       .run = [](const Context& c) { c.transport.front().goTo(0); },
       .icon = "first",
       .line = true},
      {.id = "step.previous",
       .menu = kRun,
       .title = "Previous step"_tr,
       .keys = {QKeySequence("Ctrl+Left")},
       .run = [](const Context& c) { c.transport.front().stepBy(-1); },
       .icon = "previous"},
      {.id = "step.play",
       .menu = kRun,
       .title = "Play"_tr,
       .keys = {QKeySequence("Ctrl+Space")},
       .run = [](const Context& c) { c.transport.front().play(!c.transport.front().playing()); },
       .icon = "play",
       .on = [](const Context& c) { return c.transport.front().playing(); },
       .on_title = "Pause"_tr,
       .on_icon = "pause"},
      {.id = "step.next",
       .menu = kRun,
       .title = "Next step"_tr,
       .keys = {QKeySequence("Ctrl+Right")},
       .run = [](const Context& c) { c.transport.front().stepBy(1); },
       .icon = "next"},
      {.id = "step.last",
       .menu = kRun,
       .title = "Last step"_tr,
       .keys = {QKeySequence("Ctrl+End")},
       .run = [](const Context& c) { c.transport.front().goTo(c.transport.front().last()); },
       .icon = "last"},
      {.id = "step.in_time",
       .menu = kRun,
       .title = "Play in proportion to &time"_tr,
       .keys = {QKeySequence("Ctrl+Shift+Space")},
       .run = [](const Context& c) { c.preferences.setPlaysInTime(!c.preferences.playsInTime()); },
       .tip = "Play in proportion to time; off: a step a second"_tr,
       .icon = "in-time",
       .can = [](const Context& c) { return c.transport.front().timed(); },
       .on = [](const Context& c) { return c.preferences.playsInTime(); }},
  };
}

std::vector<Command> start_commands() {
  return {
      {.id = "run.all",
       .menu = kRun,
       .title = "Run all"_tr,
       .keys = {QKeySequence("Ctrl+R")},
       .run = [](const Context& c) { c.bench.runAll(); },
       .icon = "run-all",
       .can = idle},
      {.id = "run.one",
       .menu = kRun,
       .title = "Run"_tr,
       .keys = {QKeySequence("Ctrl+Shift+R")},
       .run = run_one,
       .tip = "Run the strategy that is selected in the list or whose run is shown"_tr,
       .icon = "run",
       .can = idle,
       .name = name_of_run},
      {.id = "run.real",
       .menu = kRun,
       .title = "Run &for real"_tr,
       .run =
           [](const Context& c) {
             c.docks.go("beside");
             c.docks.widget<BesidePanel>("beside")->runForReal();
           },
       .tip =
           "The shown run by MPI in processes of this machine: what it takes here, below what is simulated"_tr,
       .can = [](const Context& c) { return c.bench.clock().shown() != nullptr; }},
      {.id = "tuner.show",
       .menu = kRun,
       .title = "&Tune mesh and strategies"_tr,
       .keys = {QKeySequence("Ctrl+T")},
       .run = [](const Context& c) { c.docks.go("tuner"); }},
      {.id = "crossover.show",
       .menu = kRun,
       .title = "S&weep over a range"_tr,
       .keys = {QKeySequence("Ctrl+Shift+W")},
       .run = [](const Context& c) { c.docks.go("crossover"); }},
      {.id = "calibration.show",
       .menu = kRun,
       .title = "Ca&librate a chip"_tr,
       .run = [](const Context& c) { c.docks.go("calibration"); },
       .tip = "Fit a chip's numbers to measured times, and see how near they come"_tr},
  };
}

std::vector<Command> setting_commands() {
  return {
      {.id = "run.copy_command",
       .menu = kRun,
       .title = "Copy the shown run as a comma&nd"_tr,
       .run = copy_command},
      {.id = "run.cancel",
       .menu = kRun,
       .title = "Cancel"_tr,
       .keys = {QKeySequence("Ctrl+.")},
       .run = [](const Context& c) { idle(c) ? c.bench.presenter().stop() : c.bench.jobs().cancel(); },
       .icon = "cancel",
       .can = [](const Context& c) { return !idle(c) || c.bench.presenter().reading(); }},
      {.id = "run.numerics",
       .menu = kRun,
       .title = "Check &numerics"_tr,
       .run = [](const Context& c) { c.bench.state().setNumerics(!c.bench.state().numerics()); },
       .on = [](const Context& c) { return c.bench.state().numerics(); },
       .line = true},
      {.id = "run.overlap",
       .menu = kRun,
       .title = "Overlap"_tr,
       .run = switch_overlap,
       .tip = "Let communication run while computing; off shows what overlap buys"_tr,
       .on = [](const Context& c) { return c.bench.document().experiment().overlap; }},
  };
}

std::vector<Command> module_presets() {
  std::vector<Command> rows;
  for (const HloPreset& preset : hlo_presets()) {
    const QString name = QString::fromStdString(preset.name);
    rows.push_back({.id = "hlo.preset." + name,
                    .menu = to_say("&Run/&HLO module/&Built-in modules"),
                    .title = "HLO: "_tr + name,
                    .run =
                        [name](const Context& c) {
                          if (!may_leave_module(c)) return;
                          c.docks.go("hlo");
                          hlo_of(c).openPreset(name);
                        },
                    .tip = QString::fromStdString(preset.title)});
  }
  return rows;
}

std::vector<Command> module_commands() {
  return {
      {.id = "hlo.paste",
       .menu = kModule,
       .title = "&Paste an HLO module"_tr,
       .keys = {QKeySequence("Ctrl+Shift+V")},
       .run =
           [](const Context& c) {
             if (!may_leave_module(c)) return;
             c.docks.go("hlo");
             hlo_of(c).paste();
           }},
      {.id = "hlo.run",
       .menu = kModule,
       .title = "Run and pro&ve the HLO module"_tr,
       .keys = {QKeySequence("Ctrl+Shift+H")},
       .run =
           [](const Context& c) {
             c.docks.go("hlo");
             hlo_of(c).run();
           }},
      {.id = "hlo.save_as",
       .menu = kModule,
       .title = "Save the &module as…"_tr,
       .run = save_module_as,
       .can = has_module},
      {.id = "hlo.find",
       .menu = kModule,
       .title = "&Search in the module's texts"_tr,
       .keys = {QKeySequence("Ctrl+Alt+F")},
       .run =
           [](const Context& c) {
             c.docks.go("hlo");
             hlo_of(c).find();
           },
       .tip = "In the module or the partitioned program, whichever has the focus"_tr},
      {.id = "hlo.diff",
       .menu = kModule,
       .title = "Com&pare the module with…"_tr,
       .run = compare_module,
       .tip = "What it does differently from its partitioned program, from what it was, a built-in one or a "
              "file"_tr,
       .can = has_module},
  };
}

std::vector<Command> module_export_commands() {
  return {
      {.id = "hlo.copy",
       .menu = kModule,
       .title = "&Copy the partitioned program"_tr,
       .run = [](const Context& c) { QApplication::clipboard()->setText(hlo_of(c).partitionedText()); }},
      {.id = "hlo.save",
       .menu = kModule,
       .title = "&Save the partitioned program…"_tr,
       .run = save_partitioned},
      {.id = "hlo.stages",
       .menu = kModule,
       .title = "Save the module's s&tages as HTML…"_tr,
       .run = export_stages},
      {.id = "hlo.jax",
       .menu = kModule,
       .title = "Save the module as &JAX code…"_tr,
       .run = export_jax_of_module},
      {.id = "hlo.export",
       .menu = kModule,
       .title = "&Export the HLO module's collectives…"_tr,
       .run = export_collectives},
  };
}

}  // namespace

std::vector<Command> run_commands() {
  std::vector<Command> rows;
  for (const auto& part : {start_commands(), module_presets(), module_commands(), module_export_commands(),
                           setting_commands(), step_commands()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace shardscope::inline window
