// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/program_view.h"

#include <QScrollBar>
#include <QTextBlock>
#include <unordered_map>

#include "app/window/document/language.h"
#include "app/window/text/hlo_colors.h"
#include "engine/base/text.h"
#include "views/scene/story/now.h"

namespace shardscope::inline window {

ProgramView::ProgramView(Clock& clock, QWidget* parent)
    : QPlainTextEdit(parent), clock_(clock), colors_(new HloColors(document())), theme_(light_theme()) {
  setObjectName("Program");
  setReadOnly(true);
  document()->setDocumentMargin(8);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setPlaceholderText("The program of the selected run, in HLO: what one device does."_tr);
  setAccessibleName("Program in HLO"_tr);
  setFrameShape(QFrame::NoFrame);
  connect(&clock_, &Clock::changed, this, &ProgramView::mark);
  connect(&clock_, &Clock::runChanged, this, &ProgramView::readRun);
  readRun();
}

void ProgramView::setTheme(const Theme& theme) {
  theme_ = theme;
  setStyleSheet(QString("QPlainTextEdit { font-family: 'DejaVu Sans Mono', monospace; font-size: %1px; "
                        "border: none; border-radius: 0; }")
                    .arg(static_cast<int>(12 * theme.scale)));
  colors_->setTheme(theme);
  mark();
}

void ProgramView::readRun() {
  if (clock_.shown() == read_) return;
  read_ = clock_.shown();
  by_line_.clear();
  step_of_.clear();
  if (!read_) {
    clear();
    return;
  }
  const Program& program = read_->run->program;
  const std::string text = print_program(program);
  setPlainText(QString::fromStdString(text));
  std::unordered_map<std::string, int32_t> by_name;
  for (const Computation& computation : program.computations) {
    for (const Instruction& i : computation.instructions) {
      by_name[i.name] = static_cast<int32_t>(step_of_.size());
      step_of_.push_back(i.provenance->step);
    }
  }
  for (const std::string& line : split(text, '\n')) {
    int32_t found = -1;
    std::string_view rest = trim(line);
    if (rest.substr(0, 5) == "ROOT ") rest = rest.substr(5);
    if (!rest.empty() && rest.front() == '%') rest = rest.substr(1);
    const size_t equals = rest.find(" = ");
    if (equals != std::string_view::npos) {
      const auto known = by_name.find(std::string(rest.substr(0, equals)));
      if (known != by_name.end()) found = known->second;
    }
    by_line_.push_back(found);
  }
  mark();
}

int32_t ProgramView::instructionAt(int line) const {
  return line >= 0 && static_cast<size_t>(line) < by_line_.size() ? by_line_[static_cast<size_t>(line)] : -1;
}

int ProgramView::lineOf(int32_t instruction) const {
  for (size_t i = 0; i < by_line_.size(); ++i) {
    if (by_line_[i] == instruction) return static_cast<int>(i);
  }
  return -1;
}

// The program's step of what the moment tells of.
int32_t ProgramView::stepNow() const {
  if (!read_->story) return -1;
  const int32_t beat = current_beats(*read_->story, clock_.selection()).last;
  const int32_t instruction = read_->story->beats()[static_cast<size_t>(beat)].instruction;
  return instruction < 0 ? -1 : step_of_[static_cast<size_t>(instruction)];
}

void ProgramView::mark() {
  QList<QTextEdit::ExtraSelection> marks;
  const auto add = [&](int line, Color c, int alpha) {
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor(document()->findBlockByNumber(line));
    mark.format.setBackground(QColor(c.r, c.g, c.b, alpha));
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    marks.append(mark);
  };
  if (read_) {
    const Selection& s = clock_.selection();
    const int32_t step = stepNow();
    int first = -1;
    for (size_t line = 0; step >= 0 && line < by_line_.size(); ++line) {
      if (by_line_[line] < 0 || step_of_[static_cast<size_t>(by_line_[line])] != step) continue;
      add(static_cast<int>(line), theme_.selection, theme_.dark ? 36 : 20);
      if (first < 0) first = static_cast<int>(line);
    }
    if (s.hovered.instruction >= 0) add(std::max(0, lineOf(s.hovered.instruction)), theme_.hover, 40);
    if (s.selected.instruction >= 0) {
      first = std::max(0, lineOf(s.selected.instruction));
      add(first, theme_.selection, 80);
    }
    if (first >= 0 && !hasFocus()) {
      verticalScrollBar()->setValue(std::max(0, first - 2));
    }
  }
  setExtraSelections(marks);
}

void ProgramView::showPlace(int line, int column, int length) {
  const QTextBlock block = document()->findBlockByNumber(line);
  QTextCursor at(block);
  at.setPosition(block.position() + column);
  at.setPosition(block.position() + column + length, QTextCursor::KeepAnchor);
  setTextCursor(at);
  centerCursor();
}

void ProgramView::selectLine() {
  const int32_t instruction = instructionAt(textCursor().blockNumber());
  if (instruction < 0) return;
  ItemId item;
  item.kind = ItemId::Kind::instruction;
  item.instruction = instruction;
  clock_.select(item);
}

void ProgramView::mouseReleaseEvent(QMouseEvent* event) {
  QPlainTextEdit::mouseReleaseEvent(event);
  if (!textCursor().hasSelection()) selectLine();
}

void ProgramView::keyPressEvent(QKeyEvent* event) {
  const bool reads = event->matches(QKeySequence::Copy) || event->matches(QKeySequence::SelectAll);
  switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Home:
    case Qt::Key_End:
      break;
    default:
      if (!reads) return event->ignore();  // the window's
  }
  const int before = textCursor().blockNumber();
  QPlainTextEdit::keyPressEvent(event);
  if (textCursor().blockNumber() != before) selectLine();
}

}  // namespace shardscope::inline window
