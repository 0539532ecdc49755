// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_editor.h"

#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QSaveFile>
#include <QVBoxLayout>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"
#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/text/parser.h"

namespace shardscope::inline window {
namespace {

constexpr int kTypingPauseMs = 250;
constexpr int kLineRole = Qt::UserRole, kColumnRole = Qt::UserRole + 1;

QString problem_text(const kernels::TextProblem& problem) {
  const QString what = QString::fromStdString(problem.what);
  return problem.fix.empty() ? what : what + "; " + QString::fromStdString(problem.fix);
}

std::vector<KernelMark> marks_of(const kernels::CheckedText& checked) {
  std::vector<KernelMark> out;
  for (const kernels::TextProblem& problem : checked.problems)
    out.push_back({problem.place.line, problem.place.column, problem.length, true, problem_text(problem)});
  if (!checked.run) return out;
  for (const KernelFindingCount& count : checked.run->findings) {
    const QString text = "%1 in %2 of %3 schedules: %4"_tr.arg(name(count.finding.kind))
                             .arg(count.runs)
                             .arg(checked.run->schedules)
                             .arg(QString::fromStdString(count.finding.message));
    for (const KernelAccess* side : {&count.finding.first, &count.finding.second}) {
      const KernelMark mark{side->line, 1, 0, false, text};
      if (side->line > 0 && std::ranges::find(out, mark) == out.end()) out.push_back(mark);
    }
    if (count.finding.first.line <= 0) out.push_back({1, 1, 0, false, text});
  }
  return out;
}

}  // namespace

KernelEditor::KernelEditor(KernelPlayer& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      edit_(new KernelTextEdit(this)),
      list_(new QListWidget(this)),
      said_(new QLabel(this)) {
  layOut();
  pause_.setSingleShot(true);
  pause_.setInterval(kTypingPauseMs);
  connect(&pause_, &QTimer::timeout, this, &KernelEditor::check);
  connect(edit_, &QPlainTextEdit::textChanged, this, [this] { pause_.start(); });
  connect(list_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
    edit_->goTo(item->data(kLineRole).toInt(), item->data(kColumnRole).toInt());
  });
  connect(list_, &QListWidget::itemClicked, list_, &QListWidget::itemActivated);
  connect(&player_, &KernelPlayer::kernelChanged, this, [this] {
    if (edit_->toPlainText().isEmpty()) takeShown();
  });
}

void KernelEditor::layOut() {
  said_->setWordWrap(true);
  said_->setProperty("role", "muted");
  list_->setAccessibleName("What is wrong with the text"_tr);
  list_->setToolTip("A click goes to the line"_tr);
  list_->setMaximumHeight(8 * fontMetrics().height());
  QToolButton* take =
      small_button("Take the shown text"_tr, "The text of the kernel in the picture, to be changed"_tr, this);
  QToolButton* open = small_button("Open…"_tr, "Open a kernel's text (.kernel)"_tr, this);
  QToolButton* save = small_button("Save…"_tr, "Save the text (.kernel)"_tr, this);
  QToolButton* show = small_button("Show"_tr, "Run this text in the picture, step by step"_tr, this);
  connect(take, &QToolButton::clicked, this, &KernelEditor::takeShown);
  connect(open, &QToolButton::clicked, this, &KernelEditor::askOpen);
  connect(save, &QToolButton::clicked, this, &KernelEditor::askSave);
  connect(show, &QToolButton::clicked, this, &KernelEditor::showText);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 6);
  for (QToolButton* each : {take, open, save, show}) line->addWidget(each);
  line->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(line);
  column->addWidget(edit_, 1);
  column->addWidget(said_);
  column->addWidget(list_);
}

// Undo brings back what was there.
void KernelEditor::takeShown() {
  if (!player_.shown()) return;
  QTextCursor all(edit_->document());
  all.select(QTextCursor::Document);
  all.insertText(QString::fromStdString(join(player_.shown()->layout.listing.lines, "\n") + "\n"));
}

void KernelEditor::showText() {
  KernelChoice choice;
  if (player_.shown()) choice = player_.shown()->choice;
  choice.text = edit_->toPlainText().toStdString();
  const auto entry = entry_of(choice);
  if (!entry.ok()) return said_->setText(in_window(entry.error()));
  choice.kernel = entry->id;
  choice.options.mesh = kernels::mesh_for(*entry, choice.options.mesh);
  Q_EMIT wanted(choice);
}

void KernelEditor::check() {
  const std::string text = edit_->toPlainText().toStdString();
  if (text.empty()) {
    work_.cancel();  // of the text before
    busy_ = false;
    edit_->setMarks({});
    list_->clear();
    return said_->clear();
  }
  kernels::KernelOptions options;
  if (player_.shown()) options = player_.shown()->options;
  busy_ = true;
  work_.start([text, options](
                  std::stop_token stop) { return kernels::check_text(text, options, {}, Workers(), stop); },
              [this](const Result<kernels::CheckedText>& checked) {
                busy_ = false;
                fill(checked);
              });
}

void KernelEditor::fill(const Result<kernels::CheckedText>& checked) {
  list_->clear();
  if (!checked.ok()) return said_->setText(in_window(checked.error()));
  const std::vector<KernelMark> marks = marks_of(*checked);
  edit_->setMarks(marks);
  for (const KernelMark& mark : marks) {
    auto* item = new QListWidgetItem("line %1: %2"_tr.arg(mark.line).arg(mark.text), list_);
    item->setData(kLineRole, mark.line);
    item->setData(kColumnRole, mark.column);
    item->setToolTip(mark.text);
  }
  if (!checked->run) return said_->setText("The text cannot be run yet."_tr);
  said_->setText("%1, %2: %3 right, %4 wrong"_tr
                     .arg(counted_tr(checked->run->layout.mesh.device_count(), "device"),
                          counted_tr(checked->run->schedules, "schedule"))
                     .arg(checked->run->correct_runs)
                     .arg(checked->run->wrong_runs));
}

Result<void> KernelEditor::open(const QString& path) {
  TRY(const std::string text, read_file(path.toStdString(), kernels::kMostKernelText));
  edit_->setPlainText(QString::fromStdString(text));
  path_ = path;
  Q_EMIT used(path);
  return {};
}

Result<void> KernelEditor::save(const QString& path) {
  QSaveFile file(path);
  const QByteArray text = edit_->toPlainText().toUtf8();
  if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
    return io_error(say("cannot write '{}': {}", path.toStdString(), file.errorString().toStdString()));
  path_ = path;
  Q_EMIT used(path);
  return {};
}

void KernelEditor::askOpen() {
  const QString path = QFileDialog::getOpenFileName(this, "Open a kernel"_tr, path_, "Kernels (*.kernel)"_tr);
  if (path.isEmpty()) return;
  if (const auto opened = open(path); !opened.ok()) said_->setText(in_window(opened.error()));
}

void KernelEditor::askSave() {
  QString path = QFileDialog::getSaveFileName(this, "Save the kernel"_tr, path_, "Kernels (*.kernel)"_tr);
  if (path.isEmpty()) return;
  if (!path.endsWith(".kernel")) path += ".kernel";
  if (const auto saved = save(path); !saved.ok()) said_->setText(in_window(saved.error()));
}

}  // namespace shardscope::inline window
