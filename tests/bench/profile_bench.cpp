// SPDX-License-Identifier: Apache-2.0
// How fast profiles in Chrome's format are read, zipped as PyTorch writes them. Asked for: 100 MB zipped in
// 10 s and 1 GB, which is 10 MB a second of zipped and about 170 of JSON.
#include <benchmark/benchmark.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <zlib.h>

#include "engine/measure/import/import.h"

namespace {

using namespace shardscope;

// Steps of a training loop: of each operator its host's event, its launch, its kernel and the arrow between
// them, and frames of Python round it.
std::string pytorch_trace(int64_t operators) {
  constexpr int64_t kInAStep = 2000;
  std::string out = R"({"schemaVersion": 1, "traceEvents": [)";
  const auto add = [&](const std::string& event) {
    if (out.back() == '}') out += ",\n";
    out += event;
  };
  for (int64_t k = 0; k < operators; ++k) {
    const int64_t at = 1'700'000'000'000 + 40 * k, id = 1000 + 7 * k;
    if (k % kInAStep == 0)
      add(fmt::format(
          R"({{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", "pid": 71, "tid": 71, "ts": {}.125, "dur": {}, "args": {{"External id": {}, "Ev Idx": {}}}}})",
          k / kInAStep, at, 40 * kInAStep - 5, id + 1, k));
    add(fmt::format(
        R"({{"ph": "X", "cat": "python_function", "name": "torch/nn/modules/linear.py({}): forward", "pid": 71, "tid": 71, "ts": {}.250, "dur": 38.5, "args": {{"Python parent id": {}, "Python id": {}, "Python module id": {}, "Ev Idx": {}}}}})",
        k % 300, at, k / 2, k, k % 90, k));
    add(fmt::format(
        R"({{"ph": "X", "cat": "cpu_op", "name": "aten::op{}", "pid": 71, "tid": 71, "ts": {}.375, "dur": 21.375, "args": {{"External id": {}, "Record function id": 0, "Concrete Inputs": ["", "", "1"], "Input type": ["c10::BFloat16", "c10::BFloat16", "Scalar"], "Input Strides": [[{}, 1], [1, 512], []], "Input Dims": [[1024, {}], [{}, 512], []], "Ev Idx": {}}}}})",
        k % 40, at, id, 64 * (k % 9), 64 * (k % 9), 64 * (k % 9), k));
    add(fmt::format(
        R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 71, "tid": 71, "ts": {}.5, "dur": 4.25, "args": {{"External id": {}, "cbid": 211, "correlation": {}}}}})",
        at + 9, id, id));
    add(fmt::format(
        R"({{"ph": "s", "id": {}, "pid": 71, "tid": 71, "ts": {}.5, "cat": "ac2g", "name": "ac2g"}})", id,
        at + 9));
    add(fmt::format(
        R"({{"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, op{}>", "pid": 0, "tid": 7, "ts": {}.625, "dur": 17.031, "args": {{"External id": {}, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {}, "registers per thread": 32, "shared memory": 0, "blocks per SM": 12.5, "grid": [1024, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %": 100}}}})",
        k % 40, at + 15, id, id));
  }
  return out + "]}";
}

// Zipped; removed at the end.
class TraceFile {
 public:
  explicit TraceFile(const std::string& text) {
    const gzFile file = gzopen(path_.c_str(), "wb6");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() {
    std::error_code error;
    std::filesystem::remove(path_, error);
  }
  const std::string& path() const { return path_; }
  double megabytes() const { return static_cast<double>(std::filesystem::file_size(path_)) / 1e6; }

 private:
  std::string path_ =
      (std::filesystem::temp_directory_path() / fmt::format("profile_bench-{}.json.gz", getpid())).string();
};

void read_zipped(benchmark::State& state) {
  const std::string text = pytorch_trace(state.range(0));
  const TraceFile file(text);
  size_t events = 0;
  for (auto _ : state) {
    const auto trace = import_measured({file.path()}, {});
    if (!trace.ok()) {
      state.SkipWithError("it was not read");
      break;
    }
    events = trace->events.size();
  }
  const auto times = static_cast<int64_t>(state.iterations());
  state.SetBytesProcessed(times * static_cast<int64_t>(text.size()));
  state.counters["zipped_MB_per_s"] =
      benchmark::Counter(static_cast<double>(times) * file.megabytes(), benchmark::Counter::kIsRate);
  state.counters["kernels"] = static_cast<double>(events);
}
BENCHMARK(read_zipped)->Arg(20'000)->Arg(200'000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
