// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment_form.h"

#include <QVBoxLayout>

namespace shardscope {
namespace {

QLabel* form_label(const char* role, QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setProperty("role", role);
  label->setWordWrap(true);
  label->setIndent(0);
  label->setMargin(0);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace

ExperimentForm::ExperimentForm(ExperimentDocument& document, QWidget* parent)
    : QScrollArea(parent),
      document_(document),
      title_(form_label("heading", this)),
      notes_(form_label("muted", this)),
      warnings_(form_label("warning", this)),
      mesh_(new MeshEditor(document, this)),
      problem_(new ProblemForm(document, this)),
      sharding_(new ShardingEditor(document, this)),
      strategies_(new StrategyList(document, this)) {
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* content = new QWidget;
  content->setObjectName("formContent");
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(12, 8, 12, 12);
  layout->setSpacing(6);
  layout->addWidget(title_);
  layout->addWidget(notes_);
  layout->addWidget(warnings_);
  const auto section = [&](const char* heading, QWidget* widget) {
    auto* label = form_label("heading", content);
    label->setText(heading);
    layout->addWidget(label);
    layout->addWidget(widget);
  };
  section("Mesh", mesh_);
  section("Problem  Y[m,n] = X[m,k] · W[k,n]", problem_);
  section("Strategies", strategies_);
  section("Shardings", sharding_);
  layout->addStretch();
  setWidget(content);
  connect(&document_, &ExperimentDocument::changed, this, &ExperimentForm::readDocument);
  readDocument();
}

void ExperimentForm::readDocument() {
  const Experiment& e = document_.experiment();
  title_->setText(QString::fromStdString(e.title));
  title_->setVisible(!e.title.empty());
  QStringList notes;
  if (!e.notes.empty()) notes << QString::fromStdString(e.notes);
  if (!e.source.empty()) notes << "From " + QString::fromStdString(e.source);
  notes_->setText(notes.join('\n'));
  notes_->setVisible(!notes.isEmpty());
  QStringList warnings;
  for (const std::string& warning : e.warnings) warnings << QString::fromStdString(warning);
  warnings_->setText(warnings.join('\n'));
  warnings_->setVisible(!warnings.isEmpty());
}

}  // namespace shardscope
