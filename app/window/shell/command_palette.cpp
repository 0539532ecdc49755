// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/command_palette.h"

#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

namespace shardscope {
namespace {

constexpr int kMostListed = 200;

bool has_all_words(const QString& text, const QString& words) {
  const QStringList parts = words.split(' ', Qt::SkipEmptyParts);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

CommandPalette::CommandPalette(const QString& prompt, std::vector<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent, Qt::Popup),
      entries_(std::move(entries)),
      input_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  input_->setPlaceholderText(prompt);
  input_->installEventFilter(this);
  list_->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(input_);
  layout->addWidget(list_);
  const int width = fontMetrics().averageCharWidth() * 70;
  resize(width, fontMetrics().height() * 22);
  if (parent != nullptr) {
    const QPoint top = parent->mapToGlobal(QPoint((parent->width() - width) / 2, parent->height() / 8));
    move(top);
  }
  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::narrow);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::choose);
  narrow();
  input_->setFocus();
}

void CommandPalette::narrow() {
  list_->clear();
  for (size_t i = 0; i < entries_.size() && list_->count() < kMostListed; ++i) {
    const PaletteEntry& entry = entries_[i];
    if (!has_all_words(entry.text + ' ' + entry.detail, input_->text())) continue;
    auto* item =
        new QListWidgetItem(entry.detail.isEmpty() ? entry.text : entry.text + "    " + entry.detail, list_);
    item->setData(Qt::UserRole, static_cast<int>(i));
  }
  list_->setCurrentRow(0);
}

void CommandPalette::choose() {
  const QListWidgetItem* item = list_->currentItem();
  if (item == nullptr) return;
  const auto chosen = entries_[static_cast<size_t>(item->data(Qt::UserRole).toInt())].choose;
  accept();
  if (chosen) chosen();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const int row = list_->currentRow();
  switch (key->key()) {
    case Qt::Key_Down:
      list_->setCurrentRow(std::min(row + 1, list_->count() - 1));
      return true;
    case Qt::Key_Up:
      list_->setCurrentRow(std::max(row - 1, 0));
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      choose();
      return true;
    default:
      return QDialog::eventFilter(watched, event);
  }
}

}  // namespace shardscope
