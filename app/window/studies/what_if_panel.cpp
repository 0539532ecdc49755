// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/what_if_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QSplitter>

#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope {
namespace {

constexpr const char* kWhat = to_say(
    "What if: the shown run on faster or slower links, memory and products. It is timed again while a knob "
    "moves, above what it was, and bars say what would help most.");
constexpr const char* kLinkTip = to_say("Bandwidth of these links: ×2, ×0.5; 0: transfers take no time");

// As a shell reads it back.
QString quoted(const QString& word) {
  static const QString kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=.,/";
  for (const QChar c : word)
    if (!kPlain.contains(c)) return "'" + QString(word).replace("'", "'\\''") + "'";
  return word;
}

QToolButton* button(const QString& text, const QString& tip, QWidget* parent) {
  return small_button(text, tip, parent);
}

void draw_timeline(PictureCanvas& on, const ShownRunPtr& then, const ShownRunPtr& base) {
  on.setPicture([then, base](const Selection& selection, const Canvas& canvas) {
    return layout_what_if_timeline(then->input(), base->input(), {}, selection, canvas);
  });
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
      timeline_(new PictureCanvas(spoken(kWhat), this)),
      chart_(new PictureCanvas("", this)),
      sentence_(new QLabel(this)),
      refusal_(refusal_label(this)) {
  setObjectName("WhatIf");
  timeline_->setAccessibleName("The run timed again, above what it was"_tr);
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
    if (KnobRow* row = knob(of.front(), of.size() > 1 ? of.back() : "")) row->slider()->setFocus();
  });
}

QWidget* WhatIfPanel::makeForm() {
  auto* form = new QWidget(this);
  rows_ = new QVBoxLayout(form);
  rows_->setContentsMargins(8, 8, 8, 8);
  rows_->setSpacing(8);
  rows_->addWidget(sentence_);
  rows_->addWidget(refusal_);
  slow_ = new QLineEdit(form);
  slow_->setPlaceholderText("3=0.5");
  slow_->setAccessibleName("Slow chips"_tr);
  slow_->setToolTip("Chips at a share of their speed, as in 3=0.5"_tr);
  untimed_ = new QLineEdit(form);
  untimed_->setPlaceholderText("all-gather.1, 17"_tr);
  untimed_->setAccessibleName("What takes no time"_tr);
  untimed_->setToolTip("Operations by their names and events by their numbers that take no time"_tr);
  rows_->addWidget(labelled("slow chip"_tr, slow_, form));
  rows_->addWidget(labelled("takes no time"_tr, untimed_, form));
  auto* selected = button("Selected operation = 0"_tr, "What is selected takes no time"_tr, form);
  auto* back = button("Back to baseline"_tr, "All knobs as the run has them"_tr, form);
  keep_ = button("Keep as run"_tr, "Record it as a run, without numbers"_tr, form);
  auto* copy = button("Copy as command"_tr, "The same question for the command line"_tr, form);
  for (QToolButton* b : {selected, keep_, back, copy}) rows_->addWidget(b);
  rows_->addStretch(1);
  connect(slow_, &QLineEdit::editingFinished, this, &WhatIfPanel::ask);
  connect(untimed_, &QLineEdit::editingFinished, this, &WhatIfPanel::ask);
  connect(selected, &QToolButton::clicked, this, &WhatIfPanel::addSelected);
  connect(back, &QToolButton::clicked, this, &WhatIfPanel::reset);
  connect(keep_, &QToolButton::clicked, this, &WhatIfPanel::keep);
  connect(copy, &QToolButton::clicked, this, [this] { QApplication::clipboard()->setText(command()); });
  auto* scroll = new QScrollArea(this);
  scroll->setWidget(form);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  return scroll;
}

// What each part needs to be read; where there is less, the whole panel scrolls.
void WhatIfPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  timeline_->setMinimumHeight(fontMetrics().height() * 16);
  chart_->setMinimumHeight(fontMetrics().height() * 9);
  form_->setMinimumWidth(fontMetrics().averageCharWidth() * 44);
}

void WhatIfPanel::setTheme(const Theme& theme) {
  timeline_->setTheme(theme);
  chart_->setTheme(theme);
}

KnobRow* WhatIfPanel::knob(const QString& key, const QString& link) const {
  for (const Knob& it : knobs_)
    if (it.key == key && it.link == link) return it.row;
  return nullptr;
}

void WhatIfPanel::addKnob(const QString& key, const QString& link, const QString& label, const QString& tip) {
  auto* row = new KnobRow(label, tip, this);
  rows_->insertWidget(2 + static_cast<int>(knobs_.size()), row);
  connect(row, &KnobRow::changed, this, &WhatIfPanel::ask);
  knobs_.push_back({key, link, row});
}

void WhatIfPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  follow();
}

// A run that nobody looks at here is timed when somebody does.
void WhatIfPanel::follow() {
  const ShownRunPtr& now = bench_.clock().shown();
  if (!isVisible() || now == shown_) return;
  shown_ = now;
  base_.reset();
  answer_.reset();
  sensitivities_.clear();
  for (const Knob& it : knobs_) delete it.row;
  knobs_.clear();
  untimed_->clear();
  slow_->clear();
  sentence_->clear();
  refuse("");
  timeline_->setPicture({});
  chart_->setPicture({});
  timeline_->setMessage(spoken(kWhat), false);
  if (shown_) begin(shown_);
}

void WhatIfPanel::begin(const ShownRunPtr& shown) {
  preparing_ = true;
  preparing_work_.start([run = shown->run](std::stop_token stop) { return WhatIfBase::make(run, stop); },
                        [this](const Result<WhatIfBase>& made) {
                          preparing_ = false;
                          if (!made.ok()) return refuse(QString::fromStdString(made.error().text()));
                          base_ = std::make_shared<const WhatIfBase>(*made);
                          for (const std::string& link : base_->links()) {
                            const QString name = QString::fromStdString(link);
                            addKnob("link", name, name + " links"_tr, spoken(kLinkTip));
                          }
                          addKnob("latency", "", "latency", "Of a hop: ×0.5, or in seconds: 0, 5e-7"_tr);
                          addKnob("peak", "", "peak", "Of products: ×2, or in FLOP/s"_tr);
                          addKnob("hbm", "", "HBM", "Bandwidth of the memory: ×2, or in bytes/s"_tr);
                          addKnob("launch", "", "launch",
                                  "Overhead of a launch: ×0.5, or in seconds: 0, 1e-6"_tr);
                          ask();
                        });
}

TypedWhatIf WhatIfPanel::typed() const {
  TypedWhatIf out;
  for (const Knob& it : knobs_) {
    const std::string text = it.row->text().toStdString();
    if (text.empty()) continue;
    std::string& field = out.fields[it.key.toStdString()];
    field += it.link.isEmpty() ? text : (field.empty() ? "" : ",") + it.link.toStdString() + "=" + text;
  }
  if (!slow_->text().trimmed().isEmpty()) out.fields["slow-device"] = slow_->text().trimmed().toStdString();
  for (const QString& part : untimed_->text().split(',', Qt::SkipEmptyParts)) {
    bool number = false;
    part.trimmed().toLongLong(&number);
    (number ? out.events : out.operations).push_back(part.trimmed().toStdString() + "=0");
  }
  return out;
}

void WhatIfPanel::ask() {
  if (!base_) return;
  const Result<WhatIf> asked = parse_what_if(typed());
  if (!asked.ok()) return refuse(QString::fromStdString(asked.error().text()));
  again_ = asking_;
  if (asking_) return;
  asking_ = true;
  asking_work_.startReporting(
      [base = base_, asked = *asked](std::stop_token stop, const auto&) -> Result<Drawn> {
        TRY(WhatIfAnswer answer, base->ask(asked, WhatIfBase::Keep::events, stop));
        auto then = std::make_shared<Run>(base->run());
        then->timeline = *answer.timeline;
        auto shown = std::make_shared<ShownRun>();
        shown->run = then;
        shown->trace = memory_trace(then);
        return Drawn{std::move(answer), std::move(shown)};
      },
      [this, base = base_](const Result<Drawn>& drawn) {
        asking_ = false;
        if (base != base_) return ask();  // of a run that was shown before
        if (drawn.ok()) {
          show(*drawn);
        } else {
          refuse(QString::fromStdString(drawn.error().text()));
        }
        if (again_) ask();
      });
}

void WhatIfPanel::show(const Drawn& drawn) {
  const bool first = !answer_;
  answer_ = drawn;
  refuse("");
  sentence_->setText(QString::fromStdString(what_if_sentence(drawn.answer)) +
                     (drawn.answer.fits.value_or(true) ? "" : ". It does NOT fit the chip's memory"_tr));
  draw_timeline(*timeline_, drawn.then, shown_);
  draw_bars(*chart_, answer_->answer, sensitivities_);
  telling_work_.start([then = drawn.then](std::stop_token stop) { return with_story(then, stop); },
                      [this](const ShownRunPtr& told) {
                        if (!answer_ || answer_->then->run != told->run) return;
                        answer_->then = told;
                        draw_timeline(*timeline_, told, shown_);
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

void WhatIfPanel::addSelected() {
  const int32_t instruction = bench_.clock().selection().selected.instruction;
  if (!shown_ || instruction < 0) return refuse("Select an operation in the timeline first."_tr);
  const QString name = QString::fromStdString(shown_->run->program.by_global_index(instruction).name);
  untimed_->setText(untimed_->text().isEmpty() ? name : untimed_->text() + ", " + name);
  ask();
}

void WhatIfPanel::reset() {
  for (const Knob& it : knobs_) it.row->reset();
  untimed_->clear();
  slow_->clear();
  ask();
}

QString WhatIfPanel::command() const {
  if (!shown_ || !answer_) return "";
  QStringList words = {"shardscope", "what-if",
                       "--db",       quoted(QString::fromStdString(bench_.runs().workspace()->path())),
                       "--run",      QString::number(shown_->run->id.value_or(0))};
  for (const std::string& word : options_of(answer_->answer.asked))
    words.append(quoted(QString::fromStdString(word)));
  return words.join(' ');
}

void WhatIfPanel::keep() {
  if (!base_ || !answer_) return;
  const Result<Experiment> kept = base_->as_experiment(answer_->answer.asked);
  if (!kept.ok()) return refuse(QString::fromStdString(kept.error().text()));
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
        if (!run.ok()) return refuse(QString::fromStdString(run.error().text()));
        bench_.adopt(*run);
      });
}

}  // namespace shardscope
