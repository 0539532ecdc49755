// SPDX-License-Identifier: Apache-2.0
// The program as mpirun starts it.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "engine/trace/measured_record.h"
#include "engine/trace/workspace.h"
#include "tests/cli/process.h"

namespace shardscope::mpirun_test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr const char* kRanks = "4";

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// As root and with more ranks than cores.
Words environment() {
  return {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};
}

Words on_ranks(const Words& arguments, const std::string& ranks = kRanks) {
  return with({SHARDSCOPE_MPIRUN, "--oversubscribe", "-n", ranks, SHARDSCOPE_PROGRAM}, arguments);
}

ProcessOutcome run_on_ranks(const Words& arguments, const std::function<void(int)>& meanwhile = {}) {
  return run_words(on_ranks(with(arguments, {"--backend", "mpi"})), environment(), meanwhile);
}

const Words kWang = {"run", "--strategy", "wang.os", "--mesh", "row=2,col=4", "--m",
                     "64",  "--k",        "128",     "--n",    "192"};

Json without_times(std::string text) {
  Json out = Json::parse(text);
  for (const char* key : {"measured", "cluster", "run_id", "created"}) out.erase(key);
  return out;
}

TEST(Mpirun, ARunSaysWhatOneProcessSaysAndWhatWasMeasured) {
  const TemporaryFolder folder;
  const std::string db = folder.file("w.shardscope");
  const Words filled = with(kWang, {"--fill", "normal", "--json"});
  const ProcessOutcome alone = run_program(with(filled, {"--out", folder.file("alone.npy")}));
  const ProcessOutcome ranks = run_on_ranks(with(filled, {"--out", folder.file("ranks.npy"), "--db", db}));
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  ASSERT_EQ(ranks.exit_code, 0) << ranks.err;
  EXPECT_EQ(read_text(folder.file("alone.npy")), read_text(folder.file("ranks.npy")));
  EXPECT_EQ(without_times(alone.out), without_times(ranks.out));

  const Json cluster = Json::parse(ranks.out)["cluster"];
  EXPECT_EQ(cluster["ranks"], 4);
  const Json& path = cluster["critical_path"];
  const double parts =
      path["work_s"].get<double>() + path["transfer_s"].get<double>() + path["between_s"].get<double>();
  EXPECT_NEAR(parts, path["total_s"], 1e-6);
  EXPECT_LE(path["total_s"].get<double>(),
            Json::parse(ranks.out)["measured"]["wall_s"].get<double>() * 1.001);

  const auto trace = load_measured(db, cluster["measured_id"]);
  ASSERT_TRUE(trace.ok()) << trace.error().text();
  EXPECT_EQ(trace->format, "mpi");
  EXPECT_EQ(trace->devices, 8);
  int products = 0, transfers = 0;
  for (const MeasuredEvent& event : trace->events) {
    const MeasuredOperation& what = trace->operations[static_cast<size_t>(event.operation)];
    products += what.kind == MeasuredKind::product ? 1 : 0;
    transfers += what.kind == MeasuredKind::copy ? 1 : 0;
    EXPECT_LE(event.start, event.end);
  }
  EXPECT_GE(products, 8);
  EXPECT_GT(transfers, 0);
}

TEST(Mpirun, AModuleHasTheResultsOfOneProcess) {
  const Words module = {"hlo", "run", SHARDSCOPE_SOURCE_DIR "/presets/hlo/mlp.hlo", "--print", "--json"};
  const ProcessOutcome alone = run_program(module), ranks = run_on_ranks(module);
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  ASSERT_EQ(ranks.exit_code, 0) << ranks.err;
  EXPECT_EQ(without_times(alone.out), without_times(ranks.out));
}

TEST(Mpirun, ASweepAndATuningSayWhatOneProcessSays) {
  const Words sweep = {"sweep", "--mesh", "row=2,col=2", "--m",         "32",
                       "--k",   "32",     "--over",      "n=32..512x2", "--json"};
  const Words tune = {"tune", "--model", "megatron", "--chips", "4", "--json"};
  for (const Words& words : {sweep, tune}) {
    const ProcessOutcome alone = run_program(words), ranks = run_on_ranks(words);
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    ASSERT_EQ(ranks.exit_code, 0) << ranks.err;
    EXPECT_EQ(alone.out, ranks.out) << words.front();
  }
}

TEST(Mpirun, AMistakeIsSaidOnce) {
  const ProcessOutcome ranks = run_on_ranks(
      {"run", "--strategy", "nobody.os", "--mesh", "row=2,col=4", "--m", "64", "--k", "128", "--n", "192"});
  EXPECT_EQ(ranks.exit_code, 2);
  const size_t first = ranks.err.find("error: unknown strategy");
  ASSERT_NE(first, std::string::npos) << ranks.err;
  EXPECT_EQ(ranks.err.find("error: unknown strategy", first + 1), std::string::npos) << ranks.err;
}

TEST(Mpirun, ARankOfAnotherVersionIsNamed) {
  const TemporaryFolder folder;
  const std::string version = run_program({"--version"}).out.substr(std::string("shardscope ").size());
  const std::string own = version.substr(0, version.find('\n'));
  std::string program = read_text(SHARDSCOPE_PROGRAM), other = own;
  other.back() = other.back() == '0' ? '1' : '0';
  for (size_t at = program.find(own); at != std::string::npos; at = program.find(own, at + own.size()))
    program.replace(at, own.size(), other);
  const std::string path = folder.file("shardscope");
  write_text(path, program);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const Words run = with(kWang, {"--backend", "mpi"});
  const Words words = with(with({SHARDSCOPE_MPIRUN, "--oversubscribe", "-n", "1", SHARDSCOPE_PROGRAM}, run),
                           with({":", "-n", "1", path}, run));
  const ProcessOutcome outcome = run_words(words, environment());
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("error: rank 1 has version " + other), std::string::npos) << outcome.err;
}

// The agent that starts the other host's ranks starts them here, under that host's name.
TEST(Mpirun, TwoHostsHaveTheirRanksAndAlignedClocks) {
  if (run_words({"unshare", "-u", "true"}).exit_code != 0)
    GTEST_SKIP() << "nobody else may have another name here";
  const TemporaryFolder folder;
  const std::string agent = folder.file("agent");
  write_text(agent,
             "#!/bin/sh\nhost=$1; shift\nexec unshare -u sh -c 'hostname \"$0\"; exec sh -c \"$1\"' "
             "\"$host\" \"$*\"\n");
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  const Words words = with({SHARDSCOPE_MPIRUN, "--oversubscribe", "--mca", "plm_rsh_agent", agent, "--mca",
                            "btl", "self,tcp", "--host", "alpha:2,beta:2", "-n", "4", SHARDSCOPE_PROGRAM},
                           with(kWang, {"--backend", "mpi", "--json"}));
  const ProcessOutcome outcome = run_words(words, environment());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json out = Json::parse(outcome.out);
  EXPECT_EQ(out["cluster"]["hosts"], Json::array({"alpha", "alpha", "beta", "beta"}));
  EXPECT_TRUE(out["numerics"]["allclose"]);
  // The two names are one machine's: a clock that was misread would show in times between them.
  EXPECT_LE(out["cluster"]["critical_path"]["total_s"].get<double>(),
            out["measured"]["wall_s"].get<double>() * 1.01);
}

// The processes that mpirun started, in the order of their ranks.
std::vector<int> ranks_of(int mpirun) {
  std::vector<int> out;
  std::ifstream in("/proc/" + std::to_string(mpirun) + "/task/" + std::to_string(mpirun) + "/children");
  for (int process = 0; in >> process;) out.push_back(process);
  return out;
}

// A rank that is killed at any moment: mpirun ends soon, says which it was, and the record holds all of the
// run or nothing.
TEST(Mpirun, ARankThatDiesEndsTheRunAndLeavesNothingHalf) {
#ifdef SHARDSCOPE_NIGHTLY
  constexpr int kTimes = 50;
#else
  constexpr int kTimes = 4;
#endif
  const Words run = {"run", "--strategy", "collective.os", "--mesh", "row=2,col=4", "--m", "512",
                     "--k", "512",        "--n",           "1024",   "--repeat",    "40"};
  std::mt19937 random(7);
  int died = 0;
  for (int time = 0; time < kTimes; ++time) {
    const TemporaryFolder folder;
    const std::string db = folder.file("w.shardscope");
    const auto after = std::chrono::milliseconds(300 + random() % 1500);
    const size_t victim = random() % 4;
    auto killed = std::chrono::steady_clock::now();
    const ProcessOutcome outcome = run_on_ranks(with(run, {"--db", db}), [&](int mpirun) {
      std::this_thread::sleep_for(after);
      const std::vector<int> ranks = ranks_of(mpirun);
      if (victim < ranks.size()) kill(ranks[victim], SIGKILL);
      killed = std::chrono::steady_clock::now();
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - killed;
    EXPECT_LT(took.count(), 10) << "killed after " << after.count() << " ms";
    if (outcome.exit_code != 0) {
      ++died;
      EXPECT_NE(outcome.err.find("rank " + std::to_string(victim)), std::string::npos) << outcome.err;
    }
    if (!std::filesystem::exists(db)) continue;
    const auto workspace = Workspace::open(db);
    ASSERT_TRUE(workspace.ok()) << workspace.error().text();
    const auto runs = (*workspace)->runs();
    ASSERT_TRUE(runs.ok()) << runs.error().text();
    for (const RunSummary& summary : *runs) EXPECT_EQ(summary.status, "done");
    const auto traces = list_measured(db);
    ASSERT_TRUE(traces.ok()) << traces.error().text();
    for (const MeasuredSummary& summary : *traces) EXPECT_TRUE(load_measured(db, summary.id).ok());
  }
  EXPECT_GT(died, 0);
}

// One line of ours; nothing of what mpirun and the ranks say of one another as they are ended.
TEST(Mpirun, MeasuringThisMachineIsCancelledInOneLine) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const ProcessOutcome outcome =
        run_words({SHARDSCOPE_PROGRAM, "calibrate", "--this-machine"}, environment(), [&](int process) {
          for (int looks = 0; looks < 200 && ranks_of(process).empty(); ++looks)
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          std::this_thread::sleep_for(std::chrono::seconds(2));  // the ranks measure
          kill(process, signal);
        });
    EXPECT_EQ(outcome.exit_code, 128 + signal);
    EXPECT_EQ(outcome.err, "error: cancelled\n");
    EXPECT_EQ(outcome.out, "");
  }
}

#ifdef SHARDSCOPE_NIGHTLY
// On a machine that does other things, too: better than chance, which a chip fitted to nothing would not be.
TEST(Mpirun, ThisMachineIsMeasuredAndItsRunsComeInTheSimulatedOrder) {
  const TemporaryFolder folder;
  const std::string chip = folder.file("host.toml");
  const ProcessOutcome outcome =
      run_words({SHARDSCOPE_PROGRAM, "calibrate", "--this-machine", "--json", "-o", chip}, environment());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json order = Json::parse(outcome.out)["this_machine"];
  EXPECT_GE(order["cores_shared"].get<double>(), 1);
  EXPECT_GT(order["pairs"].get<int>(), 100);
  EXPECT_GT(2 * order["pairs_alike"].get<int>(), order["pairs"].get<int>());
  EXPECT_EQ(run_program(with(kWang, {"--hardware", chip})).exit_code, 0);
}
#endif

// mpirun starts no rank then; it says which host it cannot start.
TEST(Mpirun, AHostThatIsMissingEndsItWithinSeconds) {
  const TemporaryFolder folder;
  const std::string agent = folder.file("agent");
  write_text(agent, "#!/bin/sh\necho \"no way to $1\" >&2\nexit 255\n");
  std::filesystem::permissions(agent, std::filesystem::perms::owner_all);
  const std::string db = folder.file("w.shardscope");
  const Words words = with({SHARDSCOPE_MPIRUN, "--oversubscribe", "--mca", "plm_rsh_agent", agent, "--host",
                            "localhost:2,gone:2", "-n", "4", SHARDSCOPE_PROGRAM},
                           with(kWang, {"--backend", "mpi", "--db", db}));
  const auto start = std::chrono::steady_clock::now();
  const ProcessOutcome outcome = run_words(words, environment());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("no way to gone"), std::string::npos) << outcome.err;
  EXPECT_LT(took.count(), 10);
  EXPECT_FALSE(std::filesystem::exists(db));
}

// A rank whose process stands still: whoever listens says which, and all end.
TEST(Mpirun, ARankThatHangsIsNamedWithinSeconds) {
  const Words run = {"run", "--strategy", "collective.os", "--mesh", "row=2,col=4", "--m",    "512",
                     "--k", "512",        "--n",           "1024",   "--repeat",    "1000000"};
  for (const size_t victim : {size_t{2}, size_t{0}}) {
    const TemporaryFolder folder;
    const std::string db = folder.file("w.shardscope");
    auto stopped = std::chrono::steady_clock::now();
    const ProcessOutcome outcome = run_on_ranks(with(run, {"--db", db}), [&](int mpirun) {
      std::this_thread::sleep_for(std::chrono::seconds(3));
      const std::vector<int> ranks = ranks_of(mpirun);
      ASSERT_GT(ranks.size(), victim);
      kill(ranks[victim], SIGSTOP);
      stopped = std::chrono::steady_clock::now();
    });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - stopped;
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_LT(took.count(), 10);
    const std::string line = "error: rank " + std::to_string(victim) + " does not answer";
    const size_t first = outcome.err.find(line);
    ASSERT_NE(first, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("does not answer", first + line.size()), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    if (!std::filesystem::exists(db)) continue;
    const auto workspace = Workspace::open(db);
    ASSERT_TRUE(workspace.ok()) << workspace.error().text();
    EXPECT_TRUE((*workspace)->runs().value().empty());
  }
}

// Ranks that stood still together, as Ctrl+Z leaves them, go on together.
TEST(Mpirun, RanksThatAllStoodStillGoOn) {
  const Words run = {"run", "--strategy", "collective.os", "--mesh", "row=2,col=2", "--m", "256",
                     "--k", "256",        "--n",           "512",    "--repeat",    "300", "--json"};
  const ProcessOutcome outcome = run_on_ranks(run, [&](int mpirun) {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    const std::vector<int> ranks = ranks_of(mpirun);
    for (const int rank : ranks) kill(rank, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::seconds(8));
    for (const int rank : ranks) kill(rank, SIGCONT);
  });
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

}  // namespace
}  // namespace shardscope::mpirun_test
