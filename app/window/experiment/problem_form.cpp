// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/problem_form.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QStyle>
#include <QVBoxLayout>

#include "engine/base/text.h"

namespace shardscope {
namespace {

constexpr std::array kSizeNames{"m", "k", "n"};

void mark_invalid(QLineEdit* edit, bool invalid) {
  if (edit->property("invalid").toBool() == invalid) return;
  edit->setProperty("invalid", invalid);
  edit->style()->unpolish(edit);
  edit->style()->polish(edit);
}

QLabel* muted_label(const QString& text) {
  auto* label = new QLabel(text);
  label->setProperty("role", "muted");
  return label;
}

}  // namespace

ProblemForm::ProblemForm(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      sizes_{},
      dtype_(new QComboBox(this)),
      accumulate_(new QComboBox(this)),
      fill_(new QComboBox(this)),
      seed_(new QLineEdit(this)),
      error_(new QLabel(this)) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(6);
  for (int i = 0; i < 3; ++i) {
    auto* edit = new QLineEdit(this);
    edit->setAccessibleName(kSizeNames[static_cast<size_t>(i)]);
    edit->setAlignment(Qt::AlignRight);
    sizes_[static_cast<size_t>(i)] = edit;
    grid->addWidget(muted_label(kSizeNames[static_cast<size_t>(i)]), 0, i);
    grid->addWidget(edit, 1, i);
    connect(edit, &QLineEdit::editingFinished, this, &ProblemForm::writeDocument);
  }
  for (const ElementType dtype : problem_types()) dtype_->addItem(name(dtype));
  accumulate_->addItems({"f32", "bf16"});
  for (const Fill fill : kFills) fill_->addItem(name(fill));
  dtype_->setAccessibleName("Element type");
  accumulate_->setAccessibleName("Accumulate in");
  fill_->setAccessibleName("Fill");
  seed_->setAccessibleName("Seed");
  seed_->setAlignment(Qt::AlignRight);
  fill_->setToolTip(
      "integers: every partial sum is exact, so results must equal the reference bit for bit\nnormal: "
      "N(0,1)\n"
      "arange: 0, 1, 2, …\njax: jax.random.normal of two keys split from jax.random.key(seed), bit for bit");
  grid->addWidget(muted_label("dtype"), 2, 0);
  grid->addWidget(muted_label("accumulate"), 2, 1);
  grid->addWidget(muted_label("fill"), 2, 2);
  grid->addWidget(dtype_, 3, 0);
  grid->addWidget(accumulate_, 3, 1);
  grid->addWidget(fill_, 3, 2);
  auto* seed_row = new QHBoxLayout;
  seed_row->addWidget(muted_label("seed"));
  seed_row->addWidget(seed_);
  error_->setProperty("role", "warning");
  error_->setWordWrap(true);
  error_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(grid);
  layout->addLayout(seed_row);
  layout->addWidget(error_);
  for (QComboBox* box : {dtype_, accumulate_, fill_}) {
    box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(box, &QComboBox::activated, this, &ProblemForm::writeDocument);
  }
  connect(seed_, &QLineEdit::editingFinished, this, &ProblemForm::writeDocument);
  connect(&document_, &ExperimentDocument::changed, this, &ProblemForm::readDocument);
  readDocument();
}

void ProblemForm::readDocument() {
  reading_ = true;
  const Experiment& e = document_.experiment();
  const std::array<int64_t, 3> values{e.problem.m, e.problem.k, e.problem.n};
  for (size_t i = 0; i < 3; ++i) {
    sizes_[i]->setText(QString::number(values[i]));
    mark_invalid(sizes_[i], false);
  }
  dtype_->setCurrentText(name(e.problem.dtype));
  accumulate_->setCurrentText(e.problem.accumulate == ElementType::bf16 ? "bf16" : "f32");
  const bool narrow = is_narrow(e.problem.dtype);
  accumulate_->setEnabled(narrow);
  accumulate_->setToolTip(narrow ? "The type that partial sums are kept in"
                                 : "Only floats narrower than f32 have a choice");
  fill_->setCurrentText(name(e.fill));
  seed_->setText(QString::number(e.seed));
  mark_invalid(seed_, false);
  error_->clear();
  error_->hide();
  reading_ = false;
}

void ProblemForm::writeDocument() {
  if (reading_) return;
  Experiment e = document_.experiment();
  const std::array<int64_t*, 3> targets{&e.problem.m, &e.problem.k, &e.problem.n};
  QString reason;
  for (size_t i = 0; i < 3; ++i) {
    const auto value = parse_int(sizes_[i]->text().trimmed().remove(',').toStdString());
    const bool good = value && *value > 0;
    mark_invalid(sizes_[i], !good);
    if (good) {
      *targets[i] = *value;
    } else {
      reason = QString("%1: got '%2', expected a whole number above 0").arg(kSizeNames[i], sizes_[i]->text());
    }
  }
  const auto seed = parse_int(seed_->text().trimmed().toStdString());
  mark_invalid(seed_, !seed || *seed < 0);
  if (!seed || *seed < 0) {
    reason = QString("seed: got '%1', expected a whole number").arg(seed_->text());
  } else {
    e.seed = static_cast<uint64_t>(*seed);
  }
  e.problem.dtype = parse_element_type(dtype_->currentText().toStdString()).value_or(ElementType::f32);
  const bool narrow = is_narrow(e.problem.dtype);
  e.problem.accumulate = !narrow                                ? default_accumulate(e.problem.dtype)
                         : accumulate_->currentText() == "bf16" ? ElementType::bf16
                                                                : ElementType::f32;
  for (const Fill fill : kFills) {
    if (fill_->currentText() == name(fill)) e.fill = fill;
  }
  if (reason.isEmpty()) {
    if (const auto valid = validate(e.problem); !valid.ok())
      reason = QString::fromStdString(valid.error().text());
  }
  if (!reason.isEmpty()) {
    error_->setText(reason);
    error_->show();
    return;
  }
  document_.change(e, "problem");
  readDocument();
}

}  // namespace shardscope
