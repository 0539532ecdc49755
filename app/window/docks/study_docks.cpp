// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/study_docks.h"

#include "app/window/docks/dock_area.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/document/language.h"
#include "app/window/experiment/chip_form.h"

namespace shardscope::inline window {
namespace {

// What a tuner or a sweep timed is as large as the model: its numbers are not computed along with it.
void open_and_run(const Context& c, const Experiment& experiment) {
  c.bench.openExperiment(experiment);
  c.bench.state().setNumerics(false);
  c.bench.runAll();
  c.say("Timed only: Run > Check numerics computes the numbers too."_tr, 8000);
}

void open_rows_of(StudyPanel& study, const Context& c) {
  QObject::connect(&study, &StudyPanel::openRequested, &study,
                   [c](const Experiment& experiment) { open_and_run(c, experiment); });
}

}  // namespace

TunerPanel* make_tuner(const Context& c) {
  auto* tuner = new TunerPanel(c.bench.document(), &c.window);
  open_rows_of(*tuner, c);
  return tuner;
}

CrossoverPanel* make_crossover(const Context& c) {
  auto* crossover = new CrossoverPanel(c.bench.document(), &c.window);
  open_rows_of(*crossover, c);
  QObject::connect(crossover, &CrossoverPanel::csvRequested, crossover, [c, crossover] {
    if (crossover->result())
      c.saveText("Export crossovers"_tr, "crossover.csv", "Tables (*.csv)"_tr, crossover->csv());
  });
  QObject::connect(crossover, &CrossoverPanel::htmlRequested, crossover, [c, crossover] {
    if (crossover->result())
      c.saveText("Export crossovers"_tr, "crossover.html", "Reports (*.html)"_tr, crossover->html());
  });
  return crossover;
}

CalibrationPanel* make_calibration(const Context& c) {
  auto* calibration = new CalibrationPanel(c.bench.document(), &c.window);
  QObject::connect(calibration, &CalibrationPanel::saveRequested, calibration, [c](const Hardware& chip) {
    c.saveText("Save chip"_tr, QString::fromStdString(chip.name) + ".toml", "Hardware files (*.toml)"_tr,
               QString::fromStdString(hardware_toml(chip)));
  });
  QObject::connect(calibration, &CalibrationPanel::useRequested, calibration, [c](const Hardware& chip) {
    const auto path = keep_chip(chip);
    if (!path.ok()) return c.report(path.error());
    Experiment experiment = c.bench.document().experiment();
    experiment.hardware = path->toStdString();
    c.bench.document().change(experiment, "calibrated chip "_tr + QString::fromStdString(chip.name));
    c.say("The experiment runs on the calibrated chip."_tr, 8000);
  });
  return calibration;
}

AtlasPanel* make_atlas_panel(const Context& c) {
  auto* atlas = new AtlasPanel(&c.window);
  QObject::connect(atlas, &AtlasPanel::moduleRequested, atlas, [c](const QString& text, const QString& name) {
    if (!may_leave_module(c)) return;
    c.docks.go("hlo");
    hlo_of(c).file().openText(text, name);
  });
  return atlas;
}

}  // namespace shardscope::inline window
