// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/run_window.h"

#include <QApplication>
#include <QFile>
#include <QIcon>
#include <QScreen>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "app/window/docks/dock_names.h"
#include "app/window/docks/file_kinds.h"
#include "app/window/document/language.h"
#include "app/window/document/preferences.h"
#include "app/window/shell/main_window.h"
#include "app/window/shell/screenshot.h"
#include "app/window/shell/tour.h"
#include "engine/base/free_memory.h"
#include "engine/base/machine/memory_door.h"

namespace shardscope::inline window {
namespace {

// Without a display there is nothing to open; offscreen still draws, which is all that a screenshot needs.
void choose_platform(const WindowOptions& options) {
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM") || !options.screenshot) return;
  if (!qEnvironmentVariableIsSet("DISPLAY") && !qEnvironmentVariableIsSet("WAYLAND_DISPLAY")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
}

int fail(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.text().c_str());
  return error.kind == ErrorKind::io ? 4 : 2;
}

// Without a display Qt explains at length and ends by a signal: it is one line here, like any other error.
void end_without_display(QtMsgType type, const QMessageLogContext&, const QString&) {
  if (type != QtFatalMsg) return;
  std::_Exit(fail(invalid("there is no display to open a window on", "",
                          "say --screenshot FILE.png for a picture, or see the commands in --help")));
}

// An event whose handling wants memory that the machine does not give changes nothing more, and the window
// stays to say so.
class Application : public QApplication {
 public:
  using QApplication::QApplication;
  std::function<void(const Error&)> refused;

  bool notify(QObject* receiver, QEvent* event) override {
    try {
      return QApplication::notify(receiver, event);
    } catch (...) {
      const Error error = refused_by_machine("");
      QTimer::singleShot(0, this, [this, error] {
        if (refused) refused(error);
      });
      return true;
    }
  }
};

// A language that is no longer there is no reason not to open.
Result<void> choose_language(const WindowOptions& options, const Preferences& preferences) {
  Result<Catalogue> wanted = find_language(options.language.value_or(preferences.language().toStdString()));
  if (!wanted.ok()) return options.language ? Result<void>(wanted.error()) : Result<void>();
  if (wanted->id != "en") speak(*std::move(wanted));
  return {};
}

}  // namespace

std::vector<std::string> window_views() {
  return dock_ids();
}

int run_window(int argc, char** argv, const WindowOptions& options) {
  choose_platform(options);
  return_large_blocks_at_once();
  QApplication::setAttribute(Qt::AA_ShareOpenGLContexts);  // contexts live on when docks float
  QApplication::setApplicationName("shardscope");
  QApplication::setOrganizationName("shardscope");
  const QtMessageHandler usual = qInstallMessageHandler(end_without_display);
  Application app(argc, argv);
  qInstallMessageHandler(usual);
  // A picture is of a window as it first opens, and leaves the user's settings alone.
  const QTemporaryDir fresh;
  if (options.screenshot) QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, fresh.path());
  load_window_resources();
  QApplication::setWindowIcon(QIcon(":/shardscope/shardscope.svg"));
  Preferences preferences;
  if (const auto spoken = choose_language(options, preferences); !spoken.ok()) return fail(spoken.error());
  preferences.overrideLook(options.dark, options.scale);
  apply_font(preferences.theme());
  MainWindow window(preferences);
  app.refused = [&window](const Error& error) { window.context().report(error); };
  // Without a folder to write to the window works as well; it says what it cannot do.
  if (!options.screenshot) window.context().report(window.keepJournal(journal_folder()));
  const QString file = QString::fromStdString(options.file.value_or(""));
  Result<void> opened;
  const bool plain = file.isEmpty() && !options.preset && !options.screenshot;
  // A module, a chip or a model stands beside the experiment, it does not replace it.
  const auto kind = file.isEmpty() ? Result<const FileKind*>(nullptr) : kind_of(file);
  if (!kind.ok()) return fail(kind.error());
  if (*kind == nullptr || !(*kind)->replaces)
    opened = window.bench().openPreset(options.preset.value_or(
        plain ? preferences.settings().value("start.preset").toString().toStdString() : "default"));
  const bool beside = *kind != nullptr && !(*kind)->replaces;
  if (opened.ok() && !file.isEmpty() && !beside) opened = open_file(window.context(), file);
  if (!opened.ok()) return fail(opened.error());
  // The offscreen platform's screen is nobody's.
  if (!options.screenshot && QGuiApplication::platformName() != "offscreen")
    window.resize(window.size().boundedTo(window.screen()->availableSize()));
  window.show();
  // Once the window has its size: what is brought in front stays there.
  if (beside) opened = open_file(window.context(), file);
  if (!opened.ok()) return fail(opened.error());
  // Something to look at, not a question: the first of the ways to multiply.
  if (plain) window.action("run.one")->trigger();
  if (options.tour && !options.screenshot && !preferences.settings().value("tour").toBool())
    start_tour(window.context());
  if (!options.screenshot) return QApplication::exec();
  Result<void> taken = invalid("no screenshot was taken");
  take_screenshot(window, QString::fromStdString(options.view), QString::fromStdString(*options.screenshot),
                  [&taken](Result<void> result) {
                    taken = std::move(result);
                    QApplication::quit();
                  });
  QApplication::exec();
  return taken.ok() ? 0 : fail(taken.error());
}

}  // namespace shardscope::inline window
