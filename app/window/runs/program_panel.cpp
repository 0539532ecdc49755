// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/program_panel.h"

#include "app/window/document/language.h"

namespace shardscope {

ProgramPanel::ProgramPanel(Clock& clock, QWidget* parent)
    : QSplitter(parent), clock_(clock), outline_(new OutlineTree(this)), text_(new ProgramView(clock, this)) {
  addWidget(outline_);
  addWidget(text_);
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
  readRun();
}

void ProgramPanel::readRun() {
  const ShownRunPtr& shown = clock_.shown();
  const std::shared_ptr<const Outline> outline = shown ? shown->outline : nullptr;
  outline_->setVisible(outline != nullptr);
  if (outline != outline_->outline()) outline_->setOutline(outline);
}

}  // namespace shardscope
