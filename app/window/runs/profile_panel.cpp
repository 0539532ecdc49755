// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/profile_panel.h"

#include <QHBoxLayout>
#include <QJsonArray>
#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/flow_layout.h"
#include "app/window/widgets/form_parts.h"
#include "engine/help/topics.h"
#include "engine/session/profile/profile_tables.h"
#include "engine/trace/measured_record.h"

namespace shardscope::inline window {
namespace {

constexpr size_t kReachedRows = 200;  // rows: what takes less time than these is not worth a roof

QString lines_of(const std::vector<std::string>& notes) {
  QStringList lines;
  for (const std::string& note : notes) lines << "Note: %1."_tr.arg(QString::fromStdString(note));
  return lines.join('\n');
}

}  // namespace

ProfilePanel::ProfilePanel(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      chip_(new QComboBox(this)),
      job_(new JobBar("Read"_tr, this)),
      headline_(new QLabel(this)),
      notes_(new QLabel(this)),
      tabs_(new QTabWidget(this)) {
  setObjectName("Profile");
  for (QLabel* each : {headline_, notes_}) {
    each->setWordWrap(true);
    each->setContentsMargins(8, 2, 8, 4);
    each->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  notes_->setProperty("role", "muted");
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(makeForm());
  layout->addWidget(headline_);
  layout->addWidget(notes_);
  makeTables();
  layout->addWidget(tabs_, 1);
  layout->addStretch(0);
  connect(job_, &JobBar::startRequested, this, &ProfilePanel::run);
  connect(job_, &JobBar::cancelRequested, this, [this] { reading_work_.stop(); });
  show(nullptr);
}

QLayout* ProfilePanel::makeForm() {
  chip_->setAccessibleName("Chip to simulate on"_tr);
  chip_->setToolTip("Which chip the modules of the profile are simulated on"_tr);
  chip_->addItem("the profile's chip"_tr, QString());
  for (const std::string& name : hardware_preset_names())
    chip_->addItem(QString::fromStdString(name), QString::fromStdString(name));
  auto* files =
      small_button("Profile…"_tr, "Choose a profile: one file for each host or rank of the run"_tr, this);
  auto* module = small_button(
      "Module…"_tr, "The compiled module that was run, where the profile does not hold it"_tr, this);
  keep_ = small_button("Keep in the workspace"_tr, "The view Measured puts the kept trace beside any run"_tr,
                       this);
  save_ = small_button("Save as HTML…"_tr, "The whole as one page"_tr, this);
  connect(files, &QToolButton::clicked, this, &ProfilePanel::filesRequested);
  connect(module, &QToolButton::clicked, this, &ProfilePanel::moduleRequested);
  connect(save_, &QToolButton::clicked, this, &ProfilePanel::htmlRequested);
  connect(keep_, &QToolButton::clicked, this, &ProfilePanel::keep);
  connect(chip_, &QComboBox::activated, this, &ProfilePanel::run);
  auto* line = new FlowLayout(nullptr);
  line->setContentsMargins(8, 6, 8, 6);
  for (QWidget* part : std::initializer_list<QWidget*>{files, module, chip_, keep_, save_, job_})
    line->addWidget(part);
  return line;
}

void ProfilePanel::makeTables() {
  const std::array<QString, kTables> names{"Where a step's time goes"_tr, "What would help"_tr,
                                           "Instructions"_tr, "Not attributed"_tr, "What was reached"_tr};
  for (size_t t = 0; t < kTables; ++t) {
    models_[t] = new TextTableModel(this);
    tables_[t] = text_table_view(models_[t], names[t], this);
  }
  auto* step = new QSplitter(Qt::Horizontal, this);
  step->addWidget(tables_[overview]);
  step->addWidget(tables_[help]);
  step->setChildrenCollapsible(false);
  tabs_->setDocumentMode(true);
  tabs_->addTab(step, "Step"_tr);
  for (const Table t : {instructions, unmatched, reached}) tabs_->addTab(tables_[t], names[t]);
  connect(tabs_, &QTabWidget::currentChanged, this, &ProfilePanel::fit);
}

void ProfilePanel::open(const QStringList& files) {
  files_ = files;
  module_.clear();
  run();
}

void ProfilePanel::setModule(const QString& path) {
  module_ = path;
  run();
}

void ProfilePanel::run() {
  if (files_.isEmpty()) return job_->end("Choose a profile first."_tr, true);
  asked_ = true;
  ProfileRequest request;
  for (const QString& file : files_) request.files.push_back(file.toStdString());
  request.hlo_file = module_.toStdString();
  request.hardware = chip_->currentData().toString().toStdString();
  job_->begin();
  reading_work_.startReporting(
      [this, request](std::stop_token stop, auto post) mutable {
        request.progress = [this, post](const std::string& what, double fraction) {
          post([this, text = QString::fromStdString(what), fraction] { job_->setProgress(text, fraction); });
        };
        return beside_profile(request, stop);
      },
      [this](Result<ProfileBeside> beside) {
        if (!beside.ok()) return refuse(beside.error());
        job_->end("");
        show(std::make_shared<const ProfileBeside>(std::move(*beside)));
      });
}

// What was shown before is of other files.
void ProfilePanel::refuse(const Error& error) {
  const bool cancelled = error.kind == ErrorKind::cancelled;
  job_->end(cancelled ? "Cancelled."_tr : in_window(error), !cancelled);
  show(nullptr);
}

void ProfilePanel::show(std::shared_ptr<const ProfileBeside> beside) {
  shown_ = std::move(beside);
  const bool any = shown_ != nullptr;
  const ProfileBeside nothing;
  const ProfileBeside& it = any ? *shown_ : nothing;
  headline_->setText(any ? QString::fromStdString(profile_headline(it))
                         : spoken(help_topic("profile").shows));
  notes_->setText(any ? QString::fromStdString(profile_origin(it)) + '\n' + lines_of(profile_notes(it))
                      : QString());
  notes_->setToolTip(files_.join('\n'));
  notes_->setVisible(any);
  models_[overview]->set(profile_overview(it));
  models_[help]->set(profile_help(it));
  models_[instructions]->set(profile_instructions(it, 0));
  models_[unmatched]->set(profile_unmatched(it, 0));
  models_[reached]->set(profile_reached(it, kReachedRows));
  tabs_->setVisible(any);
  tabs_->setTabVisible(tabs_->indexOf(tables_[unmatched]), any && !it.unmatched.empty());
  for (QToolButton* each : {keep_, save_}) each->setEnabled(any);
  fit();
}

void ProfilePanel::keep() {
  const auto& workspace = bench_.runs().workspace();
  if (!shown_ || !workspace) return;
  keep_->setEnabled(false);
  keeping_work_.start([path = workspace->path(), trace = shown_->trace](
                          std::stop_token stop) { return record_measured(path, *trace, stop); },
                      [this](const Result<int64_t>& id) {
                        if (id.ok()) {
                          job_->end("Kept as trace %1."_tr.arg(*id));
                          Q_EMIT kept();
                        } else {
                          keep_->setEnabled(true);
                          job_->end(in_window(id.error()), true);
                        }
                      });
}

QString ProfilePanel::page() const {
  return shown_ ? QString::fromStdString(beside_page(*shown_, {})) : QString();
}

void ProfilePanel::fit() {
  for (QTableView* each : tables_) fit_columns(*each);
}

void ProfilePanel::setTheme(const Theme&) {
  for (QTableView* each : tables_) fit_table(*each);
}

QJsonObject ProfilePanel::state() const {
  if (files_.isEmpty()) return {};
  return {{"files", QJsonArray::fromStringList(files_)},
          {"module", module_},
          {"chip", chip_->currentData().toString()}};
}

void ProfilePanel::restore(const QJsonObject& state) {
  files_.clear();
  for (const QJsonValue& file : state["files"].toArray()) files_ << file.toString();
  module_ = state["module"].toString();
  chip_->setCurrentIndex(std::max(0, chip_->findData(state["chip"].toString())));
  asked_ = false;
  if (isVisible() && !files_.isEmpty()) run();
}

void ProfilePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (!asked_ && !files_.isEmpty()) run();
}

}  // namespace shardscope::inline window
