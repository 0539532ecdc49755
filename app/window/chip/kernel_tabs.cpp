// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_tabs.h"

#include "app/window/document/language.h"

namespace shardscope::inline window {

KernelTabs::KernelTabs(KernelPlayer& player, QWidget* parent)
    : QTabWidget(parent),
      findings_(new KernelFindings(player, this)),
      editor_(new KernelEditor(player, this)),
      theatre_(new KernelTheatre(player, this)),
      twin_(new KernelTwin(player, this)),
      time_canvas_(new KernelTimeCanvas(player, this)),
      tiles_(new KernelTiles(player, this)) {
  time_canvas_->setMessage(
      "When the matrix unit, hbm and the links of each device work, and what fills vmem."_tr);
  setDocumentMode(true);
  addTab(findings_, "Findings"_tr);
  addTab(editor_, "Text"_tr);
  addTab(theatre_, "Break"_tr);
  addTab(twin_, "Fix"_tr);
  addTab(time_canvas_, "Time"_tr);
  addTab(tiles_, "Tiles"_tr);
  setUsesScrollButtons(false);  // as wide as its titles at least: the canvas beside it is what gives way
  connect(&player, &KernelPlayer::changed, this, [this, &player] {
    const int count = static_cast<int>(player.findings().size());
    setTabText(0, count == 0 ? "Findings"_tr : "Findings (%1)"_tr.arg(count));
  });
}

bool KernelTabs::fixIt() {
  setCurrentWidget(twin_);
  if (!twin_->button()->isEnabled()) return false;
  twin_->button()->toggle();
  return true;
}

}  // namespace shardscope::inline window
