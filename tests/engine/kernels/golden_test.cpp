// SPDX-License-Identifier: Apache-2.0
// The golden table: what each kernel shows on which meshes and sizes, under which schedules, and its times.
// Lines are left out: how a text is set changes nothing that a kernel does.
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "engine/kernels/program/sizes.h"
#include "engine/kernels/time/time.h"
#include "tests/engine/kernels/explored.h"

namespace shardscope::kernels::golden_test {
namespace {

std::string table_path() {
  return SHARDSCOPE_SOURCE_DIR "/tests/engine/kernels/golden/catalogue.txt";
}

Mesh grid_mesh(int x, int y) {
  return *Mesh::make({{"x", x, true}, {"y", y, true}});
}

// What each kernel is tried with: meshes that it reads, types, sizes that leave edges.
std::vector<KernelOptions> tried(const KernelEntry& entry) {
  std::vector<KernelOptions> out;
  KernelOptions o;
  if (entry.axes == 0) {
    out.push_back(o);
    o.m = 16, o.k = 20, o.n = 12;
    o.bm = o.bk = o.bn = 8;
    out.push_back(o);
    o.dtype = ElementType::bf16;
    o.bk = 5;
    o.vmem_limit = 600;
    out.push_back(o);
  }
  for (const int n : {1, 2, 3, 4, 5, 8}) {
    if (entry.axes != 1) break;
    o = {};
    o.mesh = ring_mesh(n);
    out.push_back(o);
    o.rows = 6, o.cols = 3;
    o.dtype = n % 2 == 0 ? ElementType::bf16 : ElementType::f16;
    out.push_back(o);
    o.rows = 3;
    out.push_back(o);
  }
  for (const auto& [x, y] : {std::pair(2, 2), {3, 3}, {4, 2}, {2, 3}, {1, 1}, {3, 1}}) {
    if (entry.axes != 2) break;
    o = {};
    o.mesh = grid_mesh(x, y);
    out.push_back(o);
    o.m = o.k = 12 * x;
    o.n = 16;
    o.bm = o.bn = o.bk = 8;
    out.push_back(o);
    o.chunks = 2;
    o.bk = 5;
    out.push_back(o);
  }
  return out;
}

std::string options_text(const KernelOptions& o) {
  std::string out = fmt::format("mesh {} {}", o.mesh.rank() == 0 ? "one" : o.mesh.text(), name(o.dtype));
  for (const KernelSize& size : kernel_sizes())
    if (o.*size.field) out += fmt::format(" {}={}", size.name, *(o.*size.field));
  return out;
}

std::string side_text(const KernelAccess& a) {
  return a.device < 0 ? "-" : fmt::format("device {} dma {} step {}", a.device, a.dma, a.step);
}

uint64_t mixed(uint64_t hash, int64_t value) {
  return (hash ^ static_cast<uint64_t>(value)) * 0x100000001b3u;
}

std::string time_text(const Result<KernelTime>& time) {
  if (!time.ok()) return "none";
  uint64_t hash = 0xcbf29ce484222325u;
  for (const KernelEvent& e : time->events) {
    for (const int64_t value : {e.start, e.end, static_cast<int64_t>(e.lane), int64_t{e.device},
                                int64_t{e.peer}, int64_t{e.dma}, int64_t{e.semaphore}, e.bytes})
      hash = mixed(hash, value);
  }
  return fmt::format("{} ps, {} events {:016x}, {}", time->total, time->events.size(), hash,
                     time->roofline.bound);
}

std::string kernel_text(const KernelEntry& entry) {
  std::string out =
      fmt::format("{}: {}{}\n", entry.id, entry.title, entry.broken ? ", mended by " + entry.mended : "");
  for (const KernelOptions& options : tried(entry)) {
    out += "  " + options_text(options) + "\n";
    const Result<KernelProgram> program = build_kernel(entry, options);
    if (!program.ok()) {
      out += "    refused: " + program.error().text() + "\n";
      continue;
    }
    ExploreOptions how;
    how.schedules = 64;
    how.seed = 3;
    const KernelRun run = *explore(entry, *program, how, Workers(), {});
    out += fmt::format(
        "    {} correct, {} wrong, vmem {}, in flight {}, flops {} of {}, {} buffers, {} semaphores\n",
        run.correct_runs, run.wrong_runs, run.vmem_peak_bytes, run.max_dma_in_flight, run.needed_flops,
        run.flops, run.layout.buffers.size(), run.layout.semaphores.size());
    out += "    time " + time_text(time_kernel(*program, *find_hardware("tpu-v5e"))) + "\n";
    for (const KernelFindingCount& count : run.findings) {
      const KernelFinding& f = count.finding;
      std::string devices;
      for (const int32_t device : f.devices) devices += fmt::format(" {}", device);
      out += fmt::format("    {} in {} runs, seed {}, step {}, devices{}, {}; {}\n", name(f.kind), count.runs,
                         count.first_seed, f.step, devices, side_text(f.first), side_text(f.second));
    }
  }
  return out;
}

TEST(Golden, EveryKernelShowsWhatTheTableSays) {
  std::string now;
  for (const KernelEntry& entry : catalogue()) now += kernel_text(entry);
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) std::ofstream(table_path()) << now;
  std::ifstream file(table_path());
  std::ostringstream kept;
  kept << file.rdbuf();
  EXPECT_EQ(now, kept.str());
}

}  // namespace
}  // namespace shardscope::kernels::golden_test
