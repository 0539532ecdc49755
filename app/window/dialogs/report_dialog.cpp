// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/report_dialog.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "app/report/made_now.h"
#include "app/report/report_files.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/report/document/writers.h"

namespace shardscope::inline window {
namespace {

constexpr int kChoosingMs = 150;  // a choice is read when the hands rest
constexpr int kId = Qt::UserRole;

// Sections that are pictures alone.
constexpr std::array kPictures{"timelines", "links", "moment", "memory"};

QListWidgetItem* add_item(QListWidget* list, const QString& text, const QVariant& id, bool on) {
  auto* item = new QListWidgetItem(text, list);
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(on ? Qt::Checked : Qt::Unchecked);
  item->setData(kId, id);
  return item;
}

QString words_of_run(const RunSummary& row, bool earlier) {
  const QString text =
      QString("%1 (%2)  %3, %4")
          .arg(QString::fromStdString(row.strategy), "run %1"_tr.arg(row.id),
               QString::fromStdString(row.mesh), QString::fromStdString(format_picoseconds(row.total)));
  return earlier ? "%1, earlier experiment"_tr.arg(text) : text;
}

// What the report says, with the pictures' titles where they will stand.
std::string text_of(const Comparison& comparison, const ReportExtent& extent, const std::string& db) {
  ReportParts parts;
  parts.extent = extent;
  const std::string command = csv_command(db, comparison.runs);
  parts.made = made_now(comparison.runs, command, command);
  for (const ReportPart& part : report_parts()) {
    if (std::ranges::find(kPictures, part.id) == kPictures.end()) continue;
    parts.figures.push_back({part.id, {part.id, part.title, said("a picture, drawn as it is written"), 0}});
  }
  return report_markdown(make_report(comparison, parts), {});
}

bool has_sections(const std::string& format) {
  return format != "csv" && format != "json";
}

}  // namespace

ReportDialog::ReportDialog(Workbench& bench, QWidget* parent)
    : QDialog(parent),
      bench_(bench),
      runs_(new QListWidget(this)),
      parts_(new QListWidget(this)),
      audience_(new QComboBox(this)),
      format_(new QComboBox(this)),
      preview_(new QTextBrowser(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle("Export report"_tr);
  runs_->setAccessibleName("Runs of the report"_tr);
  parts_->setAccessibleName("Sections of the report"_tr);
  audience_->setAccessibleName("For whom the report is"_tr);
  audience_->addItem("Engineers"_tr, name(Audience::engineer));
  audience_->addItem("A class"_tr, name(Audience::students));
  for (const Audience each : kAudiences)
    audience_->setItemData(audience_->findData(name(each)), QString::fromStdString(said(description(each))),
                           Qt::ToolTipRole);
  format_->setAccessibleName("Format of the report"_tr);
  preview_->setAccessibleName("What the report will say"_tr);
  preview_->setOpenLinks(false);
  for (const ReportFormat& format : report_formats()) format_->addItem(format.title, QString(format.id));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  export_ = buttons->addButton("Export…"_tr, QDialogButtonBox::AcceptRole);
  connect(buttons, &QDialogButtonBox::accepted, this, &ReportDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &ReportDialog::reject);
  auto* choices = new QVBoxLayout;
  choices->addWidget(form_label("Runs"_tr, this));
  choices->addWidget(runs_, 3);
  choices->addWidget(form_label("For"_tr, this));
  choices->addWidget(audience_);
  choices->addWidget(form_label("Sections"_tr, this));
  choices->addWidget(parts_, 2);
  choices->addWidget(form_label("Format"_tr, this));
  choices->addWidget(format_);
  auto* shown = new QVBoxLayout;
  shown->addWidget(form_label("What it will say"_tr, this));
  shown->addWidget(preview_, 1);
  auto* both = new QHBoxLayout;
  both->addLayout(choices, 2);
  both->addLayout(shown, 3);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(both, 1);
  layout->addWidget(buttons);
  resize(QSize(fontMetrics().averageCharWidth() * 130, fontMetrics().height() * 36));
  fill();
  soon_.setSingleShot(true);
  soon_.setInterval(kChoosingMs);
  connect(&soon_, &QTimer::timeout, this, &ReportDialog::prepare);
  for (const QListWidget* list : {runs_, parts_})
    connect(list, &QListWidget::itemChanged, this, &ReportDialog::read);
  connect(format_, &QComboBox::currentIndexChanged, this, &ReportDialog::read);
  connect(audience_, &QComboBox::currentIndexChanged, this, &ReportDialog::chooseAudience);
  read();
}

// The experiment's first, then what else the workspace has.
void ReportDialog::fill() {
  const std::set<int64_t> old = old_runs(bench_.runs(), bench_.document().experiment());
  const std::set<int64_t>& current = bench_.runs().current();
  for (const bool of_experiment : {true, false}) {
    for (const RunSummary& row : bench_.runs().rows()) {
      if (current.contains(row.id) != of_experiment) continue;
      add_item(runs_, words_of_run(row, !of_experiment || old.contains(row.id)),
               static_cast<qlonglong>(row.id), of_experiment || current.empty());
    }
  }
  for (const ReportPart& part : report_parts())
    add_item(parts_, QString::fromStdString(part.title), QString::fromStdString(part.id), true);
}

void ReportDialog::chooseAudience() {
  const std::set<std::string>& left_out = left_out_for(choice().extent.audience);
  for (int i = 0; i < parts_->count(); ++i) {
    const bool told = !left_out.contains(parts_->item(i)->data(kId).toString().toStdString());
    parts_->item(i)->setCheckState(told ? Qt::Checked : Qt::Unchecked);
  }
  read();
}

ReportChoice ReportDialog::choice() const {
  ReportChoice out;
  for (int i = 0; i < runs_->count(); ++i)
    if (runs_->item(i)->checkState() == Qt::Checked)
      out.runs.push_back(runs_->item(i)->data(kId).toLongLong());
  for (int i = 0; i < parts_->count(); ++i)
    if (parts_->item(i)->checkState() != Qt::Checked)
      out.extent.left_out.insert(parts_->item(i)->data(kId).toString().toStdString());
  out.extent.audience = *parse_audience(audience_->currentData().toString().toStdString());
  out.format = format_->currentData().toString().toStdString();
  return out;
}

void ReportDialog::read() {
  const ReportChoice now = choice();
  parts_->setEnabled(has_sections(now.format));
  parts_->setToolTip(has_sections(now.format) ? QString() : "A file of numbers has all of them"_tr);
  export_->setEnabled(!now.runs.empty());
  soon_.start();
}

void ReportDialog::prepare() {
  const ReportChoice now = choice();
  if (now.runs.empty()) return preview_->setPlainText("Tick the runs that are wanted."_tr);
  preparing_ = true;
  std::map<int64_t, RunPtr> there = bench_.runs().known();
  there.insert(read_.begin(), read_.end());
  making_.start(
      [now, there, skipped = bench_.runs().skipped(), experiment = bench_.document().experiment(),
       workspace = bench_.runs().workspace()](std::stop_token stop) {
        Made out;
        const auto make = [&]() -> Result<std::string> {
          Comparison comparison;
          comparison.skipped = skipped;
          for (const int64_t id : now.runs) {
            const auto known = there.find(id);
            if (known == there.end()) {
              TRY(out.read[id], workspace->load(id, {stop, {}}));
            }
            comparison.runs.push_back(known == there.end() ? out.read[id] : known->second);
          }
          comparison.title = title_of(comparison.runs, experiment);
          return text_of(comparison, now.extent, workspace->path());
        };
        out.text = make();
        return out;
      },
      [this](const Made& made) {
        preparing_ = false;
        read_.insert(made.read.begin(), made.read.end());
        if (made.text.ok()) return preview_->setMarkdown(QString::fromStdString(*made.text));
        preview_->setPlainText(QString::fromStdString(made.text.error().text()));
      });
}

void ReportDialog::accept() {
  const ReportChoice now = choice();
  if (now.runs.empty()) return;
  QDialog::accept();
  Q_EMIT wanted(now);
}

}  // namespace shardscope::inline window
