// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/study_docks.h"

namespace shardscope {
namespace {

// What a tuner or a sweep timed is as large as the model: its numbers are not computed along with it.
void open_and_run(const Context& c, const Experiment& experiment) {
  c.bench.openExperiment(experiment);
  c.bench.setNumerics(false);
  c.bench.runAll();
  c.say("Timed only: Run > Check numerics computes the numbers too.", 8000);
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
      c.saveText("Export crossovers", "crossover.csv", "Tables (*.csv)", crossover->csv());
  });
  QObject::connect(crossover, &CrossoverPanel::htmlRequested, crossover, [c, crossover] {
    if (crossover->result())
      c.saveText("Export crossovers", "crossover.html", "Reports (*.html)", crossover->html());
  });
  return crossover;
}

}  // namespace shardscope
