// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/command_palette.h"

#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/searched.h"

namespace shardscope::inline window {
namespace {

constexpr int kMostListed = 200, kPage = 10;

// How many letters stand between those of `word` where they come in this order; none: they do not.
std::optional<qsizetype> looseness(const QString& text, const QString& word) {
  std::optional<qsizetype> least;
  for (qsizetype start = text.indexOf(word[0]); start >= 0; start = text.indexOf(word[0], start + 1)) {
    qsizetype at = start;
    for (qsizetype i = 1; i < word.size() && at >= 0; ++i) at = text.indexOf(word[i], at + 1);
    if (at < 0) break;
    const qsizetype between = at - start + 1 - word.size();
    if (!least || between < *least) least = between;
  }
  return least;
}

std::optional<qsizetype> looseness_of(const QString& text, const QStringList& words) {
  qsizetype sum = 0;
  for (const QString& word : words) {
    const auto each = looseness(text, word);
    if (!each) return std::nullopt;
    sum += *each;
  }
  return sum;
}

std::vector<size_t> loosely_found(const std::vector<PaletteEntry>& entries, const QString& words) {
  const QStringList parts = words.toLower().split(' ', Qt::SkipEmptyParts);
  std::vector<std::pair<qsizetype, size_t>> loose;
  for (size_t i = 0; i < entries.size(); ++i) {
    const QString text = QString(entries[i].text + ' ' + entries[i].detail).toLower();
    if (const auto by = looseness_of(text, parts)) loose.emplace_back(*by, i);
  }
  std::sort(loose.begin(), loose.end());
  std::vector<size_t> out;
  for (const auto& [by, place] : loose) out.push_back(place);
  return out;
}

}  // namespace

CommandPalette::CommandPalette(const QString& prompt, std::vector<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent, Qt::Popup),
      entries_(std::move(entries)),
      input_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  explained_by(this, "palette");
  for (const PaletteEntry& entry : entries_)
    searched_.push_back(searched(entry.called + QStringList(entry.text), entry.detail));
  input_->setAccessibleName(prompt);
  list_->setAccessibleName(prompt);
  input_->setPlaceholderText(prompt);
  input_->installEventFilter(this);
  list_->setFocusPolicy(Qt::NoFocus);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->addWidget(input_);
  layout->addWidget(list_);
  int width = fontMetrics().averageCharWidth() * 70, height = fontMetrics().height() * 22;
  if (parent != nullptr) {
    width = std::min(width, parent->width());
    height = std::min(height, parent->height() * 3 / 4);
    const QPoint top = parent->mapToGlobal(QPoint((parent->width() - width) / 2, parent->height() / 8));
    move(top);
  }
  resize(width, height);
  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::narrow);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::choose);
  narrow();
  input_->setFocus();
}

void CommandPalette::narrow() {
  list_->clear();
  std::vector<size_t> found =
      found_in(searched_, search_for(input_->text()), [](const Searched& each) { return each; });
  if (found.empty()) found = loosely_found(entries_, input_->text());
  for (const size_t i : found) {
    if (list_->count() == kMostListed) break;
    const PaletteEntry& entry = entries_[i];
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
    case Qt::Key_PageDown:
      list_->setCurrentRow(std::min(row + kPage, list_->count() - 1));
      return true;
    case Qt::Key_PageUp:
      list_->setCurrentRow(std::max(row - kPage, 0));
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      choose();
      return true;
    default:
      return QDialog::eventFilter(watched, event);
  }
}

}  // namespace shardscope::inline window
