// SPDX-License-Identifier: Apache-2.0
#include "app/window/docks/file_kinds.h"

#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "app/window/chip/kernel_panel.h"
#include "app/window/docks/dock_area.h"
#include "app/window/docks/hlo_dock.h"
#include "app/window/docks/lesson_dock.h"
#include "app/window/docks/profile_dock.h"
#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/studies/tuner_panel.h"
#include "app/window/widgets/written_bar.h"
#include "engine/base/check.h"
#include "engine/hardware/hardware.h"
#include "engine/program/module_form.h"
#include "engine/tune/model_file.h"

namespace shardscope::inline window {
namespace {

constexpr qint64 kHead = 1 << 16;

bool has_line(const QByteArray& head, const QByteArray& begin) {
  return head.startsWith(begin) || head.contains('\n' + begin);
}

bool has_any(const QByteArray& head, std::initializer_list<const char*> tables) {
  return std::any_of(tables.begin(), tables.end(), [&](const char* each) { return has_line(head, each); });
}

// As a job: opening a large file takes its time.
void open_workspace_as_job(const Context& c, const QString& path) {
  c.bench.jobs().start(
      [path, otherwise = c.bench.document().experiment()](std::stop_token, const JobRunner::Report& report,
                                                          const auto& /*post*/) {
        report(say("opening {}", path.toStdString()), 0);
        return open_workspace(path, otherwise);
      },
      [c, path](Result<OpenedFile> opened) {
        if (!opened.ok()) return in_window(opened.error());
        c.bench.goOn(opened->state, std::move(opened->workspace), std::move(opened->rows));
        c.preferences.addRecentFile(path);
        remember_folder(c.preferences.settings(), path);
        return "Opened: %1"_tr.arg(path);
      });
}

Result<void> open_work(const Context& c, const QString& path) {
  TRY_VOID(c.bench.openFile(path));
  c.docks.setPage(home_of("experiment")->id);
  return {};
}

// An edit of the experiment, so that it can be taken back.
Result<void> open_chip(const Context& c, const QString& path) {
  TRY_VOID(find_hardware(path.toStdString()));
  Experiment e = c.bench.document().experiment();
  e.hardware = path.toStdString();
  c.bench.document().change(e, "hardware");
  c.docks.go("experiment");
  return {};
}

Result<void> open_model(const Context& c, const QString& path) {
  TRY_VOID(find_model(path.toStdString()));
  c.docks.widget<TunerPanel>("tuner")->model()->setCurrentText(path);
  c.docks.go("tuner");
  return {};
}

Result<void> open_module(const Context& c, const QString& path) {
  if (!may_leave_module(c)) return {};
  TRY_VOID(hlo_of(c).file().open(path));
  c.docks.go("hlo");
  return {};
}

Result<void> open_kernel(const Context& c, const QString& path) {
  c.docks.go("kernel");
  auto* panel = c.docks.widget<KernelPanel>("kernel");
  TRY_VOID(panel->tabs()->editor()->open(path));
  panel->tabs()->setCurrentWidget(panel->tabs()->editor());
  panel->tabs()->editor()->showText();
  return {};
}

QStringList endings_of_modules() {
  QStringList out;
  for (const std::string& ending : module_endings()) out << QString::fromStdString(ending);
  return out;
}

std::vector<FileKind> make_kinds() {
  return {
      {"workspace",
       to_say("Workspaces"),
       {"shardscope"},
       to_say("opens with its runs, as it was left"),
       {},
       open_work,
       true},
      {"lesson",
       to_say("Lessons"),
       {"toml"},
       to_say("opens as a lesson"),
       [](const QByteArray& head) { return has_line(head, "[[step]]"); },
       [](const Context& c, const QString& path) { return open_lesson(c, path); }},
      {"experiment",
       to_say("Experiments"),
       {"toml"},
       to_say("becomes the experiment"),
       [](const QByteArray& head) {
         return has_any(head, {"[mesh]", "[problem]", "[[run]]"});
       },
       open_work,
       true},
      {"chip",
       to_say("Chips"),
       {"toml"},
       to_say("becomes the chip of the experiment"),
       [](const QByteArray& head) {
         return has_any(head, {"topology", "[compute]", "[link]", "[memory]"});
       },
       open_chip},
      {"model",
       to_say("Models"),
       {"toml"},
       to_say("becomes the model of the tuner"),
       [](const QByteArray& head) {
         return has_any(head, {"hidden", "sequence", "[[layer]]"});
       },
       open_model},
      {"profile",
       to_say("Profiles"),
       {"pb", "gz", "json", "sqlite"},
       to_say("opens beside its simulation"),
       is_profile,
       open_profile},
      {"module",
       to_say("Modules (HLO, StableHLO)"),
       endings_of_modules(),
       to_say("opens on the Module page"),
       {},
       open_module},
      {"kernel",
       to_say("Kernels"),
       {"kernel"},
       to_say("opens as a text on the Kernel page"),
       {},
       open_kernel},
  };
}

QString names_of_endings() {
  QStringList all;
  for (const FileKind& kind : file_kinds()) {
    for (const QString& ending : kind.endings) {
      if (!all.contains("." + ending)) all << "." + ending;
    }
  }
  return all.join(", ");
}

Result<QByteArray> head_of(const QString& path) {
  QFile file(path);
  if (QFileInfo(path).isDir())
    return invalid("this is a folder", path.toStdString(), "choose a file inside it");
  if (!file.open(QIODevice::ReadOnly))
    return io_error("cannot open: " + file.errorString().toStdString(), path.toStdString());
  return file.read(kHead);
}

QString pattern_of(const QStringList& endings) {
  return "*." + endings.join(" *.");
}

}  // namespace

const std::vector<FileKind>& file_kinds() {
  static const std::vector<FileKind> kKinds = make_kinds();
  return kKinds;
}

Result<const FileKind*> kind_of(const QString& path) {
  TRY(const QByteArray head, head_of(path));
  const QString ending = QFileInfo(path).suffix().toLower();
  const FileKind* same = nullptr;
  for (const FileKind& kind : file_kinds()) {
    if (!kind.endings.contains(ending)) continue;
    if (!kind.has || kind.has(head)) return &kind;
    same = &kind;
  }
  // Compilers write modules with any ending.
  const bool text =
      has_line(head, "HloModule") || has_line(head, "module @") || has_line(head, "module attributes");
  // Of XLA's messages the first field is a message or a name; of bytecode we say what makes text of it.
  const bool binary = is_binary(head.toStdString()) && (head.startsWith('\n') || head.contains("ML\xefR"));
  if (text || binary)
    return &*std::find_if(file_kinds().begin(), file_kinds().end(),
                          [](const FileKind& kind) { return kind.id == "module"; });
  if (same != nullptr)
    return invalid(
        "neither an experiment, a lesson, a chip, a model nor a profile", path.toStdString(),
        "an experiment has [mesh] and [problem], a lesson [[step]], a chip [compute] and [link], a "
        "model its sizes");
  return invalid("no kind of file that can be opened", path.toStdString(),
                 "use one of " + names_of_endings().toStdString());
}

QString open_filter() {
  QStringList all, each;
  for (const FileKind& kind : file_kinds()) {
    all << kind.endings;
    each << QString("%1 (%2)").arg(spoken(kind.title), pattern_of(kind.endings));
  }
  all.removeDuplicates();
  return "All that can be opened (%1);;%2;;All files (*)"_tr.arg(pattern_of(all), each.join(";;"));
}

QString open_filter(const QString& kind) {
  for (const FileKind& each : file_kinds())
    if (each.id == kind) return "%1 (%2);;All files (*)"_tr.arg(spoken(each.title), pattern_of(each.endings));
  CHECK(false, kind.toStdString());
  return {};
}

Result<void> open_file(const Context& c, const QString& path) {
  TRY(const FileKind* kind, kind_of(path));
  return kind->open(c, path);
}

void open_path(const Context& c, const QString& path) {
  if (is_workspace(path)) return open_workspace_as_job(c, path);
  const auto opened = open_file(c, path);
  c.report(opened);
  if (!opened.ok()) return;
  remember_folder(c.preferences.settings(), path);
  c.preferences.addRecentFile(path);
}

}  // namespace shardscope::inline window
