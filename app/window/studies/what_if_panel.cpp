// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/what_if_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <algorithm>
#include <utility>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/help/topics.h"
#include "engine/report/what_if_report.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kLinkTip =
    to_say("Bandwidth of these links: 2 or ×2, 0.5; ×0: broken; 0: transfers have zero cost");
constexpr int kMessageLines = 7;

// A part of the form with room of its own, however much it says: nothing below it moves.
QWidget* message_area(std::initializer_list<QWidget*> messages) {
  auto* inside = new QWidget;
  auto* layout = new QVBoxLayout(inside);
  layout->setContentsMargins(8, 8, 8, 0);
  for (QWidget* each : messages) layout->addWidget(each);
  layout->addStretch(1);
  auto* area = new QScrollArea;
  area->setWidget(inside);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setFocusPolicy(Qt::NoFocus);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return area;
}

// Scrolls down alone: as wide as the form and its scroll bar, so that nothing of a row is cut.
class FormScroll : public QScrollArea {
 public:
  FormScroll(QWidget* form, QWidget* parent) : QScrollArea(parent) {
    setWidget(form);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  }
  QSize minimumSizeHint() const override {
    const int form = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
    return {std::max(fontMetrics().averageCharWidth() * 44, form), QScrollArea::minimumSizeHint().height()};
  }
  QSize sizeHint() const override { return QScrollArea::sizeHint().expandedTo(minimumSizeHint()); }

 protected:
  bool eventFilter(QObject* of, QEvent* event) override {
    if (of == widget() && event->type() == QEvent::LayoutRequest) updateGeometry();
    return QScrollArea::eventFilter(of, event);
  }
};

QToolButton* button(const QString& text, const QString& tip, QWidget* parent) {
  return small_button(text, tip, parent);
}

bool is_of(const QJsonObject& state, const Run& run) {
  return !state.isEmpty() && state["run"].toInteger() == run.id.value_or(0);
}

void draw_bars(PictureCanvas& on, const WhatIfAnswer& answer, const std::vector<Sensitivity>& rows) {
  on.setPicture([answer, rows](const Selection&, const Canvas& canvas) {
    return layout_what_if_bars(answer, rows, canvas);
  });
}

}  // namespace

WhatIfPanel::WhatIfPanel(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      timeline_(new WhatIfCanvas(spoken(help_topic("what_if").shows), this)),
      chart_(new PictureCanvas("", this)),
      sentence_(new QLabel(this)),
      refusal_(refusal_label(this)) {
  setObjectName("WhatIf");
  timeline_->setAccessibleName("The run timed again, before what it was"_tr);
  chart_->setAccessibleName("What changed, and what 10 % better of each parameter would give"_tr);
  sentence_->setWordWrap(true);
  refusal_->setWordWrap(true);
  auto* pictures = new QSplitter(Qt::Vertical, this);
  pictures->addWidget(timeline_);
  pictures->addWidget(chart_);
  pictures->setStretchFactor(0, 3);
  pictures->setStretchFactor(1, 2);
  auto* both = new QSplitter(Qt::Horizontal, this);
  both->addWidget(pictures);
  form_ = makeForm();
  both->addWidget(form_);
  both->setStretchFactor(0, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(both);
  QEvent font(QEvent::FontChange);
  changeEvent(&font);
  connect(&bench_.clock(), &Clock::runChanged, this, &WhatIfPanel::follow);
  connect(chart_, &PictureCanvas::chosen, this, [this](const ItemId& item) {
    if (item.kind != ItemId::Kind::candidate || item.index >= std::ssize(sensitivities_)) return;
    const QStringList of =
        QString::fromStdString(sensitivities_[static_cast<size_t>(item.index)].parameter).split(' ');
    if (KnobRow* row = knob(of.front(), of.size() > 1 ? of.back() : ""))
      row->slider()->setFocus(Qt::ShortcutFocusReason);
  });
}

QWidget* WhatIfPanel::makeForm() {
  auto* form = new QWidget(this);
  rows_ = new QVBoxLayout(form);
  rows_->setContentsMargins(8, 8, 8, 8);
  rows_->setSpacing(8);
  fields_.slow = new QLineEdit(form);
  fields_.slow->setPlaceholderText("3=0.5");
  fields_.slow->setAccessibleName("Slow chips"_tr);
  fields_.slow->setToolTip("Chips at a share of their speed, as in 3=0.5"_tr);
  fields_.untimed = new QLineEdit(form);
  fields_.untimed->setPlaceholderText("all-gather.1, 17"_tr);
  fields_.untimed->setAccessibleName("What has zero cost"_tr);
  fields_.untimed->setToolTip("Operations (by name) and events (by number) with zero cost"_tr);
  rows_->addWidget(labelled("slow chip"_tr, fields_.slow, form));
  rows_->addWidget(labelled("zero cost"_tr, fields_.untimed, form));
  auto* selected = button("Selected operation = 0"_tr, "Give the selected operation zero cost"_tr, form);
  auto* event =
      button("Selected event = 0"_tr, "Give the event that is selected in the timeline zero cost"_tr, form);
  auto* chip = button("Selected chip at half speed"_tr, "The chip of what is selected"_tr, form);
  auto* back = button("Back to baseline"_tr, "All knobs as the run has them"_tr, form);
  keep_ = button("Keep as run"_tr, "Record it as a run, without numbers"_tr, form);
  auto* copy = button("Copy as command"_tr, "The same request for the command line"_tr, form);
  for (QToolButton* b : {selected, event, chip, keep_, back, copy}) rows_->addWidget(b);
  rows_->addStretch(1);
  connect(fields_.slow, &QLineEdit::editingFinished, this, &WhatIfPanel::ask);
  connect(fields_.untimed, &QLineEdit::editingFinished, this, &WhatIfPanel::ask);
  connect(selected, &QToolButton::clicked, this, [this] { addSelected(Select::operation); });
  connect(event, &QToolButton::clicked, this, [this] { addSelected(Select::event); });
  connect(chip, &QToolButton::clicked, this, [this] { addSelected(Select::chip); });
  connect(back, &QToolButton::clicked, this, &WhatIfPanel::reset);
  connect(keep_, &QToolButton::clicked, this, &WhatIfPanel::keep);
  connect(copy, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(command()); });
  auto* scroll = new FormScroll(form, this);
  auto* side = new QWidget(this);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  messages_ = message_area({sentence_, refusal_});
  layout->addWidget(messages_);
  layout->addWidget(scroll, 1);
  return side;
}

// What each part needs to be read; where there is less, the whole panel scrolls.
void WhatIfPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  timeline_->setMinimumHeight(fontMetrics().height() * 16);
  chart_->setMinimumHeight(fontMetrics().height() * 9);
  messages_->setFixedHeight(fontMetrics().lineSpacing() * kMessageLines);
}

void WhatIfPanel::setTheme(const Theme& theme) {
  timeline_->setTheme(theme);
  chart_->setTheme(theme);
}

void WhatIfPanel::addKnob(const QString& key, const QString& link, const QString& label, const QString& tip) {
  auto* row = new KnobRow(label, tip, this);
  rows_->insertWidget(static_cast<int>(fields_.knobs.size()), row);
  connect(row, &KnobRow::changed, this, &WhatIfPanel::ask);
  fields_.knobs.push_back({key, link, row});
}

void WhatIfPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  follow();
}

// A run that nobody looks at here is timed when somebody does.
void WhatIfPanel::follow() {
  const ShownRunPtr& now = bench_.clock().of(Subject::runs).run;
  if (!isVisible() || now == shown_) return;
  const bool same = now && shown_ && now->run == shown_->run;
  shown_ = now;
  if (same) {  // more is known of it
    if (answer_) timeline_->setRuns(answer_->then, shown_);
    return;
  }
  for (Background* work : {&preparing_work_, &telling_work_, &sensitivity_work_}) work->cancel();
  preparing_ = false;
  base_.reset();
  answer_.reset();
  sensitivities_.clear();
  // Later: a field that loses the focus may have brought another run about, and is still in use.
  for (const WhatIfKnob& it : fields_.knobs) {
    rows_->removeWidget(it.row);
    it.row->hide();
    it.row->deleteLater();
  }
  fields_.knobs.clear();
  fields_.setTexts({});
  sentence_->clear();
  refuse("");
  timeline_->setRuns(nullptr, nullptr);
  chart_->setPicture({});
  timeline_->setMessage(spoken(help_topic("what_if").shows), false);
  if (shown_) begin(shown_);
}

void WhatIfPanel::begin(const ShownRunPtr& shown) {
  preparing_ = true;
  preparing_work_.start([run = shown->run](std::stop_token stop) { return WhatIfBase::make(run, stop); },
                        [this](const Result<WhatIfBase>& made) {
                          preparing_ = false;
                          if (!made.ok()) return refuse(in_window(made.error()));
                          base_ = std::make_shared<const WhatIfBase>(*made);
                          for (const std::string& link : base_->links()) {
                            const QString name = QString::fromStdString(link);
                            addKnob("link", name, name + " links"_tr, spoken(kLinkTip));
                          }
                          addKnob("latency", "", "latency", "Of a hop: 0.5 or ×0.5; in seconds: 0, 5e-7"_tr);
                          addKnob("peak", "", "peak", "Of products: 2 or ×2; in FLOP/s: 4e14"_tr);
                          addKnob("hbm", "", "HBM", "Bandwidth of the memory: 2 or ×2; in bytes/s: 1e12"_tr);
                          addKnob("launch", "", "launch",
                                  "Overhead of a launch: 0.5 or ×0.5; in seconds: 0, 1e-6"_tr);
                          restore(std::exchange(restoring_, {}));
                          ask();
                        });
}

namespace {

Result<DrawnWhatIf> drawn_of(const WhatIfBase& base, const std::vector<WhatIfField>& fields,
                             const std::stop_token& stop) {
  std::vector<TypedWhatIf> parts;
  for (const WhatIfField& each : fields) parts.push_back(each.asks);
  TRY(AskedParts asked, asked_by(base, parts, stop));
  TRY(WhatIfAnswer answer, base.ask(asked.asked, WhatIfBase::Keep::events, stop));
  auto then = std::make_shared<Run>(base.run());
  then->timeline = *answer.timeline;
  auto shown = std::make_shared<ShownRun>();
  shown->run = then;
  shown->trace = memory_trace(then);
  return DrawnWhatIf{std::move(answer), std::move(shown), std::move(asked.refused)};
}

// Marks each wrong field, and names it as its label does.
QString mark_refused(const QWidget& form, const std::vector<WhatIfField>& fields,
                     const std::vector<std::optional<Error>>& refused) {
  QStringList lines;
  for (QLineEdit* each : form.findChildren<QLineEdit*>()) mark_invalid(each, false);
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!refused[i]) continue;
    Error error = *refused[i];
    if (error.where.starts_with("--")) error.where.clear();  // the field says it
    mark_invalid(fields[i].field, true);
    lines << fields[i].field->accessibleName().section(',', 0, 0) + ": " + in_window(error);
  }
  return lines.join('\n');
}

}  // namespace

QJsonObject WhatIfPanel::state() const {
  if (const ShownRunPtr now = bench_.clock().of(Subject::runs).run; now && is_of(restoring_, *now->run))
    return restoring_;
  const QJsonObject asked = fields_.texts();
  if (!shown_ || asked.isEmpty()) return {};
  return {{"run", qint64{shown_->run->id.value_or(0)}}, {"asks", asked}};
}

// What was asked of another run is nothing that this one is asked.
void WhatIfPanel::restore(const QJsonObject& state) {
  if (!base_ || !is_of(state, *shown_->run)) {
    restoring_ = state;
  } else {
    fields_.setTexts(state["asks"].toObject());
    ask();
  }
}

// What the other fields ask is answered while one is wrong.
void WhatIfPanel::ask() {
  if (!base_) return;
  again_ = asking_;
  if (asking_) return;
  asking_ = true;
  asking_work_.startReporting(
      [base = base_, fields = fields_.typed()](std::stop_token stop, const auto&) {
        return drawn_of(*base, fields, stop);
      },
      [this, base = base_, fields = fields_.typed()](const Result<DrawnWhatIf>& drawn) {
        asking_ = false;
        if (base != base_) return ask();  // of a run that was shown before
        if (drawn.ok()) show(*drawn);
        refuse(drawn.ok() ? mark_refused(*form_, fields, drawn->refused) : in_window(drawn.error()));
        if (again_) ask();
      });
}

void WhatIfPanel::show(const DrawnWhatIf& drawn) {
  const bool first = !answer_;
  answer_ = drawn;
  sentence_->setText(QString::fromStdString(what_if_sentence(drawn.answer)) +
                     (drawn.answer.fits.value_or(true) ? "" : ". It does NOT fit the chip's memory"_tr));
  timeline_->setRuns(drawn.then, shown_);
  draw_bars(*chart_, answer_->answer, sensitivities_);
  telling_work_.start([then = drawn.then](std::stop_token stop) { return with_story(then, stop); },
                      [this](const ShownRunPtr& told) {
                        if (!answer_ || answer_->then->run != told->run) return;
                        answer_->then = told;
                        timeline_->setRuns(told, shown_);
                      });
  if (!first) return;
  sensitivity_work_.start([base = base_](std::stop_token stop) { return base->sensitivities({}, stop); },
                          [this](const Result<std::vector<Sensitivity>>& rows) {
                            if (rows.ok()) sensitivities_ = *rows;
                            if (answer_) draw_bars(*chart_, answer_->answer, sensitivities_);
                          });
}

void WhatIfPanel::refuse(const QString& reason) {
  refusal_->setText(reason);
  refusal_->setVisible(!reason.isEmpty());
}

// Of what is pointed out here, else in the other views. Events' numbers are of the run as it was, so those
// are chosen elsewhere.
void WhatIfPanel::addSelected(Select what) {
  const ItemId& there = bench_.clock().of(Subject::runs).selection.selected;
  const ItemId& here = timeline_->selected().kind != ItemId::Kind::none ? timeline_->selected() : there;
  const auto add = [&](QLineEdit* field, const std::string& text) {
    const QString before = field->text().trimmed(), more = QString::fromStdString(text);
    field->setText(before.isEmpty() ? more : before + ", " + more);
    ask();
  };
  if (!shown_) return refuse("There is no run yet."_tr);
  switch (what) {
    case Select::operation:
      if (here.instruction < 0) return refuse("Select an operation in the timeline first."_tr);
      return add(fields_.untimed, display_name(shown_->run->program.by_global_index(here.instruction)));
    case Select::event:
      if (there.kind != ItemId::Kind::event)
        return refuse("Select an event of the run in the timeline of another page first."_tr);
      return add(fields_.untimed, std::to_string(there.event));
    case Select::chip:
      if (here.device < 0) return refuse("Select a chip, or something that one does, first."_tr);
      return add(fields_.slow, std::to_string(here.device) + "=0.5");
  }
}

void WhatIfPanel::reset() {
  fields_.setTexts({});
  ask();
}

QString WhatIfPanel::command() const {
  if (!shown_ || !answer_) return "";
  return QString::fromStdString(
      what_if_command(*shown_->run, answer_->answer.question, bench_.runs().workspace()->path()));
}

void WhatIfPanel::keep() {
  if (!base_ || !answer_) return;
  const Result<Experiment> kept = base_->as_experiment(answer_->answer.question);
  if (!kept.ok()) return refuse(in_window(kept.error()));
  keep_->setEnabled(false);
  keeping_work_.start(
      [experiment = *kept, workspace = bench_.runs().workspace()](std::stop_token stop) {
        ExecutionOptions options;
        options.numerics = false;
        options.workspace = workspace;
        return execute(experiment, experiment.runs.front(), options, stop);
      },
      [this](const Result<RunPtr>& run) {
        keep_->setEnabled(true);
        if (!run.ok()) return refuse(in_window(run.error()));
        bench_.adopt(*run);
      });
}

}  // namespace shardscope::inline window
