// SPDX-License-Identifier: Apache-2.0
#include "tests/app/use/burden.h"

#include <QApplication>
#include <QTableWidget>
#include <fstream>

#include "app/window/docks/file_kinds.h"
#include "app/window/docks/pages.h"

namespace shardscope {
namespace {

constexpr double kLargeFreezeSeconds = 2;
constexpr int kModuleLines = 20'000;

void type_size(MainWindow& window, int axis, int size) {
  auto* table = window.findChild<QTableWidget*>("meshTable");
  table->item(axis, 1)->setText(QString::number(size));
}

std::string large_module() {
  std::string text = "HloModule large, num_partitions=1\n\nENTRY main {\n  v0 = f32[64,64] parameter(0)\n";
  for (int line = 1; line < kModuleLines; ++line) {
    const std::string before = "v" + std::to_string(line - 1);
    text += "  v" + std::to_string(line) + " = f32[64,64] add(" + before + ", " + before + ")\n";
  }
  return text + "  ROOT r = f32[64,64] negate(v" + std::to_string(kModuleLines - 1) + ")\n}\n";
}

}  // namespace

Burden::Burden(MainWindow& window, const SessionOptions& options, const SessionLog& log)
    : QObject(&window), window_(window), options_(options), log_(log), watch_(log, kLargeFreezeSeconds) {
  steps_.push_back({"opened", [] {}, 500, true});
  addMesh();
  addModule();
  addRun();
  later(100);
}

void Burden::addTour(const std::string& of) {
  for (const Page& page : pages())
    steps_.push_back(
        {of + " on " + page.id.toStdString(), [this, id = page.id] { window_.docks().setPage(id); }, 150});
  steps_.push_back({of + " in a small window", [this] { window_.resize(900, 700); }, 200});
  steps_.push_back({of + " in a large window", [this] { window_.resize(1900, 1080); }, 200});
}

// Typed, looked at while its strategies are checked, run, cancelled, undone.
void Burden::addMesh() {
  steps_.push_back({"256 rows", [this] { type_size(window_, 0, 256); }, 300});
  steps_.push_back({"256 columns", [this] { type_size(window_, 1, 256); }, 2000});
  addTour("65,536 devices");
  steps_.push_back({"run on them", [this] { window_.action("run.one")->trigger(); }, 1500});
  steps_.push_back({"cancel", [this] { window_.action("run.cancel")->trigger(); }, 500});
  steps_.push_back(
      {"another preset", [this] { window_.context().report(window_.bench().openPreset("teaching")); }, 500});
}

void Burden::addModule() {
  const QString path = QString::fromStdString(options_.folder + "/large.hlo");
  std::ofstream(path.toStdString()) << large_module();
  steps_.push_back({"a module of 20,000 lines", [this, path] { open_path(window_.context(), path); }, 4000});
  steps_.push_back({"its program", [this] { window_.docks().go("program"); }, 500});
}

void Burden::addRun() {
  steps_.push_back({"32 rows", [this] { type_size(window_, 0, 32); }, 200});
  steps_.push_back({"32 columns", [this] { type_size(window_, 1, 32); }, 200});
  steps_.push_back({"a run of 1,024 devices",
                    [this] {
                      Experiment e = window_.bench().document().experiment();
                      e.problem.m = e.problem.k = e.problem.n = 2048;
                      window_.bench().document().change(e, "sizes");
                      window_.bench().state().setNumerics(false);
                      window_.bench().run(RunRequest{.strategy = "wang.os"});
                    },
                    500, true});
  addTour("1,024 devices");
  for (const int beat : {1, 7, 20})
    steps_.push_back({"a moment of them", [this, beat] { window_.bench().clock().setBeat(beat); }, 200});
}

void Burden::later(int ms) {
  QTimer::singleShot(ms, this, [this] { go(); });
}

void Burden::go() {
  Workbench& bench = window_.bench();
  const bool waits = next_ > 0 && steps_[next_ - 1].quiet;
  if (waits && (bench.jobs().running() || bench.presenter().preparing())) return later(100);
  if (next_ == steps_.size()) {
    QElapsedTimer timer;
    timer.start();
    const qsizetype bytes = text(bench.state().now()).size();
    log_.line("a state of " + std::to_string(bytes) + " bytes in " +
              std::to_string(timer.nsecsElapsed() / 1000) + " us");
    log_.line("done");
    return QCoreApplication::exit(0);
  }
  const Step& step = steps_[next_++];
  log_.line(step.said);
  step.act();
  later(step.wait_ms);
}

}  // namespace shardscope
