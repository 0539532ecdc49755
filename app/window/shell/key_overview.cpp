// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/key_overview.h"

#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <array>
#include <utility>

namespace shardscope {
namespace {

constexpr std::array<std::pair<const char*, const char*>, 26> kCanvasKeys{{
    {"W  S", "Zoom in, out (by place on the keyboard)"},
    {"A  D", "Move left, right (by place on the keyboard)"},
    {"Drag", "Move"},
    {"Wheel", "Zoom at the cursor"},
    {"Shift+Wheel", "Scroll the timeline's rows"},
    {"Drag on the ruler", "Move the moment"},
    {"Ctrl+Drag on the ruler", "Zoom to a range of time"},
    {"Shift+Drag", "Mark a range of time"},
    {"Double click", "Zoom to an event"},
    {"Up  Down", "Scroll the timeline's rows"},
    {"F", "Fit the selection"},
    {"Home", "Fit all"},
    {"[  ]", "Go to the event's cause, to its effect"},
    {",  .", "Previous, next beat; with an event selected, its neighbour on the lane"},
    {"M", "Measure from one selected event to another"},
    {"Left  Right, PgUp  PgDn", "Previous, next beat"},
    {"Space", "Play"},
    {"1  2  3", "Demo mode: the idea, who sends what to whom, the program's line"},
    {"Ctrl+1…9, 1…9", "Set a bookmark, go back to it"},
    {"Arrows, Enter", "In the picture of the mesh: a chip, the popup of its speed"},
    {"Up  Down", "In the HLO dock: an instruction, its partners in the other text, its sharding, why"},
    {"F2, double click", "In the HLO dock: edit the sharding of the instruction; Ctrl+Z takes it back"},
    {"Home  End, Shift+Left  Right", "Kernel: first, last step; ten steps back, on"},
    {"[  ]", "Kernel: previous, next finding; Esc lets go of it"},
    {"Up  Down", "Kernel: scroll its text; on its time: another device"},
    {"Enter",
     "In the tables of tuner and crossover: the row becomes the experiment and runs; in those of the kernel: "
     "goes there"},
}};

}  // namespace

KeyOverview::KeyOverview(const QList<QAction*>& actions, QWidget* parent) : QDialog(parent) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle("Keys");
  auto* tree = new QTreeWidget(this);
  tree->setHeaderLabels({"key", "does"});
  tree->setRootIsDecorated(false);
  tree->setAlternatingRowColors(true);
  const auto heading = [&](const QString& text) {
    auto* item = new QTreeWidgetItem(tree, {text, ""});
    QFont bold = tree->font();
    bold.setBold(true);
    item->setFont(0, bold);
    item->setFirstColumnSpanned(true);
  };
  heading("In the views");
  for (const auto& [key, does] : kCanvasKeys) new QTreeWidgetItem(tree, {key, does});
  heading("Everywhere");
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
