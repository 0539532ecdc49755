// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/tuner_panel.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QToolButton>
#include <initializer_list>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/flow_layout.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/help/topics.h"
#include "engine/tune/model_file.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline window {
namespace {

// Fields with their name before them: they stay together where lines break.
QWidget* labelled(const QString& text, std::initializer_list<QWidget*> fields) {
  auto* out = new QWidget;
  auto* line = new QHBoxLayout(out);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(6);
  auto* label = new QLabel(text, out);
  label->setProperty("role", "muted");
  line->addWidget(label);
  for (QWidget* field : fields) line->addWidget(field);
  return out;
}

}  // namespace

TunerPanel::TunerPanel(ExperimentDocument& document, QWidget* parent)
    : StudyPanel("Tune"_tr, spoken(help_topic("tuner").shows), parent),
      document_(document),
      model_(new QComboBox(this)),
      hardware_(new QComboBox(this)),
      cost_(new QComboBox(this)),
      step_(new QComboBox(this)),
      chips_(new QLineEdit("64", this)) {
  setObjectName("Tuner");
  chart_->setAccessibleName("Candidates: time against peak memory"_tr);
  chart_->setTooltip([this](const ItemId& item) { return words(item); });
  prepareTable();
  auto* browse = small_button("file…"_tr, "A model's file"_tr, this);
  connect(browse, &QToolButton::clicked, this, [this] {
    const QString path = QFileDialog::getOpenFileName(this, "Open a model"_tr, "", "Models (*.toml)"_tr);
    if (!path.isEmpty()) model_->setCurrentText(path);
  });
  place(makeForm(browse), 2, 3);
  QWidget* last = model_;
  for (QWidget* next : std::initializer_list<QWidget*>{browse, chips_, hardware_, cost_, step_,
                                                       job_->startButton(), chart_, table_}) {
    setTabOrder(last, next);
    last = next;
  }
  connect(table_, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (!reading_ && item != nullptr)
      chart_->select({.kind = ItemId::Kind::candidate, .index = candidateOf(item)});
  });
  const auto row_of = [this](const ItemId& item) -> QTreeWidgetItem* {
    for (int i = 0; i < table_->topLevelItemCount(); ++i) {
      if (item.kind == ItemId::Kind::candidate && candidateOf(table_->topLevelItem(i)) == item.index)
        return table_->topLevelItem(i);
    }
    return nullptr;
  };
  connect(chart_, &PictureCanvas::chosen, this, [this, row_of](const ItemId& item) {
    if (QTreeWidgetItem* row = row_of(item)) table_->setCurrentItem(row);
  });
  connect(chart_, &PictureCanvas::activated, this,
          [this, row_of](const ItemId& item) { open(row_of(item)); });
  connect(&document_, &ExperimentDocument::changed, this, &TunerPanel::readDocument);
  readDocument();
}

QLayout* TunerPanel::makeForm(QWidget* browse) {
  for (const std::string& name : model_preset_names()) model_->addItem(QString::fromStdString(name));
  model_->setEditable(true);
  model_->setAccessibleName("Model"_tr);
  model_->setToolTip("A built-in model, or the path of a file (.toml)"_tr);
  chips_->setAccessibleName("Chips"_tr);
  chips_->setAlignment(Qt::AlignRight);
  chips_->setMaximumWidth(fontMetrics().averageCharWidth() * 10);
  cost_->addItems({name(TuneCost::simulate), name(TuneCost::meshslice)});
  cost_->setAccessibleName("Cost"_tr);
  cost_->setToolTip(
      "simulate: our schedule of every strategy; meshslice: the published autotuner with its TPUv4 "
      "constants"_tr);
  step_->addItems({name(TuneStep::training), name(TuneStep::inference)});
  step_->setAccessibleName("Step"_tr);
  step_->setToolTip(
      "training: forward, data and weight gradient of each layer, with gradients, optimiser and activations "
      "in memory; inference: the forward products alone"_tr);
  hardware_->setAccessibleName("Hardware of the tuner"_tr);
  hardware_->setToolTip("The chip that the tuner simulates; the published costs have their own"_tr);
  connect(cost_, &QComboBox::currentTextChanged, this, &TunerPanel::readDocument);
  connect(chips_, &QLineEdit::returnPressed, this, &TunerPanel::run);
  connect(model_, &QComboBox::currentTextChanged, this, &TunerPanel::readPurpose);
  connect(chips_, &QLineEdit::textChanged, this, &TunerPanel::readPurpose);
  auto* line = new FlowLayout(nullptr, 8);
  line->addWidget(labelled("model"_tr, {model_, browse}));
  line->addWidget(labelled("chips"_tr, {chips_}));
  line->addWidget(labelled("hardware"_tr, {hardware_}));
  line->addWidget(labelled("cost"_tr, {cost_}));
  line->addWidget(labelled("step"_tr, {step_}));
  return line;
}

// What it is for, with the numbers of what is asked.
void TunerPanel::readPurpose() {
  const auto chips = parse_int(chips_->text().trimmed().toStdString());
  const auto model = find_model(model_->currentText().trimmed().toStdString());
  QString tokens = "tokens = batch × sequence"_tr;
  if (model.ok() && chips && *chips > 0)
    tokens = "%1 tokens = batch %2 × sequence %3"_tr.arg(
        QString::fromStdString(group_digits(model->tokens(*chips))),
        QString::fromStdString(group_digits(model->batch.value_or(*chips))),
        QString::fromStdString(group_digits(model->sequence)));
  sayPurpose(
      "Which mesh of so many chips, and which strategy for each product of a model, takes the least time a "
      "step: %1. Utilisation (of a training step MFU) = FLOPs of the products / (chips × peak × time)."_tr
          .arg(tokens));
}

QJsonObject TunerPanel::state() const {
  return {{"model", model_->currentText()},
          {"chips", chips_->text()},
          {"cost", cost_->currentText()},
          {"step", step_->currentText()},
          {"hardware", hardware_->currentIndex() > 0 ? hardware_->currentData().toString() : QString()}};
}

void TunerPanel::restore(const QJsonObject& state) {
  const auto choose = [&](QComboBox* box, const char* key) {
    if (const int place = box->findText(state[key].toString()); place >= 0) box->setCurrentIndex(place);
  };
  model_->setCurrentText(state["model"].toString(model_->currentText()));
  chips_->setText(state["chips"].toString(chips_->text()));
  choose(cost_, "cost");
  choose(step_, "step");
  hardware_->setCurrentIndex(std::max(0, hardware_->findData(state["hardware"].toString(), Qt::UserRole)));
}

// The chip follows the experiment until another one is picked here.
void TunerPanel::readDocument() {
  const QString chosen = hardware_->currentData().toString();
  const QString own = QString::fromStdString(document_.experiment().hardware);
  const bool follows = hardware_->currentIndex() <= 0;
  hardware_->clear();
  hardware_->addItem("the experiment's: "_tr + own.section('/', -1), own);
  for (const std::string& name : hardware_preset_names())
    hardware_->addItem(QString::fromStdString(name), QString::fromStdString(name));
  if (!follows) hardware_->setCurrentIndex(std::max(hardware_->findData(chosen), 0));
  const bool simulates = cost_->currentText() == name(TuneCost::simulate);
  readPurpose();
  hardware_->setEnabled(simulates);
  step_->setEnabled(simulates);
}

Result<TuneRequest> TunerPanel::request() const {
  TuneRequest out;
  TRY(out.model, find_model(model_->currentText().trimmed().toStdString()));
  const auto chips = parse_int(chips_->text().trimmed().toStdString());
  if (!chips || *chips < 1) {
    return invalid(say("chips: got '{}', expected a whole number above 0", chips_->text().toStdString()));
  }
  out.chips = *chips;
  out.cost = cost_->currentText() == name(TuneCost::meshslice) ? TuneCost::meshslice : TuneCost::simulate;
  if (out.cost == TuneCost::meshslice) return out;
  out.step = step_->currentText() == name(TuneStep::inference) ? TuneStep::inference : TuneStep::training;
  out.hardware = hardware_->currentData().toString().toStdString();
  return out;
}

void TunerPanel::run() {
  if (job_->busy()) return;
  const auto asked = request();
  showError(asked.ok() ? QString() : in_window(asked.error()));
  if (!asked.ok()) return;
  result_ = nullptr;
  fillTable();
  begin<TuneExecution>(
      "Timing candidates for %1; they appear here as meshes are done."_tr.arg(
          counted_tr(asked->chips, "chip")),
      [asked = *asked](const TuneExecution& execution, std::stop_token stop) {
        return tune(asked, execution, stop);
      },
      [this](const TuneResult& so_far) { showResult(so_far); },
      [this](const TuneResult& tuned) {
        if (tuned.candidates.empty())
          chart_->setMessage("Cancelled before the first mesh was done."_tr, false);
        return "%1%2 timed, %3 pruned by a bound, %4 cannot run"_tr
            .arg(tuned.complete ? "" : "Cancelled; finished meshes are kept: "_tr)
            .arg(tuned.timed)
            .arg(tuned.pruned)
            .arg(tuned.refused);
      });
}

void TunerPanel::showResult(const TuneResult& result) {
  result_ = std::make_shared<const TuneResult>(result);
  fillTable();
  if (result.candidates.empty()) return;
  chart_->setPicture([shown = result_](const Selection& selection, const Canvas& canvas) {
    return layout_tuner(*shown, selection, canvas);
  });
  QTreeWidgetItem* best = table_->topLevelItem(0);
  if (best != nullptr) table_->setCurrentItem(best);
}

int TunerPanel::candidateOf(const QTreeWidgetItem* item) const {
  return item == nullptr ? -1 : item->data(0, Qt::UserRole).toInt();
}

std::optional<Experiment> TunerPanel::experimentOf(const QTreeWidgetItem* item) const {
  const int candidate = candidateOf(item);
  if (!result_ || candidate < 0) return std::nullopt;
  const int layer = std::max(item->data(0, Qt::UserRole + 1).toInt(), 0);
  return experiment_of(*result_, result_->candidates[static_cast<size_t>(candidate)],
                       static_cast<size_t>(layer));
}

void TunerPanel::open(const QTreeWidgetItem* item) {
  if (const auto experiment = experimentOf(item)) Q_EMIT openRequested(*experiment);
}

}  // namespace shardscope::inline window
