// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/key_overview.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/settings/view_keys.h"
#include "app/window/widgets/form_parts.h"
#include "app/window/widgets/searched.h"

namespace shardscope::inline window {
namespace {

constexpr int kKeyChars = 16, kLineChars = 46;  // characters

QWidget* make_line(const QString& key, const QString& does, QWidget* parent) {
  auto* line = new QWidget(parent);
  auto* layout = new QHBoxLayout(line);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* left = new QLabel(key, line);
  auto* right = form_label(does, line);
  for (QLabel* label : {left, right}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  }
  left->setFixedWidth(line->fontMetrics().averageCharWidth() * kKeyChars);
  layout->addWidget(left);
  layout->addWidget(right, 1);
  line->setAccessibleName(QString("%1: %2").arg(key, does));
  return line;
}

}  // namespace

KeyOverview::KeyOverview(KeyMap& keys, QWidget* parent)
    : QDialog(parent),
      keys_(keys),
      search_(new QLineEdit(this)),
      area_(new QScrollArea(this)),
      sheet_(new QWidget),
      columns_(new QHBoxLayout(sheet_)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle("Keys"_tr);
  explained_by(this, "keys");
  search_->setPlaceholderText("Search a key or what it does"_tr);
  search_->setAccessibleName("Search keys"_tr);
  search_->setClearButtonEnabled(true);
  for (const Focus& focus : focuses()) addGroup(focus.id, focus.title);
  columns_->setSpacing(fontMetrics().averageCharWidth() * 2);
  area_->setWidgetResizable(true);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->setAccessibleName("Keys"_tr);
  area_->setWidget(sheet_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  QPushButton* change = buttons->addButton("C&hange keys…"_tr, QDialogButtonBox::ActionRole);
  change->setToolTip("Preferences > Keys"_tr);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(search_);
  layout->addWidget(area_, 1);
  layout->addWidget(buttons);
  connect(search_, &QLineEdit::textChanged, this, &KeyOverview::narrow);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(change, &QPushButton::clicked, this, [this] {
    Q_EMIT changeRequested();
    close();
  });
  const QSize wanted(fontMetrics().averageCharWidth() * (kLineChars + 4) * 3, fontMetrics().height() * 40);
  const QSize room = parent != nullptr ? parent->size() : screen()->availableSize();
  resize(wanted.boundedTo(room * 0.95));
}

void KeyOverview::addGroup(const QString& focus, const QString& title) {
  auto* box = new QWidget(sheet_);
  auto* layout = new QVBoxLayout(box);
  layout->setContentsMargins(0, 0, 0, 8);
  layout->setSpacing(2);
  layout->addWidget(heading_label(spoken(title), box));
  Group group{box, {}};
  const auto add = [&](const QString& key, const QString& does) {
    group.lines.push_back({key, does, make_line(key, does, box)});
    layout->addWidget(group.lines.back().widget);
  };
  for (const KeyRow& row : keys_.rows()) {
    const QList<QKeySequence> now = keys_.keys(row.id);
    if (row.focus == focus && !now.isEmpty()) add(text_of_keys(now), row.title);
  }
  for (const Gesture& each : gestures()) {
    if (each.focus == focus) add(spoken(each.gesture), spoken(each.does));
  }
  groups_.push_back(std::move(group));
}

void KeyOverview::narrow() {
  const Search search = search_for(search_->text());
  for (const Group& group : groups_) {
    bool any = false;
    for (const Line& line : group.lines) {
      const bool fits = search.finds(searched({line.key, line.does}));
      line.widget->setVisible(fits);
      any = any || fits;
    }
    group.box->setVisible(any);
  }
  arrange();
}

void KeyOverview::arrange() {
  while (QLayoutItem* item = columns_->takeAt(0)) delete item;  // the boxes stay the sheet's
  const int wanted = fontMetrics().averageCharWidth() * kLineChars;
  const int room = area_->viewport()->width();
  const int count = std::max(1, room / wanted), width = room / count - columns_->spacing();
  std::vector<QVBoxLayout*> columns;
  std::vector<int> heights(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    columns.push_back(new QVBoxLayout);
    columns_->addLayout(columns.back(), 1);
  }
  for (const Group& group : groups_) {
    if (group.box->isHidden()) continue;
    const auto shortest = std::min_element(heights.begin(), heights.end());
    columns[static_cast<size_t>(shortest - heights.begin())]->addWidget(group.box);
    const int tall = group.box->heightForWidth(width);
    *shortest += tall > 0 ? tall : group.box->sizeHint().height();
  }
  for (QVBoxLayout* column : columns) column->addStretch(1);
}

void KeyOverview::resizeEvent(QResizeEvent* event) {
  QDialog::resizeEvent(event);
  arrange();
}

QStringList KeyOverview::shown() const {
  QStringList out;
  for (const Group& group : groups_) {
    for (const Line& line : group.lines) {
      if (!line.widget->isHidden()) out << line.key + "  " + line.does;
    }
  }
  return out;
}

}  // namespace shardscope::inline window
