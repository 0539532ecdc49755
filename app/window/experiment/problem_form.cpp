// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/problem_form.h"

#include <QVBoxLayout>
#include <array>

namespace shardscope::inline window {

ProblemForm::ProblemForm(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent), document_(document), rows_(new FieldRows(document, {Scope::problem}, 3, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(rows_);
  connect(&document_, &ExperimentDocument::changed, this, &ProblemForm::offerSums);
  offerSums();
}

QLineEdit* ProblemForm::size(int which) {
  constexpr std::array kSizes{"m", "k", "n"};
  return rows_->line(kSizes[static_cast<size_t>(which)]);
}

// Only types whose sums are wider than themselves have a choice of what sums are kept in, and only those
// whose sums are wider than their results of what they are sent in.
void ProblemForm::offerSums() {
  const MatmulProblem& problem = document_.experiment().problem;
  QComboBox* sums = rows_->list("accumulate");
  const bool choice = default_accumulate(problem.dtype) == ElementType::f32 && bits(problem.dtype) < 32;
  sums->clear();
  if (choice) {
    sums->addItems({"f32", "bf16"});
  } else {
    sums->addItem(name(problem.accumulate));
  }
  sums->setCurrentText(name(problem.accumulate));
  sums->setEnabled(choice);
  MatmulProblem rounded = problem;
  rounded.sum = SumType::result;
  rows_->list("sum-dtype")->setEnabled(travelling_type(rounded) != accumulation_type(problem));
}

}  // namespace shardscope::inline window
