// SPDX-License-Identifier: Apache-2.0
// Commands on files: what is opened, saved and exported.
#include <QDir>
#include <QFileDialog>
#include <QMessageBox>

#include "app/report/report_files.h"
#include "app/window/dialogs/preset_browser.h"
#include "app/window/dialogs/report_dialog.h"
#include "app/window/docks/dock_area.h"
#include "app/window/docks/file_kinds.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/docks/lesson_dock.h"
#include "app/window/docks/runs_dock.h"
#include "app/window/document/language.h"
#include "app/window/settings/new_experiment.h"
#include "app/window/shell/commands.h"
#include "app/window/shell/restore_bar.h"
#include "app/window/widgets/export.h"
#include "app/window/widgets/table_copy.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kFile = to_say("&File");

void open_preset(const Context& c, const std::string& name) {
  c.report(c.bench.openPreset(name));
  c.docks.setPage(home_of("experiment")->id);
}

void browse_presets(const Context& c) {
  auto* browser = c.window.findChild<PresetBrowser*>();
  if (browser == nullptr) {
    browser = new PresetBrowser(c.preferences.theme(), &c.window);
    QObject::connect(browser, &PresetBrowser::opened, &c.window,
                     [c](const QString& name) { open_preset(c, name.toStdString()); });
    QObject::connect(&c.preferences, &Preferences::lookChanged, browser,
                     [browser, &preferences = c.preferences] { browser->setTheme(preferences.theme()); });
  }
  browser->show();
  browser->raise();
  browser->activateWindow();
}

void open_new(const Context& c) {
  c.bench.openExperiment(new_experiment(c.preferences.settings()));
  c.bench.state().setNumerics(c.preferences.settings().value("new.numerics").toBool());
  c.docks.go("experiment");
}

void open(const Context& c) {
  const QString folder = folder_of(c.preferences.settings(), "toml");
  const QString path = QFileDialog::getOpenFileName(&c.window, "Open"_tr, folder, open_filter());
  if (!path.isEmpty()) open_path(c, path);
}

void fill_recent(const Context& c, QMenu& menu) {
  menu.clear();
  for (const QString& path : c.preferences.settings().value("recent_files").toStringList())
    QObject::connect(menu.addAction(path), &QAction::triggered, &menu, [c, path] { open_path(c, path); });
  if (menu.isEmpty()) menu.addAction("none yet"_tr)->setEnabled(false);
}

void say_saved(const Context& c, const QString& path, const Result<void>& saved) {
  c.report(saved);
  if (saved.ok()) c.say("Saved: %1"_tr.arg(path), 8000);
}

void save_experiment(const Context& c) {
  const QDir folder(folder_of(c.preferences.settings(), "toml"));
  const QString path = ask_where(&c.window, "Save experiment"_tr, folder.filePath("experiment.toml"),
                                 "Experiments (*.toml)"_tr, "toml");
  if (path.isEmpty()) return;
  // A workspace stays the open file.
  c.bench.state().saveBeside(path, !is_workspace(c.bench.document().file()), [c, path](const auto& saved) {
    c.report(saved);
    if (!saved.ok()) return;
    c.preferences.addRecentFile(path);
    tell_written(&c.window, path);
  });
}

// What is in front of the user: a lesson or a module on its page, else the experiment.
void save(const Context& c) {
  if (at_lesson(c)) return save_lesson(c);
  if (at_module(c)) return save_module(c);
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
  const QDir folder(folder_of(c.preferences.settings(), "shardscope"));
  // A workspace that is there keeps its runs: nobody is asked whether to replace it.
  const QString path = ask_where_to_add(&c.window, "Save workspace"_tr, folder.filePath("runs.shardscope"),
                                        "Workspaces (*.shardscope)"_tr, "shardscope");
  if (path.isEmpty()) return;
  const bool adds =
      QFileInfo::exists(path) && path != QString::fromStdString(c.bench.runs().workspace()->path());
  if (adds && QMessageBox::question(&c.window, "Save workspace"_tr,
                                    "%1 is there already. Add these runs to its own?"_tr.arg(path)) !=
                  QMessageBox::Yes)
    return;
  c.bench.saveWorkspace(path);
}

// Of the dock with the focus, else the timeline.
void export_picture_of_focus(const Context& c) {
  const DockArea::Made* made = c.docks.at(c.window.focusWidget());
  if (made == nullptr || !made->row->picture) made = c.docks.make("timeline");
  const QString name = made->row->id;
  CanvasView* canvas = made->row->picture(made->widget);
  c.write({"Export the picture of %1"_tr.arg(spoken(made->row->title)), name + ".svg",
           "Pictures (*.svg *.png *.pdf)"_tr,
           [canvas](const QString& path) { return export_picture(*canvas, path); }});
}

void export_table(const Context& c) {
  c.saveText("Export table"_tr, "runs.csv", "Tables (*.csv)"_tr,
             text(all_of(*c.docks.widget<RunsTable>("runs")->list()), TableForm::csv));
}

void write_report(const Context& c, const ReportChoice& choice) {
  QStringList endings;
  for (const ReportFormat& format : report_formats()) endings << QString("*.%1").arg(format.id);
  const QString name = "report." + QString::fromStdString(choice.format);
  const QString path =
      ask_for_new_file(&c.window, {"Export report"_tr, name, "Reports (%1)"_tr.arg(endings.join(' ')), {}});
  if (path.isEmpty()) return;
  const auto write = [c, path, extent = choice.extent](const Comparison& comparison) -> Result<void> {
    const auto workspace = c.bench.runs().workspace();
    const auto may_replace = [&c](const QString& folder) {
      return QMessageBox::question(&c.window, "Export report"_tr,
                                   "%1 has pictures of another report already. Replace them?"_tr.arg(
                                       folder)) == QMessageBox::Yes;
    };
    TRY_VOID(export_report(comparison, path, workspace ? workspace->path() : "", may_replace, extent));
    tell_written(&c.window, path);
    return {};
  };
  c.report(with_whole_runs(c.bench, choice.runs, write));
}

void export_runs(const Context& c) {
  auto* dialog = new ReportDialog(c.bench, &c.window);
  QObject::connect(dialog, &ReportDialog::wanted, &c.window,
                   [c](const ReportChoice& choice) { write_report(c, choice); });
  dialog->open();
}

// Without a menu: found in the palette; the browser shows them with their pictures.
std::vector<Command> preset_commands() {
  std::vector<Command> rows;
  for (const ExperimentPreset& preset : experiment_presets()) {
    rows.push_back({.id = QString::fromStdString("preset." + preset.name),
                    .title = QString::fromStdString(preset.title.empty() ? preset.name : preset.title),
                    .run = [name = preset.name](const Context& c) { open_preset(c, name); }});
  }
  return rows;
}

std::vector<Command> open_commands() {
  return {
      {.id = "file.new",
       .menu = kFile,
       .title = "&New experiment"_tr,
       .keys = {QKeySequence::New},
       .run = open_new,
       .tip = "With what Preferences > New experiments says"_tr},
      {.id = "file.presets",
       .menu = kFile,
       .title = "&Presets…"_tr,
       .keys = {QKeySequence("Ctrl+Shift+P")},
       .run = browse_presets,
       .tip = "The built-in experiments with their pictures, by topic, size and paper"_tr},
      {.id = "file.open", .menu = kFile, .title = "&Open…"_tr, .keys = {QKeySequence::Open}, .run = open},
      {.id = "hlo.open",
       .menu = kFile,
       .title = "Open a &module…"_tr,
       .keys = {QKeySequence("Ctrl+Shift+O")},
       .run = choose_module},
      {.id = "file.recent", .menu = kFile, .title = "Recent &files"_tr, .fill = fill_recent},
      {.id = "file.earlier", .menu = kFile, .title = "Ear&lier windows"_tr, .fill = fill_earlier},
  };
}

std::vector<Command> save_commands() {
  return {
      {.id = "file.save",
       .menu = kFile,
       .title = "&Save"_tr,
       .keys = {QKeySequence::Save},
       .run = save,
       .tip = "Save the experiment, or the lesson or the module on its page, in the file that is open"_tr,
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
      {.id = "export.jax",
       .menu = kFile,
       .title = "Export the run as &JAX code…"_tr,
       .run = export_jax_of_run,
       .tip = "What each device does in the shown run, as Python with jax.shard_map"_tr},
      {.id = "export.table", .menu = kFile, .title = "Export &table…"_tr, .run = export_table},
      {.id = "export.report",
       .menu = kFile,
       .title = "Export &report…"_tr,
       .keys = {QKeySequence("Ctrl+Shift+E")},
       .run = export_runs},
      {.id = "file.quit",
       .menu = kFile,
       .title = "&Quit"_tr,
       .keys = {QKeySequence::Quit},
       .run = [](const Context& c) { c.window.close(); },
       .line = true},
  };
}

}  // namespace

std::vector<Command> file_commands() {
  std::vector<Command> rows;
  for (const auto& part : {open_commands(), save_commands(), preset_commands()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace shardscope::inline window
