// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/key_overview.h"

#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <utility>
#include <vector>

#include "app/window/document/language.h"

namespace shardscope {
namespace {

// What the views do with keys and mouse; the names of keys stay as the keyboard has them.
std::vector<std::pair<QString, QString>> canvas_keys() {
  return {
      {"W  S", "Zoom in, out (by place on the keyboard)"_tr},
      {"A  D", "Move left, right (by place on the keyboard)"_tr},
      {"Drag"_tr, "Move"_tr},
      {"Wheel"_tr, "Zoom at the cursor"_tr},
      {"Shift+Wheel"_tr, "Scroll the timeline's rows"_tr},
      {"Drag on the ruler"_tr, "Move the moment"_tr},
      {"Ctrl+Drag on the ruler"_tr, "Zoom to a range of time"_tr},
      {"Shift+Drag"_tr, "Mark a range of time"_tr},
      {"Double click"_tr, "Zoom to an event"_tr},
      {"Up  Down"_tr, "Scroll the timeline's rows"_tr},
      {"Wheel over the rows' heads"_tr, "Scroll the timeline's rows; with Ctrl: taller, lower"_tr},
      {"+  -", "Rows taller, lower, down to a pixel a device"_tr},
      {"Shift+Home"_tr, "All rows in sight"_tr},
      {"L", "Filter the rows by device: row=0, col=2..5, row=0,3 col=1, 7 12..15, (0,1)"_tr},
      {"H, P", "Hide the row of the selected device, pin it on top"_tr},
      {"G", "Group the rows by the next axis of the mesh"_tr},
      {"X, Shift+X", "Fold or unfold the group, all groups"_tr},
      {"C", "How many devices compute, wait, are idle: show or not"_tr},
      {"Shift+H", "Show all rows: no filter, nothing hidden, pinned or grouped"_tr},
      {"F", "Fit the selection"_tr},
      {"Home"_tr, "Fit all"_tr},
      {"[  ]", "Go to the event's cause, to its effect"_tr},
      {",  .", "Previous, next beat; with an event selected, its neighbour on the lane"_tr},
      {"M", "Measure: then click two events or places, or select another event and press M; Esc ends"_tr},
      {"Enter, N  Shift+Enter, Shift+N"_tr, "In a search: next, previous hit; Esc ends"_tr},
      {"Left  Right, PgUp  PgDn"_tr, "Previous, next beat"_tr},
      {"Space"_tr, "Play"_tr},
      {"1  2  3", "Demo mode: the idea, who sends what to whom, the program's line"_tr},
      {"Ctrl+1…9, 1…9", "Set a bookmark, go back to it"_tr},
      {"Arrows, Enter"_tr, "In the picture of the mesh: a chip, the popup of its speed"_tr},
      {"Up  Down"_tr,
       "In the HLO dock: an instruction, its partners in the other text, its sharding, why"_tr},
      {"F2, double click"_tr,
       "In the HLO dock: edit the sharding of the instruction; Ctrl+Z takes it back"_tr},
      {"Home  End, Shift+Left  Right"_tr, "Kernel: first, last step; ten steps back, on"_tr},
      {"[  ]", "Kernel: previous, next finding; Esc lets go of it"_tr},
      {"Up  Down"_tr, "Kernel: scroll its text; on its time: another device"_tr},
      {"Enter"_tr,
       "In the tables of tuner and crossover: the row becomes the experiment and runs; in those of the kernel: goes there"_tr},
  };
}

}  // namespace

KeyOverview::KeyOverview(const QList<QAction*>& actions, QWidget* parent) : QDialog(parent) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle("Keys"_tr);
  auto* tree = new QTreeWidget(this);
  tree->setHeaderLabels({"key"_tr, "does"_tr});
  tree->setRootIsDecorated(false);
  tree->setAlternatingRowColors(true);
  const auto heading = [&](const QString& text) {
    auto* item = new QTreeWidgetItem(tree, {text, ""});
    QFont bold = tree->font();
    bold.setBold(true);
    item->setFont(0, bold);
    item->setFirstColumnSpanned(true);
  };
  heading("In the views"_tr);
  for (const auto& [key, does] : canvas_keys()) new QTreeWidgetItem(tree, {key, does});
  heading("Everywhere"_tr);
  for (const QAction* action : actions) {
    if (action->shortcut().isEmpty() || action->text().isEmpty()) continue;
    new QTreeWidgetItem(
        tree, {action->shortcut().toString(QKeySequence::NativeText), QString(action->text()).remove('&')});
  }
  tree->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(tree);
  resize(fontMetrics().averageCharWidth() * 76, fontMetrics().height() * 34);
}

}  // namespace shardscope
