// SPDX-License-Identifier: Apache-2.0
// Every row of the table of fields that a form has, through the window.
#include <QApplication>

#include "app/window/experiment/options_form.h"
#include "app/window/experiment/problem_form.h"
#include "engine/session/session.h"
#include "tests/engine/request/every_field.h"

namespace shardscope::fields_test {
namespace {

// What a person does in a row: chooses a word or types a text.
void fill_in(FieldRows& rows, const Field& field, const std::string& text) {
  const QString value = QString::fromStdString(text);
  if (QComboBox* list = rows.list(field.key)) {
    list->setCurrentText(value);
    Q_EMIT list->activated(list->currentIndex());
    return;
  }
  QLineEdit* line = rows.line(field.key);
  line->setText(value);
  line->setModified(true);
  Q_EMIT line->editingFinished();
}

TEST(FormFields, EveryRowPutsItsValueIntoTheExperimentAndShowsIt) {
  for (const Field& field : fields()) {
    if (!field.has(kRow)) continue;
    ExperimentDocument document;
    Experiment e = plain_experiment();
    for (const Strategy& strategy : strategies())
      if (strategy.kind != StrategyKind::broken) e.runs.push_back({.strategy = std::string(strategy.id)});
    document.open(e);
    ProblemForm problem(document);
    OptionsForm options(document);
    FieldRows& rows = field.scope == Scope::problem ? *problem.rows() : *options.rows();
    fill_in(rows, field, other_text(field));
    EXPECT_EQ(rows.error(), "") << field.key;
    EXPECT_EQ(shown_text(field, document.experiment()), other_text(field)) << field.key;
    EXPECT_EQ(document.experiment(), with_text(field, e, other_text(field)).value()) << field.key;
    EXPECT_NE(document.experiment(), e) << field.key;
    for (const RunRequest& run : document.experiment().runs) {
      if (field.scope != Scope::run) break;
      const bool read = reads(**find_strategy(run.strategy), field);
      EXPECT_TRUE(read || field.run->print(run).empty()) << run.strategy << " does not read " << field.key;
    }
    document.undoStack().undo();
    EXPECT_EQ(document.experiment(), e) << field.key;
  }
}

TEST(FormFields, ARefusedValueStaysMarkedWithItsReason) {
  ExperimentDocument document;
  document.open(plain_experiment());
  ProblemForm problem(document);
  fill_in(*problem.rows(), *find_field("m"), "-3");
  EXPECT_TRUE(problem.error().contains("at least 1"));
  EXPECT_EQ(problem.size(0)->text(), "-3");
  EXPECT_TRUE(problem.size(0)->property("invalid").toBool());
  EXPECT_EQ(document.experiment(), plain_experiment());
  fill_in(*problem.rows(), *find_field("seed"), "18446744073709551615");
  EXPECT_EQ(document.experiment().seed, UINT64_MAX);
}

}  // namespace
}  // namespace shardscope::fields_test
