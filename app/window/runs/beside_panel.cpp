// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/beside_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/form_parts.h"
#include "engine/help/topics.h"
#include "engine/request/command_line.h"
#include "engine/trace/measured_record.h"

namespace shardscope::inline window {
namespace {

// What is asked of the other thread, and comes of it.
struct Reading {
  std::string path;
  int64_t id = 0;
  std::shared_ptr<const MeasuredTrace> trace;  // read before; null: still to be read
  ShownRunPtr run;
  std::optional<size_t> step;
};

Result<ShownBesidePtr> read_beside(const Reading& asked, const std::stop_token& stop) {
  std::shared_ptr<const MeasuredTrace> trace = asked.trace;
  if (!trace) {
    TRY(MeasuredTrace loaded, load_measured(asked.path, asked.id));
    trace = std::make_shared<const MeasuredTrace>(std::move(loaded));
  }
  const ShownRunPtr told_run = asked.run->story ? asked.run : with_story(asked.run, stop);
  TRY(MeasuredBeside both, beside({told_run->run, told_run->story}, std::move(trace), asked.step));
  return ShownBesidePtr(
      std::make_shared<const ShownBeside>(ShownBeside{told_run, std::move(both), told_run->input()}));
}

QString title_of(const MeasuredSummary& trace) {
  const QString called = QString::fromStdString(trace.title.empty() ? trace.source : trace.title);
  return "%1: %2 · %3 · %4"_tr.arg(trace.id).arg(called, QString::fromStdString(trace.format),
                                                 counted_tr(trace.devices, "device"));
}

}  // namespace

BesidePanel::BesidePanel(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      canvas_(new BesideCanvas(bench.clock(), this)),
      traces_(new QComboBox(this)),
      steps_(new QComboBox(this)),
      sentence_(new QLabel(this)),
      refusal_(refusal_label(this)),
      model_(new TextTableModel(this)),
      table_(text_table_view(model_, "Operations, simulated and measured"_tr, this)),
      copy_(copyButton()) {
  traces_->setAccessibleName("Measured trace"_tr);
  traces_->setToolTip("Which measured trace of the workspace stands below the run"_tr);
  steps_->setAccessibleName("Step of the trace"_tr);
  steps_->setToolTip("Whose times count: the medians over all steps, or one step's alone"_tr);
  for (QComboBox* choice : {traces_, steps_}) {
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    choice->setMaximumWidth(fontMetrics().averageCharWidth() * 44);
  }
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  refusal_->setWordWrap(true);
  setUpReal();
  connect(traces_, &QComboBox::currentIndexChanged, this, [this] {
    trace_.reset();
    read();
  });
  connect(steps_, &QComboBox::currentIndexChanged, this, &BesidePanel::read);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& row) { canvas_->goTo(row.row()); });
  connect(canvas_, &BesideCanvas::operationChosen, this, &BesidePanel::mark);
  connect(&bench_.clock(), &Clock::runChanged, this, &BesidePanel::follow);
  for (const auto signal : {&Workbench::runsChanged, &Workbench::experimentOpened})
    connect(&bench_, signal, this, [this] {
      if (isVisible()) listTraces();
    });
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  line->setSpacing(8);
  for (QWidget* part : {static_cast<QWidget*>(traces_), static_cast<QWidget*>(steps_)}) line->addWidget(part);
  line->addWidget(sentence_, 1);
  for (QWidget* part :
       {static_cast<QWidget*>(progress_), static_cast<QWidget*>(run_for_real_), static_cast<QWidget*>(copy_)})
    line->addWidget(part);
  auto* split = new QSplitter(Qt::Vertical, this);
  split->addWidget(canvas_);
  split->addWidget(table_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setSizes({340, 160});
  split->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addWidget(refusal_);
  layout->addWidget(split, 1);
  show(nullptr);
}

void BesidePanel::setUpReal() {
  run_for_real_ = new QToolButton(this);
  progress_ = new QProgressBar(this);
  run_for_real_->setText("Run for real"_tr);
  run_for_real_->setToolTip(
      "The shown run by MPI in processes of this machine; what they measure stands below it"_tr);
  run_for_real_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  progress_->setRange(0, 100);
  progress_->setMaximumWidth(fontMetrics().averageCharWidth() * 24);
  progress_->setAccessibleName("Progress of the real run"_tr);
  progress_->hide();
  connect(run_for_real_, &QToolButton::clicked, this, &BesidePanel::runForReal);
  connect(&real_, &RealRun::changed, this, [this] {
    run_for_real_->setText(real_.running() ? "Cancel"_tr : "Run for real"_tr);
    progress_->setVisible(real_.running());
  });
  connect(&real_, &RealRun::progressed, this, [this](const QString& what, int percent) {
    progress_->setValue(percent);
    progress_->setToolTip(what);
  });
  connect(&real_, &RealRun::refused, this, &BesidePanel::refuse);
  connect(&real_, &RealRun::measured, this, [this](qlonglong trace) {
    newest_ = trace;
    listTraces();
  });
}

void BesidePanel::runForReal() {
  if (real_.running()) return real_.cancel();
  refuse("");
  const auto& workspace = bench_.runs().workspace();
  const ShownRunPtr shown = bench_.clock().of(Subject::runs).run;
  if (!workspace || !shown) return refuse("There is no run yet."_tr);
  real_.start(shown->run, workspace->path());
}

QToolButton* BesidePanel::copyButton() {
  auto* button = new QToolButton(this);
  button->setText("Copy as"_tr);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setToolButtonStyle(Qt::ToolButtonTextOnly);
  auto* menu = new QMenu(button);
  const auto add = [&](const QString& title, Form form) {
    connect(menu->addAction(title), &QAction::triggered, this,
            [this, form] { QGuiApplication::clipboard()->setText(text(form)); });
  };
  add("CSV", Form::csv);
  add("Markdown", Form::markdown);
  add("Command"_tr, Form::command);
  button->setMenu(menu);
  return button;
}

QString BesidePanel::text(Form form) const {
  if (!canvas_->shown()) return {};
  const Residual& r = canvas_->shown()->beside.residual;
  if (form == Form::csv) return QString::fromStdString(residual_csv(r));
  if (form == Form::markdown) return QString::fromStdString(residual_markdown(r));
  std::vector<std::string> words{"shardscope", "compare",
                                 "--db",       bench_.runs().workspace()->path(),
                                 "--run",      std::to_string(r.run_id.value_or(0)),
                                 "--measured", std::to_string(r.measured_id)};
  if (r.one_step) words.insert(words.end(), {"--step", std::to_string(r.step + 1)});
  return QString::fromStdString(shell_line(words));
}

void BesidePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  listTraces();
}

void BesidePanel::listTraces() {
  const auto& workspace = bench_.runs().workspace();
  if (!workspace) return;
  listing_ = true;
  listing_work_.start([path = workspace->path()](std::stop_token) { return list_measured(path); },
                      [this](const Result<std::vector<MeasuredSummary>>& traces) {
                        listing_ = false;
                        if (!traces.ok()) return refuse(in_window(traces.error()));
                        fillTraces(*traces);
                      });
}

// The chosen one stays; the newest is chosen first.
void BesidePanel::fillTraces(const std::vector<MeasuredSummary>& traces) {
  const QVariant chosen =
      newest_ != 0 ? QVariant::fromValue<qlonglong>(std::exchange(newest_, 0)) : traces_->currentData();
  const QVariant before = traces_->currentData();
  bool stays = false;
  {
    const QSignalBlocker quiet(traces_);
    traces_->clear();
    for (const MeasuredSummary& trace : traces) {
      traces_->addItem(title_of(trace), QVariant::fromValue<qlonglong>(trace.id));
      traces_->setItemData(traces_->count() - 1, QString::fromStdString(trace.source), Qt::ToolTipRole);
    }
    const int there = chosen.isValid() ? traces_->findData(chosen) : -1;
    stays = there >= 0 && chosen == before;
    traces_->setCurrentIndex(there >= 0 ? there : traces_->count() - 1);
  }
  traces_->setVisible(traces_->count() > 0);
  if (!stays) trace_.reset();
  if (!stays || !canvas_->shown()) read();
}

// A run that nobody looks at here is read when somebody does.
void BesidePanel::follow() {
  if (!isVisible() || bench_.clock().of(Subject::runs).run == run_) return;
  const bool same =
      run_ && bench_.clock().of(Subject::runs).run && run_->run == bench_.clock().of(Subject::runs).run->run;
  run_ = bench_.clock().of(Subject::runs).run;
  if (!same || (run_ && run_->unread())) read();
}

void BesidePanel::read() {
  run_ = bench_.clock().of(Subject::runs).run;
  reading_work_.cancel();
  reading_ = false;
  refuse("");
  if (!run_ || traces_->currentIndex() < 0) return show(nullptr);
  if (run_->unread()) {
    show(nullptr);
    return canvas_->setMessage(QString::fromStdString(why_unread(run_->input())));
  }
  reading_ = true;
  canvas_->setMessage("Reading the trace…"_tr);
  const QVariant step = steps_->currentData();
  const bool one = trace_ != nullptr && step.isValid() && step.toInt() >= 0;
  Reading asked{bench_.runs().workspace()->path(), traces_->currentData().toLongLong(), trace_, run_,
                one ? std::optional(static_cast<size_t>(step.toInt())) : std::nullopt};
  reading_work_.start([asked = std::move(asked)](std::stop_token stop) { return read_beside(asked, stop); },
                      [this](const Result<ShownBesidePtr>& both) {
                        reading_ = false;
                        if (both.ok()) return show(*both);
                        show(nullptr);
                        refuse(in_window(both.error()));
                      });
}

void BesidePanel::show(const ShownBesidePtr& shown) {
  if (shown) trace_ = shown->beside.trace;
  if (!shown) canvas_->setMessage(spoken(help_topic("beside").shows));
  canvas_->setShown(shown);
  {
    const QSignalBlocker quiet(table_->selectionModel());
    model_->set(shown ? residual_operations_table(shown->beside.residual, 0) : TextTable());
    fit_columns(*table_);
  }
  table_->setVisible(shown != nullptr);
  copy_->setVisible(shown != nullptr);
  fillSteps();
  QString said;
  if (shown) {
    said = QString::fromStdString(residual_sentence(shown->beside.residual));
    for (const std::string& note : shown->beside.residual.notes)
      said += " " + "Note: %1."_tr.arg(QString::fromStdString(note));
  }
  sentence_->setText(said);
}

void BesidePanel::fillSteps() {
  const QSignalBlocker quiet(steps_);
  const bool many = canvas_->shown() && canvas_->shown()->beside.residual.steps.size() > 1;
  steps_->setVisible(many);
  steps_->clear();
  if (!many) return;
  const Residual& r = canvas_->shown()->beside.residual;
  steps_->addItem("medians of %1 steps"_tr.arg(r.steps.size()), -1);
  for (size_t s = 0; s < r.steps.size(); ++s)
    steps_->addItem(
        "step %1: %2"_tr.arg(s + 1).arg(QString::fromStdString(format_picoseconds(r.steps[s].length()))),
        static_cast<int>(s));
  steps_->setCurrentIndex(r.one_step ? static_cast<int>(r.step) + 1 : 0);
}

void BesidePanel::refuse(const QString& reason) {
  refusal_->setText(reason);
  refusal_->setVisible(!reason.isEmpty());
}

// Without going there: the canvas chose it.
void BesidePanel::mark(int operation) {
  const QSignalBlocker quiet(table_->selectionModel());
  if (operation < 0) return table_->clearSelection();
  table_->selectRow(operation);
  table_->scrollTo(model_->index(operation, 0));
  table_->viewport()->update();
}

void BesidePanel::setTheme(const Theme& theme) {
  canvas_->setTheme(theme);
  fit_table(*table_);
}

}  // namespace shardscope::inline window
