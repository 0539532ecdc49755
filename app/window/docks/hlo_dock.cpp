// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/hlo_dock.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

#include "app/window/docks/dock_area.h"
#include "app/window/document/language.h"
#include "app/window/module/hlo_diff.h"
#include "app/window/module/jax_writer.h"
#include "app/window/widgets/written_bar.h"
#include "engine/program/module_form.h"
#include "engine/program/source/shard_map_source.h"
#include "engine/report/modules_report.h"
#include "engine/session/hlo_presets.h"
#include "engine/session/modules/module_source.h"

namespace shardscope::inline window {
namespace {

constexpr const char* kModulePage = "module";

QString module_filter() {
  QStringList endings;
  for (const std::string& ending : module_endings()) endings << "*." + QString::fromStdString(ending);
  return "Modules (%1);;All files (*)"_tr.arg(endings.join(' '));
}

// What opens as a module by its ending is remembered.
void remember(const Context& c, const QString& path) {
  remember_folder(c.preferences.settings(), path);
  for (const char* ending : {".hlo", ".mlir", ".pb"})
    if (path.endsWith(ending)) c.preferences.addRecentFile(path);
}

Result<void> write_module(const Context& c, const QString& path) {
  TRY_VOID(hlo_of(c).file().save(path));
  remember(c, path);
  c.say("Saved: %1"_tr.arg(path), 8000);
  return {};
}

// What the open module can be compared with.
std::vector<NamedText> others_of(const HloPanel& hlo, const HloFile& file) {
  std::vector<NamedText> out;
  if (const HloReadingPtr& reading = hlo.reading(); reading != nullptr && reading->made != nullptr)
    out.push_back({"the partitioned program"_tr, reading->made});
  if (file.before() != nullptr && file.modified())
    out.insert(out.begin(), {"%1 before the edits"_tr.arg(file.name()), file.before()});
  for (const HloPreset& preset : hlo_presets())
    out.push_back(
        {QString::fromStdString(preset.name), nullptr, [text = preset.text]() -> Result<IndexedTextPtr> {
           return std::make_shared<const IndexedText>(text);
         }});
  return out;
}

// What is written beside the GUI thread, and what its file is to be called.
struct LongText {
  QString meanwhile, title, name, filter;
  std::function<Result<std::string>(std::stop_token)> write;
};

// Asks where the text goes when it is written.
void save_long_text(const Context& c, LongText text) {
  auto* writer = c.window.findChild<JaxWriter*>();
  if (writer == nullptr) writer = new JaxWriter(&c.window);
  c.say(text.meanwhile, 0);
  writer->write(std::move(text.write), [c, text](const Result<std::string>& source) {
    c.say("", 1);
    c.report(source.ok() ? Result<void>() : source.error());
    if (source.ok()) c.saveText(text.title, text.name, text.filter, QString::fromStdString(*source));
  });
}

void save_python(const Context& c, const QString& name, std::function<Result<std::string>()> write) {
  save_long_text(c, {"Writing the JAX code…"_tr, "Save as JAX code"_tr, name + ".py", "Python (*.py)"_tr,
                     [write = std::move(write)](const std::stop_token&) { return write(); }});
}

void compare_with_file(const Context& c, HloDiff& diff) {
  const QString folder = folder_of(c.preferences.settings(), "hlo");
  const QString path = QFileDialog::getOpenFileName(&diff, "Compare with"_tr, folder, module_filter());
  if (path.isEmpty()) return;
  diff.compare({QFileInfo(path).fileName(), nullptr,
                [path]() -> Result<IndexedTextPtr> { return read_module_text(path); }});
}

}  // namespace

HloPanel& hlo_of(const Context& c) {
  return *c.docks.widget<HloPanel>("hlo");
}

bool has_module(const Context& c) {
  auto* hlo = static_cast<HloPanel*>(c.docks.find("hlo")->widget);
  return hlo != nullptr && !hlo->file().name().isEmpty();
}

bool at_module(const Context& c) {
  return c.docks.page() == kModulePage && has_module(c);
}

HloPanel* make_hlo(const Context& c) {
  auto* hlo = new HloPanel(c.bench, &c.window);
  QObject::connect(hlo, &HloPanel::requested, hlo, [c](const QString& command) {
    if (auto* action = c.window.findChild<QAction*>(command)) action->trigger();
  });
  QObject::connect(hlo, &HloPanel::stateChanged, &c.journaling, &Journaling::later);
  return hlo;
}

// Any file may hold HLO, whatever its ending.
void choose_module(const Context& c) {
  const QString folder = folder_of(c.preferences.settings(), "hlo");
  const QString path = QFileDialog::getOpenFileName(&c.window, "Open a module"_tr, folder, module_filter());
  if (path.isEmpty() || !may_leave_module(c)) return;
  const auto opened = hlo_of(c).file().open(path);
  c.report(opened);
  if (!opened.ok()) return;
  remember(c, path);
  c.docks.go("hlo");
}

void save_module(const Context& c) {
  const HloFile& file = hlo_of(c).file();
  const QString path = file.path();
  path.isEmpty() || !file.isOfText() ? save_module_as(c) : c.report(write_module(c, path));
}

void save_module_as(const Context& c) {
  const HloFile& file = hlo_of(c).file();
  const QString as = file.path().isEmpty() ? file.name() : file.path();
  c.write({"Save the module"_tr, file.isOfText() ? as : as + ".hlo", module_filter(),
           [c](const QString& path) { return write_module(c, path); }});
}

void save_partitioned(const Context& c) {
  const HloPanel& hlo = hlo_of(c);
  const QString name = QFileInfo(hlo_of(c).file().name()).completeBaseName() + ".partitioned.hlo";
  if (const QString text = hlo.partitionedText(); !text.isEmpty())
    c.saveText("Save the partitioned program"_tr, name, "HLO text (*.hlo)"_tr, text);
}

void export_collectives(const Context& c) {
  if (const ExplainedModule* explained = hlo_of(c).explained())
    c.saveText("Export collectives"_tr, "collectives.csv", "Tables (*.csv)"_tr, collectives_csv(*explained));
}

void export_stages(const Context& c) {
  HloPanel& hlo = hlo_of(c);
  const StageStripPtr stages = hlo.findChild<HloStages*>()->stages();
  if (stages == nullptr) return c.say("Open a module first: its stages are what is written."_tr, 6000);
  const QString name = QFileInfo(hlo.file().name()).completeBaseName();
  const std::string title = "Stages of %1"_tr.arg(name).toStdString();
  save_long_text(c,
                 {"Writing the stages…"_tr, "Save the stages"_tr, name + ".stages.html", "Pages (*.html)"_tr,
                  [stages, title](const std::stop_token& stop) -> Result<std::string> {
                    TRY(const ModuleColumns columns, columns_of(*stages, stop));
                    return modules_html(columns, title, kMostModulesPage, stop);
                  }});
}

void export_jax_of_module(const Context& c) {
  const HloReadingPtr reading = hlo_of(c).reading();
  if (reading == nullptr || reading->explained.program() == nullptr)
    return c.say("Open a module first: its partitioned program is what is written."_tr, 6000);
  save_python(c, QFileInfo(hlo_of(c).file().name()).completeBaseName(), [reading] {
    const ExplainedModule& explained = reading->explained;
    return module_source(explained.stages, {});
  });
}

void export_jax_of_run(const Context& c) {
  const ShownRunPtr& shown = c.bench.clock().shown();
  if (!shown) return c.say("Run something first: its program is what is written."_tr, 6000);
  save_python(c, QString::fromStdString(shown->run->strategy),
              [run = shown->run] { return shard_map_source(run->program, run->strategy); });
}

void compare_module(const Context& c) {
  auto* diff = c.window.findChild<HloDiff*>();
  if (diff == nullptr) {
    diff = new HloDiff(&c.window);
    QObject::connect(diff, &HloDiff::fileRequested, diff, [c, diff] { compare_with_file(c, *diff); });
    QObject::connect(diff, &HloDiff::pageMade, diff, [c](const QString& page) {
      c.saveText("Save modules side by side"_tr, "modules.html", "Pages (*.html)"_tr, page);
    });
    QObject::connect(&c.preferences, &Preferences::lookChanged, diff,
                     [c, diff] { diff->setTheme(c.preferences.theme()); });
  }
  const HloPanel& hlo = hlo_of(c);
  const HloFile& file = hlo_of(c).file();
  diff->setTheme(c.preferences.theme());
  diff->open({file.name(), file.text()}, others_of(hlo, file));
  diff->show();
  diff->raise();
  diff->activateWindow();
}

bool may_leave_module(const Context& c) {
  if (!has_module(c)) return true;
  const HloFile& file = hlo_of(c).file();
  if (file.path().isEmpty() || !file.modified()) return true;
  using Ask = QMessageBox;
  const auto answer = Ask::question(&c.window, "Shardscope", "Save the changes to %1?"_tr.arg(file.name()),
                                    Ask::Save | Ask::Discard | Ask::Cancel, Ask::Save);
  if (answer != Ask::Save) return answer == Ask::Discard;
  const auto saved = write_module(c, file.path());
  c.report(saved);
  return saved.ok();
}

}  // namespace shardscope::inline window
