// SPDX-License-Identifier: Apache-2.0
#include "tests/app/journal_steps.h"

#include <QCoreApplication>
#include <QThread>
#include <unistd.h>

namespace shardscope {

JournaledWork::JournaledWork(const QString& folder) {
  CHECK(journaling_.begin(folder).ok());
  Experiment e = find_experiment("default").value();
  e.mesh = Mesh::parse("row=2,col=2").value();
  e.problem.m = e.problem.k = e.problem.n = 64;
  bench_.openExperiment(e);
}

void JournaledWork::take(int step) {
  if (runs(step)) {
    run(step);
  } else if (step % 3 == 1 && bench_.clock().shown()) {
    move(step);
  } else {
    edit(step);
  }
  QCoreApplication::processEvents();
  CHECK(journaling_.journal()->workspace()->wait().ok());
}

void JournaledWork::edit(int step) {
  Experiment e = bench_.document().experiment();
  e.problem.m = 64 + 8 * step;
  e.seed = static_cast<uint64_t>(step);
  e.title = "step " + std::to_string(step);
  bench_.document().change(e, "step");
}

void JournaledWork::run(int step) {
  RunRequest request;
  request.strategy = step % 4 == 0 ? "wang.os" : "collective.os";
  bench_.run(request);
  while (bench_.jobs().running() || bench_.presenter().preparing()) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    QThread::usleep(200);
  }
}

void JournaledWork::move(int step) {
  Clock& clock = bench_.clock();
  const auto& events = clock.shown()->run->timeline.events;
  const auto number = static_cast<size_t>(step) % events.size();
  clock.select({ItemId::Kind::event, events[number].device, events[number].instruction,
                static_cast<int32_t>(number), events[number].lane, -1});
  clock.setRange(TimeRange{events[number].start, events[number].end});
  journaling_.write();
}

int work_until_killed(const std::string& folder) {
  JournaledWork work(QString::fromStdString(folder));
  for (int step = 0;; ++step) {
    work.take(step);
    if (::write(STDOUT_FILENO, &step, sizeof step) != sizeof step) return 1;
  }
}

}  // namespace shardscope
