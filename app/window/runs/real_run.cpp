// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/real_run.h"

#include <QCoreApplication>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <algorithm>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "engine/base/file/write_file.h"
#include "engine/cluster/mpirun.h"
#include "engine/program/text/hlo_text.h"
#include "engine/request/command_line.h"
#include "engine/trace/measured_record.h"

namespace shardscope::inline window {
namespace {

constexpr int64_t kMostRanks = 8;
constexpr int kMostEndingMs = 3000;  // until a run that was asked to end is ended

// "37\tproving wang.os" of SHARDSCOPE_PROGRESS.
bool read_progress(const QByteArray& line, QString& what, int& percent) {
  const QList<QByteArray> parts = line.split('\t');
  bool number = false;
  if (parts.size() != 2) return false;
  percent = parts[0].toInt(&number);
  what = QString::fromUtf8(parts[1]);
  return number;
}

// Words behind the program's name; a module's program is a file in the folder.
Result<std::vector<std::string>> words_of(const Run& run, const QTemporaryDir& folder) {
  if (!run.module) return run_words(run);
  const std::string file = folder.filePath("module.hlo").toStdString();
  TRY_VOID(write_file(file, print_program(run.program)));
  return std::vector<std::string>{"hlo", "run", file, "--hardware", run.experiment.hardware};
}

// The one trace of a workspace, put into another.
Result<int64_t> copy_trace(const std::string& from, const std::string& to, const std::stop_token& stop) {
  TRY(const std::vector<MeasuredSummary> traces, list_measured(from));
  if (traces.empty()) return invalid("the ranks measured nothing");
  TRY(const MeasuredTrace trace, load_measured(from, traces.back().id));
  return record_measured(to, trace, stop);
}

}  // namespace

RealRun::RealRun(QObject* parent) : QObject(parent), program_(QCoreApplication::applicationFilePath()) {}

RealRun::~RealRun() {
  if (!process_) return;
  process_->disconnect(this);
  process_->terminate();
  if (!process_->waitForFinished(kMostEndingMs)) process_->kill();
  process_->waitForFinished(kMostEndingMs);
}

void RealRun::start(const RunPtr& run, const std::string& workspace) {
  if (running()) return;
  if (QStandardPaths::findExecutable("mpirun").isEmpty())
    return Q_EMIT refused("mpirun is not installed: it is in the package openmpi-bin."_tr);
  workspace_ = workspace;
  folder_ = std::make_unique<QTemporaryDir>();
  said_.clear();
  cancelled_ = false;
  QStringList words{"-n", QString::number(std::min(kMostRanks, run->mesh.device_count())), program_};
  const Result<std::vector<std::string>> asked = words_of(*run, *folder_);
  if (!asked.ok()) return Q_EMIT refused(in_window(asked.error()));
  for (const std::string& word : *asked) words << QString::fromStdString(word);
  words << "--backend"
        << "mpi"
        << "--json"
        << "--warmup"
        << "1"
        << "--db" << folder_->filePath("real.shardscope");
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("SHARDSCOPE_PROGRESS", "lines");
  for (const auto& [name, value] : mpirun_environment()) environment.insert(name, value);
  process_ = std::make_unique<QProcess>();
  process_->setProcessEnvironment(environment);
  process_->setStandardOutputFile(QProcess::nullDevice());
  process_->setReadChannel(QProcess::StandardError);
  connect(process_.get(), &QProcess::readyReadStandardError, this, &RealRun::read);
  connect(process_.get(), &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    finish(status == QProcess::NormalExit && code == 0);
  });
  // Queued: Qt says so inside of start(), and the process cannot go while it speaks.
  connect(
      process_.get(), &QProcess::errorOccurred, this,
      [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        said_ = process_->errorString().toUtf8();
        finish(false);
      },
      Qt::QueuedConnection);
  process_->start("mpirun", words);
  Q_EMIT changed();
  Q_EMIT progressed("starting ranks"_tr, 0);
}

void RealRun::read() {
  while (process_->canReadLine()) {
    const QByteArray line = process_->readLine().trimmed();
    QString what;
    int percent = 0;
    if (read_progress(line, what, percent))
      Q_EMIT progressed(what, percent);
    else if (line.startsWith("error: ") || line.contains("rank "))
      said_ = said_.isEmpty() ? line : said_;
  }
}

void RealRun::finish(bool well) {
  read();
  process_.release()->deleteLater();
  if (well && !cancelled_) return keep();
  folder_ = nullptr;
  if (!cancelled_)
    Q_EMIT refused(said_.isEmpty() ? "The ranks ended without a word."_tr
                                   : QString::fromUtf8(said_.startsWith("error: ") ? said_.mid(7) : said_));
  Q_EMIT changed();
}

void RealRun::keep() {
  keeping_ = true;
  keeping_work_.start([from = folder_->filePath("real.shardscope").toStdString(),
                       to = workspace_](std::stop_token stop) { return copy_trace(from, to, stop); },
                      [this](const Result<int64_t>& number) {
                        keeping_ = false;
                        folder_ = nullptr;
                        if (number.ok())
                          Q_EMIT measured(*number);
                        else
                          Q_EMIT refused(in_window(number.error()));
                        Q_EMIT changed();
                      });
}

void RealRun::cancel() {
  if (!process_) return;
  cancelled_ = true;
  process_->terminate();
  QTimer::singleShot(kMostEndingMs, process_.get(), [process = process_.get()] { process->kill(); });
}

}  // namespace shardscope::inline window
