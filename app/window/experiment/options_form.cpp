// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/options_form.h"

#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "engine/collectives/algorithm_table.h"

namespace shardscope::inline window {
namespace {

// One line per kind of collective: the algorithm, and what made auto choose it.
QString choices_of(const Run& run) {
  QStringList lines;
  for (const CollectiveSummary& each : run.timeline.collectives) {
    QString line = QString::fromStdString(each.opcode);
    if (!each.axis.empty()) line += " over "_tr + QString::fromStdString(each.axis);
    line += ": " + QString::fromStdString(each.algorithm);
    if (!each.why.empty()) line += " – " + QString::fromStdString(each.why);
    lines << line;
  }
  lines.removeDuplicates();
  return lines.join('\n');
}

}  // namespace

OptionsForm::OptionsForm(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      rows_(new FieldRows(document, {Scope::run, Scope::experiment, Scope::check}, 3, this)),
      chosen_(new QLabel(this)) {
  for (const AlgorithmRow& row : collective_algorithms())
    collective()->setItemData(collective()->findText(row.word), row.does, Qt::ToolTipRole);
  chosen_->setProperty("role", "muted");
  chosen_->setWordWrap(true);
  chosen_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(rows_);
  layout->addWidget(chosen_);
  showRun(nullptr);
}

void OptionsForm::showRun(const ShownRunPtr& shown) {
  const QString text = shown ? choices_of(*shown->run) : QString();
  chosen_->setText(text);
  chosen_->setVisible(!text.isEmpty());
  chosen_->setToolTip(shown ? "What the collectives of the shown run use"_tr : QString());
}

}  // namespace shardscope::inline window
