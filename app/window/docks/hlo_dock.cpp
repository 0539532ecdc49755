// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/hlo_dock.h"

#include <QFileDialog>
#include <QFileInfo>

#include "app/window/docks/dock_area.h"
#include "app/window/document/language.h"

namespace shardscope {
namespace {

// Any file may hold HLO, whatever its ending; only what opens as a module again is remembered.
void choose_module(const Context& c, HloPanel& hlo) {
  const QString path =
      QFileDialog::getOpenFileName(&c.window, "Open HLO"_tr, "", "HLO text (*.hlo *.txt);;All files (*)"_tr);
  if (path.isEmpty()) return;
  const auto opened = hlo.open(path);
  c.report(opened);
  if (!opened.ok()) return;
  if (path.endsWith(".hlo")) c.preferences.addRecentFile(path);
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

namespace {

// As a job: bringing a large or an old file up to date takes its time.
void open_workspace_as_job(const Context& c, const QString& path) {
  c.bench.jobs().start(
      [path, otherwise = c.bench.document().experiment()](std::stop_token, const JobRunner::Report& report,
                                                          const auto& /*post*/) {
        report(say("opening {}", path.toStdString()), 0);
        return open_workspace(path, otherwise);
      },
      [c, path](Result<OpenedFile> opened) {
        if (!opened.ok()) return QString::fromStdString(opened.error().text());
        c.bench.goOn(opened->state, std::move(opened->workspace), std::move(opened->rows));
        c.preferences.addRecentFile(path);
        return "Opened: %1"_tr.arg(path);
      });
}

}  // namespace

bool is_module(const QString& path) {
  return path.endsWith(".hlo") || path.endsWith(".txt");
}

Result<void> open_file(const Context& c, const QString& path) {
  if (!is_module(path)) {
    TRY_VOID(c.bench.openFile(path));
    c.docks.setPage(home_of("experiment")->id);
    return {};
  }
  TRY_VOID(c.docks.widget<HloPanel>("hlo")->open(path));
  c.docks.go("hlo");
  return {};
}

void open_path(const Context& c, const QString& path) {
  if (is_workspace(path)) return open_workspace_as_job(c, path);
  const auto opened = open_file(c, path);
  c.report(opened);
  if (opened.ok()) c.preferences.addRecentFile(path);
}

}  // namespace shardscope
