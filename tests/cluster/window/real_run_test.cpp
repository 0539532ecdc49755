// SPDX-License-Identifier: Apache-2.0
// "Run for real" without its panel: a run by MPI, its trace in the workspace, and one that is cancelled.
#include "app/window/runs/real_run.h"

#include <QApplication>
#include <QElapsedTimer>
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

#include "engine/base/file/write_file.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/hlo_run.h"
#include "engine/session/session.h"
#include "engine/trace/measured_record.h"
#include "tests/temporary_folder.h"

namespace shardscope::real_run_test {
namespace {

RunPtr some_run() {
  Experiment experiment;
  experiment.mesh = *Mesh::parse("row=2,col=2");
  experiment.chip_wraps = true;
  experiment.problem.m = 64;
  experiment.problem.k = 64;
  experiment.problem.n = 64;
  RunRequest request;
  request.strategy = "wang.os";
  ExecutionOptions options;
  options.numerics = false;
  return *execute(experiment, request, options, {});
}

// True when it ended in time.
bool ended(const RealRun& real) {
  constexpr int kSeconds = 60;
  QElapsedTimer timer;
  timer.start();
  while (real.running() && timer.elapsed() < kSeconds * 1000)
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
  return !real.running();
}

struct RealRunTest : ::testing::Test {
  TemporaryFolder folder;
  std::string path = folder.file("w.shardscope");
  std::shared_ptr<Workspace> workspace = *Workspace::open(path);  // open, as the window has it
  RealRun real;
  qlonglong trace = 0;
  QString reason;
  int last_percent = -1;

  RealRunTest() {
    real.setProgram(SHARDSCOPE_PROGRAM);
    QObject::connect(&real, &RealRun::measured, [this](qlonglong number) { trace = number; });
    QObject::connect(&real, &RealRun::refused, [this](const QString& why) { reason = why; });
    QObject::connect(&real, &RealRun::progressed, [this](const QString&, int p) { last_percent = p; });
  }
};

TEST_F(RealRunTest, WhatRanksMeasuredIsInTheWorkspace) {
  real.start(some_run(), path);
  EXPECT_TRUE(real.running());
  ASSERT_TRUE(ended(real));
  EXPECT_EQ(reason.toStdString(), "");
  EXPECT_GT(last_percent, 0) << "the ranks' own";
  const auto measured = load_measured(path, trace);
  ASSERT_TRUE(measured.ok()) << measured.error().text();
  EXPECT_EQ(measured->format, "mpi");
  EXPECT_EQ(measured->devices, 4);
}

RunPtr module_run() {
  ModuleRunOptions options;
  const auto module = parse_program(
      "HloModule m\nENTRY e {\n x = f32[8,16] parameter(0), sharding={devices=[4,1]<=[4]}\n"
      " w = f32[16,8] parameter(1)\n ROOT y = f32[8,8] dot(x, w), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n}\n");
  return execute_module(*module, options, {})->run;
}

TEST_F(RealRunTest, AModuleRunsTheProgramThatIsShown) {
  real.start(module_run(), path);
  ASSERT_TRUE(ended(real));
  EXPECT_EQ(reason.toStdString(), "");
  const auto measured = load_measured(path, trace);
  ASSERT_TRUE(measured.ok()) << measured.error().text();
  EXPECT_EQ(measured->devices, 4);
  EXPECT_EQ(std::ranges::count(measured->operations, MeasuredKind::product, &MeasuredOperation::kind), 1);
}

TEST_F(RealRunTest, AnMpirunThatCannotBeStartedIsSaid) {
  const std::string mpirun = folder.file("mpirun");
  ASSERT_TRUE(write_file(mpirun, "#!/nowhere/sh\n").ok());
  std::filesystem::permissions(mpirun, std::filesystem::perms::owner_all);
  const QByteArray before = qgetenv("PATH");
  qputenv("PATH", folder.path().c_str());
  real.start(some_run(), path);
  qputenv("PATH", before);
  ASSERT_TRUE(ended(real));
  EXPECT_NE(reason.toStdString(), "");
  EXPECT_EQ(trace, 0);
}

TEST_F(RealRunTest, OneThatIsCancelledLeavesNothing) {
  real.start(some_run(), path);
  real.cancel();
  ASSERT_TRUE(ended(real));
  EXPECT_EQ(trace, 0);
  EXPECT_EQ(reason.toStdString(), "");
  EXPECT_TRUE(list_measured(path).value().empty());
}

}  // namespace
}  // namespace shardscope::real_run_test

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
