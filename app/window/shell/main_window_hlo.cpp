// SPDX-License-Identifier: Apache-2.0
// The HLO dock's actions.
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>

#include "app/window/shell/main_window.h"

namespace shardscope {

Result<void> MainWindow::open(const QString& path) {
  if (!isModule(path)) return bench_.openFile(path);
  TRY_VOID(hlo_->open(path));
  showPanel("hlo");
  return {};
}

void MainWindow::connectHlo() {
  connect(hlo_, &HloPanel::openRequested, this, [this] {
    const QString path =
        QFileDialog::getOpenFileName(this, "Open HLO", "", "HLO text (*.hlo *.txt);;All files (*)");
    if (path.isEmpty()) return;
    const auto opened = hlo_->open(path);
    report(opened);
    if (!opened.ok()) return;
    if (path.endsWith(".hlo")) preferences_.addRecentFile(path);
    showPanel("hlo");
  });
  connect(hlo_, &HloPanel::saveRequested, this, [this] {
    const QString name = QFileInfo(hlo_->moduleName()).completeBaseName() + ".partitioned.hlo";
    if (!hlo_->partitionedText().isEmpty())
      saveText("Save the partitioned program", name, "HLO text (*.hlo)", hlo_->partitionedText());
  });
  connect(hlo_, &HloPanel::csvRequested, this, [this] {
    if (hlo_->explained() != nullptr)
      saveText("Export collectives", "collectives.csv", "Tables (*.csv)", hlo_->csv());
  });
}

void MainWindow::makeHloMenu(QMenu* menu) {
  QMenu* presets = menu->addMenu("&Built-in modules");
  for (int k = 0; k < hlo_->presets()->count(); ++k) {
    const QString name = hlo_->presets()->itemText(k);
    add(presets, "HLO: " + name, {}, [this, name] {
      showPanel("hlo");
      hlo_->openPreset(name);
    })->setToolTip(hlo_->presets()->itemData(k, Qt::ToolTipRole).toString());
  }
  add(menu, "&Paste an HLO module", QKeySequence("Ctrl+Shift+V"), [this] {
    showPanel("hlo");
    hlo_->paste();
  });
  add(menu, "Run and pro&ve the HLO module", QKeySequence("Ctrl+Shift+H"),
      [this] { showPanel("hlo").run(); });
  add(menu, "&Copy the partitioned program", {},
      [this] { QApplication::clipboard()->setText(hlo_->partitionedText()); });
  add(menu, "&Save the partitioned program…", {}, [this] { Q_EMIT hlo_->saveRequested(); });
  add(menu, "&Export the HLO module's collectives…", {}, [this] { Q_EMIT hlo_->csvRequested(); });
}

}  // namespace shardscope
