// SPDX-License-Identifier: Apache-2.0
// The twelve bugs of a notebook that writes distributed kernels in Pallas: each is found here, by a kernel's
// finding, by the builder that refuses the text, or because the text does not compile.
#include <algorithm>
#include <functional>
#include <vector>

#include "engine/kernels/text/entry.h"
#include "engine/program/build/builder.h"
#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels::notebook_bugs_test {
namespace {

template <class Source, class Target, class Signal>
concept Copies = requires(Kernel& k, Source source, Target target, Signal signal) {
  k.async_copy(source, target, signal);
};
template <class... Arguments>
concept RemoteCopies = requires(Kernel& k, Arguments... arguments) {
  k.remote_copy(arguments...);
};
template <class... Arguments>
concept TakesRows = requires(const Ref& ref, Arguments... arguments) {
  ref.rows(arguments...);
};

std::string compiles(bool right_one, bool wrong_one) {
  return std::string(right_one ? "the right text compiles" : "nothing compiles") +
         (wrong_one ? ", so does the wrong one" : ", the wrong one does not");
}

KernelRun tried_on(KernelBody body, const Mesh& mesh) {
  KernelOptions options;
  options.mesh = mesh;
  KernelEntry entry;
  entry.id = "test";
  entry.body = body;
  ExploreOptions how;
  how.schedules = 50;
  return *explore(entry, *build_kernel(entry, options), how, Workers(), {});
}

std::string refused(KernelBody body) {
  KernelOptions options;
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
  const Result<KernelProgram> program = build_kernel("test", body, options);
  return program.ok() ? "built" : program.error().text();
}

// The first finding of the kind, when every run shows it.
std::string in_every_run(const KernelRun& run, FindingKind kind) {
  if (runs_with(run, kind) != run.schedules) return "not in every run:\n" + findings_text(run);
  return std::string(name(kind)) + " in every run: " + first_of(run, kind).message;
}

std::string in_some_runs(const KernelRun& run, FindingKind kind) {
  const int64_t runs = runs_with(run, kind);
  return std::string(name(kind)) + (runs > 0 ? " found" : " missed") + (run.wrong_runs > 0 ? ", wrong" : "") +
         "; missing: " + first_of(run, kind).missing;
}

// P1: a buffer where a semaphore belongs, and the other way round.
std::string scratch_in_the_wrong_order() {
  return compiles(Copies<Ref, Ref, Semaphore>, Copies<Ref, Semaphore, Ref>);
}

// P5: a scratch of the size that the notebook ran, whatever the array's.
void literal_scratch(Kernel& k) {
  Ref x = k.input("x", 16, 128);
  Ref scratch = k.scratch("scratch", MemorySpace::vmem, 8, 128);
  Copy own = k.async_copy(x, scratch, k.dma_semaphore("sem"));
  own.start();
  own.wait();
}

// P6: out_specs P('x', None) for an array that is whole on every device.
std::string gathered_result_called_a_shard() {
  const Mesh mesh = *Mesh::make({{"x", 2, true}});
  SpmdBuilder b("ag_test", mesh, MatmulProblem{8, 16, 4, ElementType::f32, ElementType::f32});
  const Value w = b.input(ArrayRole::rhs, {16, 4}, P("x", ""));
  Result<Program> program = b.finish(b.all_gather(w, "x", 0), ArrayRole::rhs, {16, 4}, P("", ""));
  if (!program.ok()) return program.error().text();
  program->output->spec = P("x", "");
  const Result<void> verified = verify(*program);
  return verified.ok() ? "accepted" : verified.error().text();
}

// P7: `if not interpret` takes an explicit False for nothing said. The first policy is a zero, too.
std::string explicit_zero_is_not_unset() {
  KernelOptions options;
  options.mesh = ring_mesh(4);
  const KernelEntry entry = *find_kernel("ag.ring");
  const KernelProgram program = *build_kernel(entry, options);
  ExploreOptions how;
  how.schedules = 1;
  how.seed = 0;  // mixed: dma_late
  const int64_t unset = explore(entry, program, how, Workers(), {})->max_dma_in_flight;
  how.policy = Policy::random;
  static_assert(Policy::random == Policy{});
  const int64_t asked = explore(entry, program, how, Workers(), {})->max_dma_in_flight;
  const int64_t random = run_schedule(program, nullptr, nullptr, {Policy::random, 0}).max_in_flight;
  const int64_t late = run_schedule(program, nullptr, nullptr, {Policy::dma_late, 0}).max_in_flight;
  return asked == random && unset == late && random != late ? "what was asked" : "what was not asked";
}

// P9: the global array, from outside, where the shard belongs.
void global_operand(Kernel& k) {
  const int64_t m = 48, depth = 48, n = 32;
  Ref inputs = k.input("a", m, depth, MemorySpace::vmem);
  Ref weights = k.input("b", depth / k.axis_size("x"), n, MemorySpace::vmem);
  k.dot(k.output("out", m / k.axis_size("x"), n, MemorySpace::vmem), inputs, weights);
}

// P10: a neighbour beyond the last device, and a left neighbour on the other axis.
void neighbour_without_wrap(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref out = k.output("out", 4, 4);
  Copy hop = k.remote_copy(x, out, k.dma_semaphore("send"), k.dma_semaphore("recv"), k.device_id() + 1);
  hop.start();
  hop.wait();
}
void left_on_the_wrong_axis(Kernel& k) {
  Ref x = k.input("x", 4, 4);
  Ref out = k.output("out", 4, 4);
  Semaphore barrier = k.barrier_semaphore();
  barrier.signal(1, k.neighbour("x", -1));
  barrier.wait(1);
  Copy hop = k.remote_copy(x, out, k.dma_semaphore("send"), k.dma_semaphore("recv"), k.neighbour("y", +1));
  hop.start();
  hop.wait();
}

// P12: what the chain's all-reduce adds, with numbers that round in bf16.
std::string roundings_of(const std::string& id) {
  KernelOptions options;
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
  options.dtype = ElementType::bf16;
  options.m = 16;
  options.k = 64;
  options.n = 16;
  const KernelProgram program = *build_kernel(*find_kernel(id), options);
  KernelData inputs = fill_inputs(program, 0);
  const auto fill = [](Numbers& numbers, int64_t stream) {
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<float>((static_cast<int64_t>(i) * 37 + stream * 101) % 255 - 127) / 64.0F;
  };
  for (int64_t d = 0; d < 4; ++d) {
    fill(inputs.devices[static_cast<size_t>(d)][0], d);           // a
    fill(inputs.devices[static_cast<size_t>(d)][1], 10 + d / 2);  // b, the same along y
  }
  Machine machine(program, &inputs);
  Chooser chooser(schedule_of(0), program.device_count());
  std::vector<Action> enabled;
  for (machine.enabled(enabled); !enabled.empty(); machine.enabled(enabled))
    machine.apply(enabled[chooser.choose(enabled)]);
  if (!machine.complete()) return "incomplete";
  int same = 0, once = 0;
  const Numbers& out = machine.numbers(0, 2);
  std::vector<Numbers> partials;
  for (int64_t y = 0; y < 2; ++y) {  // device (0, y) multiplies rows y of the weights, which (y, 0) holds
    Numbers sum(8 * 16, 0.0F);
    add_product({inputs.at(y, 0).data(), 8, 32, 32}, {inputs.at(2 * y, 1).data(), 32, 16, 16}, sum.data(),
                16);
    partials.push_back(std::move(sum));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const ElementType type = ElementType::bf16;
    same += out[i] == rounded(rounded(partials[0][i], type) + rounded(partials[1][i], type), type);
    once += out[i] == rounded(partials[0][i] + partials[1][i], type);
  }
  if (once == 128 && same < 128) return "bf16(p0 + p1)";
  return same == 128 && once < 128 ? "bf16(bf16(p0) + bf16(p1))" : "other roundings";
}

struct NotebookBug {
  const char* bug;
  std::function<std::string()> found;
  std::vector<const char*> says;
};

const std::vector<NotebookBug>& notebook_bugs() {
  static const std::vector<NotebookBug> kBugs = {
      {"P1 scratch in the wrong order", scratch_in_the_wrong_order, {"the wrong one does not"}},
      {"P2 the sum reads a scratch that nobody writes",
       [] { return in_every_run(explored("ar.seed", 2), FindingKind::uninitialised_read); },
       {"every run", "recv_scratch"}},
      {"P3 no entry barrier",
       [] { return in_some_runs(explored("ag.ring.no_barrier", 4, 300), FindingKind::dma_before_entry); },
       {"found", "an entry barrier"}},
      {"P4 one receive semaphore for all steps",
       [] { return in_some_runs(explored("ag.ring.one_semaphore", 4, 300), FindingKind::shared_receive); },
       {"found, wrong", "a receive semaphore per copy"}},
      {"P5 tied to 2 × 2 and to one size",
       [] {
         return in_every_run(explored("ag.bidi.seed", 4), FindingKind::unwritten_output) + "\n" +
                refused(literal_scratch);
       },
       {"unwritten_output in every run", "elements of out were never written",
        "copy of f32 [16, 128] to f32 [8, 128]"}},
      {"P6 a gathered array called a shard", gathered_result_called_a_shard, {"the result"}},
      {"P7 an explicit False taken for unset", explicit_zero_is_not_unset, {"what was asked"}},
      {"P8 remote copies on two mesh axes",
       [] {
         KernelOptions options;
         options.mesh = *Mesh::make({{"x", 2, true}, {"y", 2, true}});
         return std::string(explored_with("slow_ag_gemm_ar", options).clean() ? "no limit" : "a limit");
       },
       {"no limit"}},
      {"P9 the global array in place of the shard", [] { return refused(global_operand); }, {"dot of"}},
      {"P10 ids that do not wrap, the wrong axis, a slice without a size",
       [] {
         const Mesh grid = *Mesh::make({{"x", 2, true}, {"y", 3, true}});
         return in_every_run(tried_on(neighbour_without_wrap, grid), FindingKind::out_of_bounds) + "\n" +
                in_some_runs(tried_on(left_on_the_wrong_axis, grid), FindingKind::dma_before_entry) + "\n" +
                compiles(TakesRows<int64_t, int64_t>, TakesRows<int64_t>);
       },
       {"out_of_bounds in every run: device 5 names device 6", "dma_before_entry found",
        "the wrong one does not"}},
      {"P11 one list in place of two semaphores",
       [] {
         return compiles(RemoteCopies<Ref, Ref, Semaphore, Semaphore, int64_t>,
                         RemoteCopies<Ref, Ref, std::vector<Semaphore>, int64_t>);
       },
       {"the wrong one does not"}},
      {"P12 partial sums are added in bf16",
       [] {
         return roundings_of("slow_ag_gemm_ar.bf16_sums") + ", mended " + roundings_of("slow_ag_gemm_ar");
       },
       {"bf16(bf16(p0) + bf16(p1)), mended bf16(p0 + p1)"}},
  };
  return kBugs;
}

TEST(NotebookBugs, EachOfTheTwelveIsFound) {
  ASSERT_EQ(notebook_bugs().size(), 12U);
  for (const NotebookBug& bug : notebook_bugs()) {
    const std::string found = bug.found();
    for (const char* words : bug.says)
      EXPECT_NE(found.find(words), std::string::npos) << bug.bug << ": expected \"" << words << "\" in\n"
                                                      << found;
  }
}

// Each of the twelve as a kernel: what it shows, and that its mended twin shows nothing.
struct BugKernel {
  int bug;
  const char* id;
  FindingKind shows;
  int x, y;  // mesh; y 0: a ring
};
constexpr BugKernel kBugKernels[] = {
    {1, "ar.swapped_scratch", FindingKind::write_write_race, 2, 0},
    {2, "ar.seed", FindingKind::uninitialised_read, 2, 0},
    {3, "ag.ring.no_barrier", FindingKind::dma_before_entry, 4, 0},
    {4, "ag.ring.one_semaphore", FindingKind::shared_receive, 4, 0},
    {5, "ag.ring.grid_one", FindingKind::unwritten_output, 4, 0},
    {5, "ag.bidi.seed", FindingKind::unwritten_output, 4, 0},
    {6, "ag.ring.called_a_shard", FindingKind::wrong_spec, 4, 0},
    {7, "ar.two_slot.zero_is_unset", FindingKind::leaked_semaphore, 4, 0},
    {8, "permute.one_axis_id", FindingKind::impossible_wait, 2, 2},
    {9, "ag_matmul.own_weights", FindingKind::wrong_result, 2, 2},
    {10, "permute.no_wrap", FindingKind::out_of_bounds, 4, 0},
    {10, "permute.wrong_axis", FindingKind::dma_before_entry, 2, 3},
    {10, "permute.wrong_neighbour", FindingKind::wrong_result, 4, 0},
    {11, "ag.ring.one_for_both", FindingKind::read_write_race, 4, 0},
    {12, "slow_ag_gemm_ar.bf16_sums", FindingKind::rounded_sum, 2, 2},
};

KernelRun on_mesh_of(const std::string& id, const BugKernel& bug) {
  KernelOptions options;
  options.mesh = bug.y == 0 ? ring_mesh(bug.x) : *Mesh::make({{"x", bug.x, true}, {"y", bug.y, true}});
  return explored_with(id, options, 300);
}

TEST(NotebookBugs, EachIsAKernelWithAMendedTwin) {
  std::vector<int> bugs;
  for (const BugKernel& bug : kBugKernels) {
    bugs.push_back(bug.bug);
    const KernelEntry entry = *find_kernel(bug.id);
    EXPECT_TRUE(entry.broken) << bug.id;
    const KernelRun run = on_mesh_of(bug.id, bug);
    EXPECT_GT(runs_with(run, bug.shows), 0) << bug.id << "\n" << findings_text(run);
    const KernelRun mended = on_mesh_of(entry.mended, bug);
    EXPECT_TRUE(mended.clean()) << entry.mended << "\n" << findings_text(mended);
  }
  bugs.erase(std::unique(bugs.begin(), bugs.end()), bugs.end());
  EXPECT_EQ(bugs, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

// What out_specs say is judged without a result, too, and on every schedule.
TEST(NotebookBugs, OutSpecsAreJudged) {
  const KernelRun shard = explored("ag.ring.called_a_shard", 3, 50);
  EXPECT_EQ(runs_with(shard, FindingKind::wrong_spec), shard.schedules);
  EXPECT_NE(first_of(shard, FindingKind::wrong_spec).message.find("[72, 128], 3 times"), std::string::npos)
      << findings_text(shard);
  EXPECT_TRUE(explored("ag.ring.called_a_shard", 1, 10).clean()) << "one device has all there is";
  const KernelEntry same = *kernel_from_text(
      "kernel test\naxes x\nx = input((8, 8))\nout = output((8, 8), same_over=\"x\")\nsem = dma_semaphore()\n"
      "own = make_async_copy(x, out, sem)\nown.start()\nown.wait()\n",
      "");
  KernelOptions options;
  options.mesh = ring_mesh(2);
  ExploreOptions how;
  how.schedules = 5;
  const KernelRun differs = *explore(same, *build_kernel(same, options), how, Workers(), {});
  EXPECT_EQ(runs_with(differs, FindingKind::wrong_spec), 5);
  EXPECT_EQ(differs.wrong_runs, 5);
  KernelEntry both = *find_kernel("ag.ring.called_a_shard");
  std::string text;
  for (const std::string& line : both.listing.lines) text += line + "\n";
  text.replace(text.find("axes x"), 6, "axes x, y");
  text.replace(text.find("sharded_over=\"x\""), 16, "same_over=\"y\", sharded_over=\"x\"");
  options.mesh = *Mesh::make({{"x", 2, true}, {"y", 1, true}});
  both = *kernel_from_text(text, "");
  EXPECT_EQ(
      runs_with(*explore(both, *build_kernel(both, options), how, Workers(), {}), FindingKind::wrong_spec),
      5);
}

}  // namespace
}  // namespace shardscope::kernels::notebook_bugs_test
