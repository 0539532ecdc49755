// SPDX-License-Identifier: Apache-2.0
// Commands on files: what is opened, saved and exported.
#include <QFileDialog>

#include "app/window/docks/dock_area.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/docks/runs_dock.h"
#include "app/window/document/language.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/restore_bar.h"
#include "app/window/widgets/export.h"
#include "app/window/widgets/table_copy.h"

namespace shardscope {
namespace {

constexpr const char* kFile = to_say("&File");

void open(const Context& c) {
  const QString path = QFileDialog::getOpenFileName(
      &c.window, "Open"_tr, "", "Experiments, workspaces, modules (*.toml *.shardscope *.hlo)"_tr);
  if (!path.isEmpty()) open_path(c, path);
}

void fill_recent(const Context& c, QMenu& menu) {
  menu.clear();
  for (const QString& path : c.preferences.recentFiles())
    QObject::connect(menu.addAction(path), &QAction::triggered, &menu, [c, path] { open_path(c, path); });
  if (menu.isEmpty()) menu.addAction("none yet"_tr)->setEnabled(false);
}

void say_saved(const Context& c, const QString& path, const Result<void>& saved) {
  c.report(saved);
  if (saved.ok()) c.say("Saved: %1"_tr.arg(path), 8000);
}

void save_experiment(const Context& c) {
  const QString path = QFileDialog::getSaveFileName(&c.window, "Save experiment"_tr, "experiment.toml",
                                                    "Experiments (*.toml)"_tr);
  if (path.isEmpty()) return;
  // A workspace stays the open file.
  c.bench.state().saveBeside(path, !is_workspace(c.bench.document().file()), [c, path](const auto& saved) {
    if (saved.ok()) c.preferences.addRecentFile(path);
    say_saved(c, path, saved);
  });
}

void save(const Context& c) {
  const QString file = c.bench.document().file();
  if (file.isEmpty()) return save_experiment(c);
  c.bench.state().saveBeside(file, true, [c, file](const auto& saved) { say_saved(c, file, saved); });
}

void list_earlier(const Context& c, QMenu& menu, const std::vector<LeftJournal>& all) {
  menu.clear();
  for (const LeftJournal& left : all) {
    const QString path = QString::fromStdString(left.path);
    QObject::connect(menu.addAction(said_of(left)), &QAction::triggered, &menu,
                     [c, path] { c.report(c.journaling.restore(path)); });
  }
  if (menu.isEmpty()) menu.addAction("none"_tr)->setEnabled(false);
}

// Each is opened to be listed: not by the thread that shows the menu.
void fill_earlier(const Context& c, QMenu& menu) {
  menu.clear();
  menu.addAction("looking for them…"_tr)->setEnabled(false);
  auto* looking = new Background(&menu);
  looking->start([](std::stop_token) { return Journal::left(journal_folder().toStdString()); },
                 [c, &menu, looking](const std::vector<LeftJournal>& left) {
                   list_earlier(c, menu, left);
                   looking->deleteLater();
                 });
}

void save_workspace(const Context& c) {
  const QString path = QFileDialog::getSaveFileName(&c.window, "Save workspace"_tr, "runs.shardscope",
                                                    "Workspaces (*.shardscope)"_tr);
  if (!path.isEmpty()) c.bench.saveWorkspace(path);
}

// Of the dock with the focus, else the timeline.
void export_picture_of_focus(const Context& c) {
  const DockArea::Made* made = c.docks.at(c.window.focusWidget());
  if (made == nullptr || !made->row->picture) made = c.docks.find("timeline");
  const QString name = made->row->id;
  const QString path = QFileDialog::getSaveFileName(&c.window, "Export %1"_tr.arg(spoken(made->row->title)),
                                                    name + ".svg", "Pictures (*.svg *.png *.pdf)"_tr);
  if (!path.isEmpty()) c.report(export_picture(*made->row->picture(made->widget), path));
}

void export_table(const Context& c) {
  c.saveText("Export table"_tr, "runs.csv", "Tables (*.csv)"_tr,
             text(all_of(*c.docks.widget<RunsTable>("runs")->list()), TableForm::csv));
}

void export_comparison(const Context& c) {
  const QString path =
      QFileDialog::getSaveFileName(&c.window, "Export report"_tr, "report.html", "Reports (*.html)"_tr);
  if (!path.isEmpty()) c.report(export_report(c.bench.comparison(), path));
}

}  // namespace

std::vector<Command> file_commands() {
  std::vector<Command> rows;
  for (const ExperimentPreset& preset : experiment_presets()) {
    rows.push_back({.id = QString::fromStdString("preset." + preset.name),
                    .menu = to_say("&File/&Presets"),
                    .title = QString::fromStdString(preset.title.empty() ? preset.name : preset.title),
                    .run = [name = preset.name](const Context& c) {
                      c.report(c.bench.openPreset(name));
                      c.docks.setPage(home_of("experiment")->id);
                    }});
  }
  const std::vector<Command> others = {
      {.id = "file.open", .menu = kFile, .title = "&Open…"_tr, .keys = {QKeySequence::Open}, .run = open},
      {.id = "hlo.open",
       .menu = kFile,
       .title = "Open &HLO…"_tr,
       .keys = {QKeySequence("Ctrl+Shift+O")},
       .run = [](const Context& c) { Q_EMIT c.docks.widget<HloPanel>("hlo")->openRequested(); }},
      {.id = "file.recent", .menu = kFile, .title = "Recent &files"_tr, .fill = fill_recent},
      {.id = "file.earlier", .menu = kFile, .title = "Ear&lier windows"_tr, .fill = fill_earlier},
      {.id = "file.save",
       .menu = kFile,
       .title = "&Save"_tr,
       .keys = {QKeySequence::Save},
       .run = save,
       .tip = "Save the experiment in the file that is open"_tr,
       .line = true},
      {.id = "file.save_experiment",
       .menu = kFile,
       .title = "Save experiment &as…"_tr,
       .run = save_experiment},
      {.id = "file.save_workspace",
       .menu = kFile,
       .title = "Save &workspace…"_tr,
       .keys = {QKeySequence("Ctrl+Shift+S")},
       .run = save_workspace,
       .can = [](const Context& c) { return !c.bench.jobs().running(); }},
      {.id = "export.picture",
       .menu = kFile,
       .title = "Export &picture…"_tr,
       .keys = {QKeySequence("Ctrl+E")},
       .run = export_picture_of_focus,
       .line = true},
      {.id = "export.table", .menu = kFile, .title = "Export &table…"_tr, .run = export_table},
      {.id = "export.report",
       .menu = kFile,
       .title = "Export &report…"_tr,
       .keys = {QKeySequence("Ctrl+Shift+E")},
       .run = export_comparison},
      {.id = "file.quit",
       .menu = kFile,
       .title = "&Quit"_tr,
       .keys = {QKeySequence::Quit},
       .run = [](const Context& c) { c.window.close(); },
       .line = true},
  };
  rows.insert(rows.end(), others.begin(), others.end());
  return rows;
}

}  // namespace shardscope
