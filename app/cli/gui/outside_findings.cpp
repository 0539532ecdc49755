// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QFontDatabase>
#include <QProcess>
#include <QStandardPaths>
#include <cstdio>
#include <fmt/format.h>

#include "app/cli/output/findings.h"
#include "app/cli/output/pictures.h"
#include "engine/base/text.h"
#include "views/host/surface.h"

namespace shardscope::inline cli {
namespace {

constexpr int kPatienceMs = 10'000;
constexpr int kGlanceMs = 50;

struct Ended {
  bool well = false;
  std::string out, last_error;
};

std::string last_line(const QByteArray& text) {
  const std::string whole(trim(std::string_view(text.constData(), static_cast<size_t>(text.size()))));
  const size_t end = whole.rfind('\n');
  return end == std::string::npos ? whole : whole.substr(end + 1);
}

Ended run_other(const QString& program, const QStringList& words, const std::stop_token& stop) {
  QProcess process;
  process.start(program, words, QIODevice::ReadOnly);
  int waited = 0;
  while (!process.waitForFinished(kGlanceMs)) {
    if (process.state() == QProcess::NotRunning) break;
    waited += kGlanceMs;
    if (stop.stop_requested() || waited >= kPatienceMs) {
      process.kill();
      process.waitForFinished();
      return {false, "", "it did not end"};
    }
  }
  const bool well = process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0 &&
                    process.error() != QProcess::FailedToStart;
  const QByteArray out = process.readAllStandardOutput();
  return {well, std::string(out.constData(), static_cast<size_t>(out.size())),
          last_line(process.readAllStandardError())};
}

std::string environment(const char* name) {
  return qEnvironmentVariable(name).toStdString();
}

Finding display_found(const std::string& program, const std::stop_token& stop) {
  Finding out{"display", "Display"};
  const std::string display = environment("DISPLAY"), wayland = environment("WAYLAND_DISPLAY");
  const std::string named = environment("QT_QPA_PLATFORM");
  out.values = {{"display", display}, {"wayland", wayland}, {"platform", named}, {"canvas", nullptr}};
  if (display.empty() && wayland.empty() && named.empty()) {
    out.health = Health::lacking;
    out.found = "none (DISPLAY and WAYLAND_DISPLAY are not set)";
    out.advice = "the window needs one; commands, reports, render and --screenshot work without";
    return out;
  }
  const std::string at = !named.empty() ? named : !wayland.empty() ? wayland : display;
  const Ended probe = run_other(QString::fromStdString(program), {"doctor", "--probe-window"}, stop);
  if (!probe.well) {
    out.health = Health::lacking;
    out.found = fmt::format("{}, but no window opens there: {}", at, probe.last_error);
    out.advice = "check that display; commands, reports, render and --screenshot work without";
    return out;
  }
  const std::string canvas(trim(probe.out));
  out.found = fmt::format("{}; canvases are drawn by the {}", at, canvas);
  out.values["canvas"] = canvas;
  return out;
}

Finding fonts_found() {
  Finding out{"fonts", "Fonts"};
  const QStringList families = QFontDatabase::families();
  const bool dejavu = families.contains("DejaVu Sans") && families.contains("DejaVu Sans Mono");
  out.found =
      fmt::format("{} families, DejaVu Sans {}", families.size(), dejavu ? "among them" : "is missing");
  out.values = {{"families", families.size()}, {"dejavu", dejavu}};
  if (!dejavu) {
    out.health = Health::lacking;
    out.advice = "install fonts-dejavu-core: without it labels may be cut or missing";
  }
  return out;
}

Finding mpi_found(const std::stop_token& stop) {
  Finding out{"mpi", "MPI"};
  const QString program = QStandardPaths::findExecutable("mpirun");
  out.values = {{"mpirun", nullptr}, {"version", nullptr}};
  if (program.isEmpty()) {
    out.found = "no mpirun; only --backend mpi needs one";
    return out;
  }
  const Ended asked = run_other(program, {"--version"}, stop);
  const std::string version = asked.out.substr(0, asked.out.find('\n'));
  out.found = fmt::format("{}: {}; only --backend mpi needs it", program.toStdString(),
                          asked.well && !version.empty() ? version : "it does not start");
  out.values["mpirun"] = program.toStdString();
  if (asked.well && !version.empty()) out.values["version"] = version;
  return out;
}

}  // namespace

std::vector<Finding> outside_findings(const std::string& program, const std::stop_token& stop) {
  const Finding display = display_found(program, stop);  // before this process has a platform of its own
  start_offscreen_gui();
  return {display, fonts_found(), mpi_found(stop)};
}

int probe_window() {
  int argc = 1;
  char name[] = "shardscope";
  char* argv[] = {name, nullptr};
  const QApplication app(argc, argv);
  std::printf("%s\n", surface_choice().text.toStdString().c_str());
  return 0;
}

}  // namespace shardscope::inline cli
