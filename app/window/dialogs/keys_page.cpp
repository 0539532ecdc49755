// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/keys_page.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QVBoxLayout>

#include "app/window/document/language.h"
#include "app/window/settings/view_keys.h"
#include "app/window/widgets/flow_layout.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/open_rows.h"
#include "app/window/widgets/searched.h"
#include "app/window/widgets/table_columns.h"

namespace shardscope::inline window {
namespace {

constexpr int kCommandId = Qt::UserRole;

bool only_modifier(int key) {
  return key == Qt::Key_Shift || key == Qt::Key_Control || key == Qt::Key_Alt || key == Qt::Key_Meta ||
         key == Qt::Key_AltGr || key == Qt::Key_unknown || key == 0;
}

}  // namespace

KeyField::KeyField(QWidget* parent) : QLineEdit(parent) {
  setReadOnly(true);
  setPlaceholderText("Choose a command, then press Enter and its new key."_tr);
  setAccessibleName("New key"_tr);
  setToolTip("Press the new key; Esc keeps the old one"_tr);
}

void KeyField::begin() {
  waiting_ = true;
  setText("Press the new key. Esc keeps the old one."_tr);
  setFocus(Qt::OtherFocusReason);
}

// All but Tab while it waits: the window's own commands too.
bool KeyField::event(QEvent* event) {
  if (!waiting_ || (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress))
    return QLineEdit::event(event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Tab || key->key() == Qt::Key_Backtab) return QLineEdit::event(event);
  event->accept();
  if (event->type() == QEvent::ShortcutOverride || only_modifier(key->key())) return true;
  waiting_ = false;
  clear();
  if (key->key() != Qt::Key_Escape) Q_EMIT chosen(pressed(*key));
  Q_EMIT ended();
  return true;
}

void KeyField::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  if (!std::exchange(waiting_, false)) return;
  clear();
  Q_EMIT ended();
}

KeysPage::KeysPage(KeyMap& keys, QWidget* parent)
    : QWidget(parent),
      keys_(keys),
      search_(new QLineEdit(this)),
      table_(new QTreeWidget(this)),
      field_(new KeyField(this)),
      conflict_(refusal_label(this)),
      take_over_(new QPushButton("&Take it over"_tr, this)) {
  search_->setPlaceholderText("Search a command or a key"_tr);
  search_->setAccessibleName("Search keys"_tr);
  search_->setClearButtonEnabled(true);
  set_columns(*table_, {{"command"_tr, "What the key does"_tr},
                        {"key"_tr, "Bold where it is not the first one"_tr},
                        {"where"_tr, "What must have the focus"_tr}});
  table_->setAccessibleName("Commands and their keys"_tr);
  table_->setRootIsDecorated(false);
  table_->setAlternatingRowColors(true);
  table_->setUniformRowHeights(true);
  take_over_->setObjectName("take_over");
  take_over_->setToolTip("The other command loses the key"_tr);
  take_over_->hide();
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(search_);
  layout->addWidget(table_, 1);
  layout->addWidget(field_);
  layout->addWidget(conflict_);
  layout->addWidget(take_over_, 0, Qt::AlignLeft);
  layout->addWidget(makeButtons());
  fill();
  connect(search_, &QLineEdit::textChanged, this, &KeysPage::narrow);
  connect(&keys_, &KeyMap::changed, this, &KeysPage::readKeys);
  connect(table_, &QTreeWidget::currentItemChanged, this, &KeysPage::settle);
  connect(field_, &KeyField::chosen, this, [this](const QKeySequence& key) { want({key}); });
  connect(field_, &KeyField::ended, this, [this] { table_->setFocus(Qt::OtherFocusReason); });
  connect(take_over_, &QPushButton::clicked, this, [this] {
    keys_.takeOver(chosen(), wanted_);
    settle();
    table_->setFocus(Qt::OtherFocusReason);
  });
  open_rows(table_, [this](QTreeWidgetItem* item) {
    if (item != nullptr) field_->begin();
  });
}

QWidget* KeysPage::makeButtons() {
  auto* bar = new QWidget(this);
  auto* line = new FlowLayout(bar);
  const auto add = [&](const char* name, const QString& text, const QString& tip, auto run) {
    auto* button = new QPushButton(text, bar);
    button->setObjectName(name);
    button->setToolTip(tip);
    line->addWidget(button);
    connect(button, &QPushButton::clicked, this, run);
  };
  add("change", "&Change…"_tr, "Press the new key of the chosen command"_tr, [this] {
    if (!chosen().isEmpty()) field_->begin();
  });
  add("none", "&No key"_tr, "The chosen command has no key any more"_tr, [this] { want({}); });
  add("reset", "&Reset"_tr, "The key that the chosen command had at first"_tr, [this] {
    if (const KeyRow* row = keys_.find(chosen())) want(row->first);
  });
  add("reset_all", "Reset &all"_tr, "Every command has the key that it had at first"_tr, [this] {
    keys_.resetAll();
    settle();
  });
  return bar;
}

void KeysPage::fill() {
  const auto add = [this](const Focus& focus, bool with_key) {
    for (const KeyRow& row : keys_.rows()) {
      if (row.focus != focus.id || row.first.isEmpty() == with_key) continue;
      auto* item = new QTreeWidgetItem(table_, {row.title, "", spoken(focus.title)});
      item->setData(0, kCommandId, row.id);
    }
  };
  for (const Focus& focus : focuses()) add(focus, true);
  for (const Focus& focus : focuses()) add(focus, false);
  readKeys();
  table_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  table_->header()->setStretchLastSection(false);
  for (int column : {1, 2}) table_->setColumnWidth(column, fontMetrics().averageCharWidth() * 22);
}

// What the user has changed stands in bold.
void KeysPage::readKeys() {
  for (int i = 0; i < table_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = table_->topLevelItem(i);
    const QString id = item->data(0, kCommandId).toString();
    QFont font = table_->font();
    font.setBold(!keys_.isFirst(id));
    item->setText(1, text_of_keys(keys_.keys(id)));
    item->setFont(1, font);
  }
  narrow();
}

void KeysPage::narrow() {
  const Search search = search_for(search_->text());
  for (int i = 0; i < table_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = table_->topLevelItem(i);
    item->setHidden(!search.finds(searched({item->text(0), item->text(1), item->text(2)})));
  }
}

QString KeysPage::chosen() const {
  const QTreeWidgetItem* item = table_->currentItem();
  return item != nullptr ? item->data(0, kCommandId).toString() : QString();
}

void KeysPage::choose(const QString& id) {
  for (int i = 0; i < table_->topLevelItemCount(); ++i) {
    if (table_->topLevelItem(i)->data(0, kCommandId) == id) table_->setCurrentItem(table_->topLevelItem(i));
  }
}

void KeysPage::want(const QList<QKeySequence>& keys) {
  settle();
  const QString id = chosen();
  if (id.isEmpty() || keys_.change(id, keys)) return;
  wanted_ = keys;
  QStringList others;
  for (const QString& other : keys_.conflicts(id, keys)) others << keys_.find(other)->title;
  mark_invalid(field_, conflict_,
               "%1 is the key of: %2. Take it over, or press another one."_tr.arg(text_of_keys(keys),
                                                                                  others.join("; ")));
  take_over_->show();
}

void KeysPage::settle() {
  wanted_.clear();
  mark_invalid(field_, conflict_, "");
  take_over_->hide();
}

}  // namespace shardscope::inline window
