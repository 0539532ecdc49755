// SPDX-License-Identifier: Apache-2.0
// One small kernel per mistake: each is found in every run, and the finding names what is missing.
#include "engine/kernels/program/pipeline.h"
#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels::hazard_test {
namespace {

KernelRun tried(KernelBody body, int devices = 4, int64_t vmem_limit = 1 << 20) {
  KernelOptions options;
  options.mesh = ring_mesh(devices);
  options.vmem_limit = vmem_limit;
  KernelEntry entry;
  entry.id = "test";
  entry.body = body;
  const Result<KernelProgram> program = build_kernel(entry, options);
  if (!program.ok()) {
    ADD_FAILURE() << program.error().text();
    return {};
  }
  ExploreOptions how;
  how.schedules = 100;
  return *explore(entry, *program, how, Workers(), {});
}

void expect_every_run(const KernelRun& run, FindingKind kind) {
  EXPECT_EQ(runs_with(run, kind), run.schedules) << name(kind) << "\n" << findings_text(run);
}

void enter_ring(Kernel& k) {
  Semaphore barrier = k.barrier_semaphore();
  barrier.signal(1, k.neighbour("x", -1));
  barrier.signal(1, k.neighbour("x", +1));
  barrier.wait(2);
}

void receive_without_sender(Kernel& k) {
  k.dma_semaphore("recv").wait(64);
}

TEST(Hazards, AReceiveThatNobodySendsTo) {
  const KernelRun run = tried(receive_without_sender);
  expect_every_run(run, FindingKind::impossible_wait);
  expect_every_run(run, FindingKind::deadlock);
  EXPECT_EQ(run.wrong_runs, run.schedules);
}

void wait_before_send(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref y = k.scratch("y", MemorySpace::vmem, 4, 4);
  enter_ring(k);
  Copy hop = k.remote_copy(x, y, k.dma_semaphore("send"), k.dma_semaphore("recv"), k.neighbour("x", +1));
  hop.wait_recv();
  hop.start();
  hop.wait_send();
}

TEST(Hazards, ARingThatWaitsBeforeItSendsShowsItsCycle) {
  const KernelRun run = tried(wait_before_send);
  expect_every_run(run, FindingKind::deadlock);
  const KernelFinding found = first_of(run, FindingKind::deadlock);
  EXPECT_EQ(found.devices, (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_NE(found.message.find("wait-for cycle"), std::string::npos) << found.message;
  EXPECT_EQ(runs_with(run, FindingKind::impossible_wait), 0) << "the others would send if they could";
}

void fewer_bytes_than_awaited(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref y = k.scratch("y", MemorySpace::vmem, 4, 4);
  enter_ring(k);
  Semaphore send = k.dma_semaphore("send"), recv = k.dma_semaphore("recv");
  Copy half = k.remote_copy(x.rows(0, 2), y.rows(0, 2), send, recv, k.neighbour("x", +1));
  half.start();
  half.wait_send();
  k.remote_copy(x, y, send, recv, k.neighbour("x", +1)).wait_recv();
}

TEST(Hazards, FewerBytesThanAwaitedHangAndLeak) {
  const KernelRun run = tried(fewer_bytes_than_awaited);
  expect_every_run(run, FindingKind::impossible_wait);
  expect_every_run(run, FindingKind::deadlock);
  expect_every_run(run, FindingKind::leaked_semaphore);
}

void send_never_waited(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref y = k.scratch("y", MemorySpace::vmem, 4, 4);
  enter_ring(k);
  Copy hop = k.remote_copy(x, y, k.dma_semaphore("send"), k.dma_semaphore("recv"), k.neighbour("x", +1));
  hop.start();
  hop.wait_recv();
}

TEST(Hazards, ASendNeverWaitedForLeaksAndIsInFlightAtExit) {
  const KernelRun run = tried(send_never_waited);
  expect_every_run(run, FindingKind::leaked_semaphore);
  expect_every_run(run, FindingKind::dma_at_exit);
  EXPECT_NE(first_of(run, FindingKind::dma_at_exit).missing.find("wait_send()"), std::string::npos);
}

void no_wrap(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref y = k.scratch("y", MemorySpace::vmem, 4, 4);
  enter_ring(k);
  Copy hop = k.remote_copy(x, y, k.dma_semaphore("send"), k.dma_semaphore("recv"), k.axis_index("x") + 1);
  hop.start();
  hop.wait();
}

TEST(Hazards, ANeighbourBeyondTheLastDevice) {
  const KernelRun run = tried(no_wrap);
  expect_every_run(run, FindingKind::out_of_bounds);
  EXPECT_EQ(first_of(run, FindingKind::out_of_bounds).devices, std::vector<int32_t>{3});
  EXPECT_EQ(run.correct_runs, 0);
}

void past_the_end(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref out = k.output("out", 4, 4);
  Copy own = k.async_copy(x.rows(2, 2), out.rows(3, 2), k.dma_semaphore("sem"));
  own.start();
  own.wait();
}

TEST(Hazards, ASlicePastTheEnd) {
  expect_every_run(tried(past_the_end), FindingKind::out_of_bounds);
}

void read_before_wait(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref y = k.scratch("y", MemorySpace::vmem, 4, 4);
  Ref z = k.scratch("z", MemorySpace::vmem, 4, 4);
  k.zero(y);
  enter_ring(k);
  Copy hop = k.remote_copy(x, y, k.dma_semaphore("send"), k.dma_semaphore("recv"), k.neighbour("x", +1));
  hop.start();
  k.store(z, y);
  hop.wait();
}

TEST(Hazards, TheDestinationReadBeforeTheWait) {
  expect_every_run(tried(read_before_wait), FindingKind::read_write_race);
}

void source_overwritten(Kernel& k) {
  Ref x = k.scratch("x", MemorySpace::vmem, 4, 4);
  Ref y = k.scratch("y", MemorySpace::vmem, 4, 4);
  k.zero(x);
  enter_ring(k);
  Copy hop = k.remote_copy(x, y, k.dma_semaphore("send"), k.dma_semaphore("recv"), k.neighbour("x", +1));
  hop.start();
  k.zero(x);
  hop.wait();
}

TEST(Hazards, TheSourceOverwrittenBeforeTheSendIsDone) {
  const KernelRun run = tried(source_overwritten);
  expect_every_run(run, FindingKind::source_reused);
  const KernelFinding found = first_of(run, FindingKind::source_reused);
  EXPECT_NE(found.missing.find("wait for the send"), std::string::npos) << found.missing;
  EXPECT_NE(found.first.line, found.second.line);
}

void two_senders(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref y = k.scratch("y", MemorySpace::vmem, 4, 4);
  enter_ring(k);
  Semaphore send = k.dma_semaphore("send");
  std::vector<Semaphore> recv = k.dma_semaphores("recv", 2);
  Copy right = k.remote_copy(x, y, send, recv[0], k.neighbour("x", +1));
  Copy left = k.remote_copy(x, y, send, recv[1], k.neighbour("x", -1));
  right.start();
  left.start();
  right.wait();
  left.wait();
}

TEST(Hazards, TwoSendersToOneDestination) {
  expect_every_run(tried(two_senders), FindingKind::write_write_race);
}

void comes_back(Kernel& k) {
  Ref a = k.input("a", 8, 8);
  Ref out = k.output("out", 8, 8);
  Pipeline tiles;
  tiles.grid = {2, 2};
  tiles.inputs.push_back({a, 4, 8, [](const GridIndex& g) { return std::pair(g[0], int64_t{0}); }, "a"});
  tiles.outputs.push_back({out, 4, 8, [](const GridIndex& g) { return std::pair(g[1], int64_t{0}); }, "out"});
  emit_pipeline(k, tiles, [&](const PipelineStep& step) { k.store(step.outputs[0], step.inputs[0]); });
}

TEST(Hazards, AnOutputBlockVisitedAgainAfterAnother) {
  expect_every_run(tried(comes_back, 1), FindingKind::output_revisit);
}

void big_scratch(Kernel& k) {
  k.scratch("y", MemorySpace::vmem, 512, 513);
}

TEST(Hazards, VmemIsFullToTheByte) {
  const KernelRun run = tried(big_scratch, 1);
  expect_every_run(run, FindingKind::vmem_overflow);
  EXPECT_EQ(first_of(run, FindingKind::vmem_overflow).missing, "2048 bytes of vmem, or smaller tiles");
  EXPECT_TRUE(tried(big_scratch, 1, 512 * 513 * 4).clean());
}

void compute_on_hbm(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  k.add(k.output("out", 4, 4), x, x);
}

TEST(Hazards, ComputeOnABufferThatOnlyDmaReaches) {
  expect_every_run(tried(compute_on_hbm, 1), FindingKind::hbm_access);
}

void never_written(Kernel& k) {
  Ref y = k.scratch("y", MemorySpace::vmem, 4, 4);
  k.add(y, y, y);
}

TEST(Hazards, AReadOfWhatNobodyWrote) {
  expect_every_run(tried(never_written, 1), FindingKind::uninitialised_read);
}

}  // namespace
}  // namespace shardscope::kernels::hazard_test
