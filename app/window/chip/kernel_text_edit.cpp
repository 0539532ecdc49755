// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_text_edit.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStringListModel>
#include <QTextBlock>
#include <QToolTip>
#include <algorithm>

#include "app/window/document/language.h"
#include "engine/kernels/text/builtins.h"

namespace shardscope::inline window {
namespace {

const QColor kErrorColor(0xCC, 0x33, 0x33), kFindingColor(0xD5, 0x8A, 0x00);

QStringList words_of_the_language() {
  QStringList out{"size", "for", "when", "with", "def", "title", "axes", "result"};
  for (const kernels::Builtin& builtin : kernels::builtins())
    out << QString::fromUtf8(builtin.name.data(), static_cast<qsizetype>(builtin.name.size()));
  out.sort();
  return out;
}

// The word that is being typed.
QString word_before(const QTextCursor& cursor) {
  static const QRegularExpression kWord("\\w*$");
  return kWord.match(cursor.block().text().left(cursor.positionInBlock())).captured();
}

}  // namespace

KernelTextEdit::KernelTextEdit(QWidget* parent)
    : QPlainTextEdit(parent),
      margin_(new QWidget(this)),
      colors_(new KernelColors(document())),
      completer_(new QCompleter(words_of_the_language(), this)) {
  setAccessibleName("The kernel's text"_tr);
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setTabChangesFocus(true);
  setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);  // lines are whole, however narrow the dock is
  completer_->setWidget(this);
  completer_->setCompletionMode(QCompleter::PopupCompletion);
  margin_->installEventFilter(this);
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &KernelTextEdit::complete);
  connect(this, &QPlainTextEdit::blockCountChanged, this, &KernelTextEdit::layOutMargin);
  connect(this, &QPlainTextEdit::updateRequest, this, [this] { margin_->update(); });
  layOutMargin();
}

void KernelTextEdit::setTheme(const Theme& theme) {
  colors_->setTheme(theme);
}

int KernelTextEdit::marginWidth() const {
  const int digits = static_cast<int>(QString::number(std::max(10, blockCount())).size());
  return fontMetrics().horizontalAdvance('9') * (digits + 3);
}

void KernelTextEdit::layOutMargin() {
  setViewportMargins(marginWidth(), 0, 0, 0);
  const QRect inside = contentsRect();
  margin_->setGeometry(inside.left(), inside.top(), marginWidth(), inside.height());
  margin_->update();
}

void KernelTextEdit::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  layOutMargin();
}

bool KernelTextEdit::eventFilter(QObject* watched, QEvent* event) {
  if (watched == margin_ && event->type() == QEvent::Paint) {
    paintMargin();
    return true;
  }
  if (watched == margin_ && event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), textAt(cursorForPosition({0, help->y()}).blockNumber() + 1),
                       margin_);
    return true;
  }
  return QPlainTextEdit::eventFilter(watched, event);
}

void KernelTextEdit::paintMargin() {
  QPainter painter(margin_);
  painter.setFont(font());
  const int letter = fontMetrics().horizontalAdvance('9');
  QTextBlock block = firstVisibleBlock();
  for (; block.isValid(); block = block.next()) {
    const QRectF area = blockBoundingGeometry(block).translated(contentOffset());
    if (area.top() > margin_->height()) break;
    const int line = block.blockNumber() + 1;
    const auto mark = std::ranges::find(marks_, line, &KernelMark::line);
    if (mark != marks_.end()) {
      painter.setPen(mark->error ? kErrorColor : kFindingColor);
      painter.drawText(QRectF(0, area.top(), 1.5 * letter, fontMetrics().height()), Qt::AlignCenter,
                       mark->error ? "✗" : "!");
    }
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(QRectF(0, area.top(), margin_->width() - letter, fontMetrics().height()),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
  }
}

void KernelTextEdit::setMarks(std::vector<KernelMark> marks) {
  marks_ = std::move(marks);
  QList<QTextEdit::ExtraSelection> under;
  for (const KernelMark& mark : marks_) {
    const QTextBlock block = document()->findBlockByNumber(mark.line - 1);
    if (!block.isValid()) continue;
    QTextEdit::ExtraSelection part;
    const int most = std::max(0, block.length() - 1);
    const int from = mark.length == 0 ? 0 : std::min(mark.column - 1, most);
    const int to = mark.length == 0 ? most : std::min(from + mark.length, most);
    part.cursor = QTextCursor(block);
    part.cursor.setPosition(block.position() + std::min(from, std::max(0, to - 1)));
    part.cursor.setPosition(block.position() + to, QTextCursor::KeepAnchor);
    part.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    part.format.setUnderlineColor(mark.error ? kErrorColor : kFindingColor);
    part.format.setToolTip(mark.text);
    under << part;
  }
  setExtraSelections(under);
  margin_->update();
}

QString KernelTextEdit::textAt(int line) const {
  QStringList out;
  for (const KernelMark& mark : marks_)
    if (mark.line == line) out << mark.text;
  return out.join('\n');
}

bool KernelTextEdit::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QPlainTextEdit::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  QToolTip::showText(help->globalPos(), textAt(cursorForPosition(help->pos()).blockNumber() + 1), viewport());
  return true;
}

void KernelTextEdit::goTo(int line, int column) {
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + std::clamp(column - 1, 0, std::max(0, block.length() - 1)));
  setTextCursor(cursor);
  centerCursor();
  setFocus();
}

bool KernelTextEdit::asksForWords(const QKeyEvent& event) {
  return event.key() == Qt::Key_Space && event.modifiers().testFlag(Qt::ControlModifier);
}

// Of these keys the text's meaning comes before the window's.
bool KernelTextEdit::event(QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride || !asksForWords(*static_cast<QKeyEvent*>(event)))
    return QPlainTextEdit::event(event);
  event->accept();
  return true;
}

void KernelTextEdit::keyPressEvent(QKeyEvent* event) {
  const bool open = completer_->popup()->isVisible();
  const bool chooses = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                       event->key() == Qt::Key_Tab || event->key() == Qt::Key_Escape;
  if (open && chooses) return event->ignore();  // the list takes it
  if (asksForWords(*event)) return offerCompletion(true);
  if (event->key() == Qt::Key_Return && event->modifiers() == Qt::NoModifier) {
    // As far in as the line above, further where that opens a block.
    const QString line = textCursor().block().text();
    const qsizetype indent = line.size() - QString(line).replace(QRegularExpression("^ +"), "").size();
    insertPlainText("\n" + QString(indent + (line.trimmed().endsWith(':') ? 4 : 0), ' '));
    return ensureCursorVisible();
  }
  QPlainTextEdit::keyPressEvent(event);
  if (open) offerCompletion(false);
}

// Those of the language and the names of the text, but for the one that is being typed.
QStringList KernelTextEdit::offeredWords() const {
  static const QRegularExpression kName("\\b[A-Za-z_]\\w{2,}");
  QString text = toPlainText();
  const qsizetype begun = word_before(textCursor()).size();
  text.remove(textCursor().position() - begun, begun);
  QStringList out = words_of_the_language();
  for (auto name = kName.globalMatch(text); name.hasNext();) out << name.next().captured();
  out.removeDuplicates();
  out.sort();
  return out;
}

void KernelTextEdit::offerCompletion(bool asked) {
  const QString begun = word_before(textCursor());
  static_cast<QStringListModel*>(completer_->model())->setStringList(offeredWords());
  if (!asked && begun.isEmpty()) return completer_->popup()->hide();
  completer_->setCompletionPrefix(begun);
  completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
  QRect place = cursorRect();
  place.setWidth(completer_->popup()->sizeHintForColumn(0) +
                 completer_->popup()->verticalScrollBar()->sizeHint().width());
  completer_->complete(place);
}

void KernelTextEdit::complete(const QString& word) {
  QTextCursor cursor = textCursor();
  cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor,
                      static_cast<int>(word_before(cursor).size()));
  cursor.insertText(word);
  setTextCursor(cursor);
}

}  // namespace shardscope::inline window
