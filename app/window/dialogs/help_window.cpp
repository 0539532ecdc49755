// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/help_window.h"

#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QScreen>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/window/docks/docks.h"
#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

constexpr int kTopic = Qt::UserRole;  // of a row of the list

bool is_dock(const QString& topic) {
  return std::any_of(docks().begin(), docks().end(), [&](const Dock& dock) { return dock.id == topic; });
}

}  // namespace

HelpWindow::HelpWindow(const KeyMap& keys, QWidget* parent)
    : QDialog(parent),
      entries_(help_entries(keys)),
      search_(new QLineEdit(this)),
      list_(new QListWidget(this)),
      text_(new QTextBrowser(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setObjectName("help");
  setWindowTitle("Help"_tr);
  explained_by(this, "window");
  search_->setPlaceholderText("Search the help"_tr);
  search_->setAccessibleName("Search the help"_tr);
  search_->setClearButtonEnabled(true);
  search_->installEventFilter(this);
  list_->setAccessibleName("Topics"_tr);
  text_->setAccessibleName("Topic"_tr);
  auto* left = new QWidget(this);
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(search_);
  column->addWidget(list_, 1);
  auto* both = new QSplitter(this);
  both->addWidget(left);
  both->addWidget(text_);
  both->setStretchFactor(1, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  go_ = buttons->addButton("&Go to this view"_tr, QDialogButtonBox::ActionRole);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(both, 1);
  layout->addWidget(buttons);
  connect(search_, &QLineEdit::textChanged, this, &HelpWindow::narrow);
  connect(list_, &QListWidget::currentItemChanged, this, &HelpWindow::read);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(go_, &QPushButton::clicked, this, [this] { Q_EMIT goRequested(topic()); });
  const int letter = fontMetrics().averageCharWidth();
  const QSize room = parent != nullptr ? parent->window()->size() : screen()->availableSize();
  resize(QSize(letter * 110, fontMetrics().height() * 34).boundedTo(room * 0.95));
  both->setSizes({width() / 3, width() * 2 / 3});
  narrow();
}

void HelpWindow::narrow() {
  const QString before = topic();
  list_->clear();
  QString group;
  for (const size_t at : matching(entries_, search_->text())) {
    const HelpEntry& entry = entries_[at];
    // Found ones stand by how well they fit, not by group.
    if (search_->text().isEmpty() && entry.group != group) {
      group = entry.group;
      auto* head = new QListWidgetItem(group, list_);
      head->setFlags(Qt::NoItemFlags);
    }
    auto* item = new QListWidgetItem(entry.title, list_);
    item->setData(kTopic, entry.id);
    item->setToolTip(entry.group);
  }
  open(search_->text().isEmpty() ? before : QString());
}

void HelpWindow::open(const QString& wanted) {
  QListWidgetItem* first = nullptr;
  for (int row = 0; row < list_->count(); ++row) {
    QListWidgetItem* item = list_->item(row);
    if (item->data(kTopic).isNull()) continue;
    if (first == nullptr) first = item;
    if (item->data(kTopic) == wanted) return list_->setCurrentItem(item);
  }
  list_->setCurrentItem(first);
  read();
}

QString HelpWindow::topic() const {
  return list_->currentItem() == nullptr ? QString() : list_->currentItem()->data(kTopic).toString();
}

void HelpWindow::read() {
  const QString id = topic();
  go_->setVisible(is_dock(id));
  for (const HelpEntry& entry : entries_) {
    if (entry.id == id) return text_->setMarkdown(entry.markdown + (columns_ ? columns_(id) : QString()));
  }
  text_->setPlainText("Nothing in the help has these words."_tr);
}

// From the search up and down walk along the topics.
bool HelpWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key != Qt::Key_Up && key != Qt::Key_Down) return QDialog::eventFilter(watched, event);
  const int by = key == Qt::Key_Down ? 1 : -1;
  for (int row = list_->currentRow() + by; row >= 0 && row < list_->count(); row += by) {
    if (list_->item(row)->data(kTopic).isNull()) continue;
    list_->setCurrentRow(row);
    break;
  }
  return true;
}

QString topic_of(const QWidget* focus) {
  for (const QWidget* each = focus; each != nullptr; each = each->parentWidget()) {
    QString own = each->property(kHelpProperty).toString();
    if (!own.isEmpty()) return own;
    if (each->isWindow()) break;
  }
  return {};
}

}  // namespace shardscope::inline window
