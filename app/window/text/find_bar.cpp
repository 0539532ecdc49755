// SPDX-License-Identifier: Apache-2.0
#include "app/window/text/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/text.h"

namespace shardscope::inline window {
namespace {

constexpr int kLinesAtATime = 4096;

// The first place at or behind `from`, of a needle in small letters.
size_t find_in(std::string_view line, std::string_view needle, size_t from) {
  if (line.size() < needle.size()) return std::string_view::npos;
  for (size_t at = from; at + needle.size() <= line.size(); ++at) {
    size_t k = 0;
    while (k < needle.size() && small_letter(line[at + k]) == needle[k]) ++k;
    if (k == needle.size()) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<TextPlace> find_all(const IndexedText& text, const std::string& needle, std::stop_token stop) {
  std::vector<TextPlace> out;
  const std::string small = small_letters(needle);
  if (small.empty()) return out;
  for (int line = 0; line < text.lineCount() && out.size() < kMostFound; ++line) {
    if (line % kLinesAtATime == 0 && stop.stop_requested()) return {};
    const std::string_view each = text.line(line);
    for (size_t at = find_in(each, small, 0); at != std::string_view::npos && out.size() < kMostFound;
         at = find_in(each, small, at + small.size()))
      out.push_back({line, static_cast<int>(at)});
  }
  return out;
}

FindBar::FindBar(Text text, QWidget* parent)
    : QWidget(parent), text_(std::move(text)), field_(new QLineEdit(this)), said_(form_label("", this)) {
  field_->setPlaceholderText("search in the text"_tr);
  field_->setAccessibleName("Search in the text"_tr);
  field_->setClearButtonEnabled(true);
  field_->setToolTip("Enter goes to the next place, Shift+Enter to the one before, Esc closes"_tr);
  said_->setAccessibleName("Places found"_tr);
  auto* before = small_button("↑", "To the place before (Shift+F3)"_tr, this);
  auto* next = small_button("↓", "To the next place (F3)"_tr, this);
  auto* end = small_button("×", "Closes the search"_tr, this);
  before->setAccessibleName("Place before"_tr);
  next->setAccessibleName("Next place"_tr);
  end->setAccessibleName("Close the search"_tr);
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(8, 2, 8, 2);
  for (QWidget* each : std::initializer_list<QWidget*>{field_, said_, before, next, end})
    line->addWidget(each);
  line->setStretchFactor(field_, 1);
  connect(field_, &QLineEdit::textChanged, this, [this] { search(true); });
  connect(before, &QToolButton::clicked, this, [this] { step(-1); });
  connect(next, &QToolButton::clicked, this, [this] { step(1); });
  connect(end, &QToolButton::clicked, this, &FindBar::close);
  hide();
}

void FindBar::begin(const QString& needle) {
  show();
  field_->setFocus(Qt::ShortcutFocusReason);
  if (!needle.isEmpty() && needle != field_->text())
    field_->setText(needle);
  else
    search(false);
  field_->selectAll();
}

void FindBar::again() {
  if (isVisible()) search(false);
}

// The places of a needle that was sought before are not gone to: the text has changed, not the question.
void FindBar::search(bool goes) {
  Q_EMIT needleChanged(field_->text());
  found_.clear();
  place_ = -1;
  busy_ = true;
  said_->setText("…");
  work_.start([text = text_(), needle = field_->text().toStdString()](
                  std::stop_token stop) { return find_all(*text, needle, stop); },
              [this, goes](std::vector<TextPlace> found) {
                busy_ = false;
                found_ = std::move(found);
                goes ? step(1) : tell();
              });
}

void FindBar::step(int by) {
  const int count = static_cast<int>(found_.size());
  if (count > 0) {
    place_ = place_ < 0 ? (by > 0 ? 0 : count - 1) : (place_ + by + count) % count;
    const TextPlace& at = found_[static_cast<size_t>(place_)];
    Q_EMIT shown(at.line, at.column, static_cast<int>(field_->text().size()));
  }
  tell();
}

void FindBar::tell() {
  if (field_->text().isEmpty()) return said_->clear();
  if (found_.empty()) return said_->setText("nothing found"_tr);
  const QString all = QString::number(found_.size()) + (found_.size() == kMostFound ? "+" : "");
  said_->setText(place_ < 0 ? "%1 found"_tr.arg(all) : "%1 of %2"_tr.arg(place_ + 1).arg(all));
}

void FindBar::close() {
  work_.cancel();
  busy_ = false;
  hide();
  Q_EMIT needleChanged("");
  Q_EMIT closed();
}

// Keys that are the window's elsewhere.
bool FindBar::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape || key == Qt::Key_F3) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  const bool back = event->modifiers().testFlag(Qt::ShiftModifier);
  switch (event->key()) {
    case Qt::Key_Escape:
      return close();
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F3:
      return step(back ? -1 : 1);
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window
