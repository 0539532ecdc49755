// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/hlo_dock.h"

#include <QFileDialog>
#include <QFileInfo>

#include "app/window/docks/dock_area.h"
#include "app/window/document/language.h"
#include "app/window/widgets/written_bar.h"

namespace shardscope {
namespace {

// Any file may hold HLO, whatever its ending; only what opens as a module again is remembered.
void choose_module(const Context& c, HloPanel& hlo) {
  const QString folder = folder_of(c.preferences.settings(), "hlo");
  const QString path = QFileDialog::getOpenFileName(&c.window, "Open HLO"_tr, folder,
                                                    "Modules (*.hlo *.mlir *.txt);;All files (*)"_tr);
  if (path.isEmpty()) return;
  const auto opened = hlo.open(path);
  c.report(opened);
  if (!opened.ok()) return;
  remember_folder(c.preferences.settings(), path);
  if (path.endsWith(".hlo") || path.endsWith(".mlir")) c.preferences.addRecentFile(path);
  c.docks.go("hlo");
}

}  // namespace

HloPanel* make_hlo(const Context& c) {
  auto* hlo = new HloPanel(c.bench, &c.window);
  QObject::connect(hlo, &HloPanel::openRequested, hlo, [c, hlo] { choose_module(c, *hlo); });
  QObject::connect(hlo, &HloPanel::saveRequested, hlo, [c, hlo] {
    const QString name = QFileInfo(hlo->moduleName()).completeBaseName() + ".partitioned.hlo";
    if (!hlo->partitionedText().isEmpty())
      c.saveText("Save the partitioned program"_tr, name, "HLO text (*.hlo)"_tr, hlo->partitionedText());
  });
  QObject::connect(hlo, &HloPanel::csvRequested, hlo, [c, hlo] {
    if (hlo->explained() != nullptr)
      c.saveText("Export collectives"_tr, "collectives.csv", "Tables (*.csv)"_tr, hlo->csv());
  });
  return hlo;
}

}  // namespace shardscope
