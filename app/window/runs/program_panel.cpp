// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/program_panel.h"

#include <QVBoxLayout>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

IndexedTextPtr searched_text(const QPlainTextEdit& text) {
  return std::make_shared<const IndexedText>(text.toPlainText().toStdString());
}

}  // namespace

ProgramPanel::ProgramPanel(Clock& clock, QWidget* parent)
    : QSplitter(parent),
      clock_(clock),
      outline_(new OutlineTree(this)),
      text_(new ProgramView(clock, this)),
      find_(new FindBar([this] { return searched_text(*text_); }, this)) {
  auto* side = new QWidget(this);
  auto* layout = new QVBoxLayout(side);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(text_, 1);
  layout->addWidget(find_);
  addWidget(outline_);
  addWidget(side);
  setChildrenCollapsible(false);
  setStretchFactor(0, 1);
  setStretchFactor(1, 3);
  setFocusProxy(text_);
  setAccessibleName("Program and its outline"_tr);
  connect(&clock_, &Clock::runChanged, this, &ProgramPanel::readRun);
  connect(&clock_, &Clock::changed, this,
          [this] { outline_->follow(clock_.selection().selected.instruction); });
  connect(outline_, &OutlineTree::chosen, this, [this](int instruction) {
    ItemId item;
    item.kind = ItemId::Kind::instruction;
    item.instruction = instruction;
    clock_.select(item);
  });
  connect(find_, &FindBar::shown, text_, &ProgramView::showPlace);
  connect(find_, &FindBar::closed, text_, [this] { text_->setFocus(); });
  readRun();
}

void ProgramPanel::readRun() {
  const ShownRunPtr& shown = clock_.shown();
  const std::shared_ptr<const Outline> outline = shown ? shown->outline : nullptr;
  outline_->setVisible(outline != nullptr);
  if (outline != outline_->outline()) outline_->setOutline(outline);
  find_->again();
}

}  // namespace shardscope::inline window
