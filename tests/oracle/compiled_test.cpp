// SPDX-License-Identifier: Apache-2.0
// Programs as XLA's compilers for GPUs and TPUs make them (compile_for.py): each text is read, reads back, is
// timed, and its numbers are those that JAX has of the same program. What is otherwise stands in
// compiled_differences.txt: name, chip, what.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "engine/base/read_file.h"
#include "engine/numerics/rules/run_on_devices.h"
#include "engine/plan/timed_form.h"
#include "engine/schedule/schedule.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/modules/compiled_memory.h"
#include "tests/oracle/golden.h"

namespace shardscope::oracle {
namespace {

struct Target {
  const char* chip;  // of the text's name
  const char* hardware;
  // Relative to the root of the mean square of the values: TPUs multiply f32 rounded to bf16.
  double tolerance;
};
constexpr Target kTargets[] = {{"h200", "h200", 2e-3}, {"v5e", "tpu-v5e", 6e-2}};

std::string path_of(const std::string& file) {
  return fmt::format("{}/tests/oracle/{}", SHARDSCOPE_SOURCE_DIR, file);
}

// The arguments by device: parts of the whole ones as the parameters' shardings say.
Result<std::vector<std::vector<Array>>> cut(const Program& program, const std::vector<Array>& whole) {
  std::vector<std::vector<Array>> out;
  for (const Instruction* p : parameters_by_number(program.entry_computation())) {
    const auto n = static_cast<size_t>(p->parameter_number);
    if (n >= whole.size()) return invalid("more parameters than arguments");
    std::vector<Array>& devices = out.emplace_back();
    for (int32_t d = 0; d < program.mesh.device_count(); ++d) {
      const bool parts = whole[n].dims() != p->shape.dims;
      if (parts && !p->sharding) return invalid("a part of an argument without a sharding");
      devices.push_back(parts ? tile_array(whole[n], *p->sharding, DeviceId(d)) : whole[n]);
    }
  }
  return out;
}

// Whether a device's array is the part of the result that begins at `start`.
bool is_part(const Array& part, const GoldenResult& whole, const std::vector<int64_t>& start, double within) {
  return std::ranges::all_of(whole.elements, [&](const GoldenResult::Element& e) {
    int64_t rest = e.place, place = 0, stride = 1;
    for (size_t d = whole.dims.size(); d-- > 0;) {
      const int64_t at = rest % whole.dims[d] - start[d];
      rest /= whole.dims[d];
      if (at < 0 || at >= part.dims()[d]) return true;
      place += at * stride;
      stride *= part.dims()[d];
    }
    return near(part.at(place), e.value, within + 1e-6 * std::fabs(e.value));
  });
}

// Whether a device's array is some part of the result.
bool is_some_part(const Array& part, const GoldenResult& whole, double tolerance) {
  if (part.dims().size() != whole.dims.size()) return false;
  double count = 1;
  for (const int64_t size : whole.dims) count *= static_cast<double>(std::max<int64_t>(size, 1));
  const bool exact =
      whole.dtype.starts_with("int") || whole.dtype.starts_with("uint") || whole.dtype == "bool";
  const double within =
      exact || !std::isfinite(whole.squares) ? 0 : tolerance * (std::sqrt(whole.squares / count) + 1e-6);
  std::vector<int64_t> start(whole.dims.size(), 0);
  for (;;) {
    if (is_part(part, whole, start, within)) return true;
    size_t d = start.size();
    for (; d-- > 0;) {
      start[d] += std::max<int64_t>(1, part.dims()[d]);
      if (start[d] < whole.dims[d]) break;
      start[d] = 0;
    }
    if (d == SIZE_MAX) return false;
  }
}

std::string different_values(const Program& program, const Golden& golden, double tolerance) {
  const auto arguments = cut(program, golden.arguments);
  if (!arguments.ok()) return "arguments: " + arguments.error().text();
  const Workers workers(2);
  const auto leaves = run_on_devices(program, *arguments, workers, {});
  if (!leaves.ok()) return "run: " + leaves.error().text();
  if (leaves->size() != golden.results.size()) return "results";
  for (size_t k = 0; k < leaves->size(); ++k) {
    if (golden.results[k].dtype.starts_with("complex")) continue;
    for (const Array& part : (*leaves)[k])
      if (!is_some_part(part, golden.results[k], tolerance)) return fmt::format("values {}", k);
  }
  return "";
}

std::string not_timed(const Program& program, const Hardware& chip) {
  const auto form = compiled_form(program, chip, {}, {});
  if (!form.ok()) return form.error().text();
  const auto timed = timed_form(*form, chip);
  if (!timed.ok()) return timed.error().text();
  const auto timeline = schedule(timed->program, chip, {}, {});
  if (!timeline.ok()) return timeline.error().text();
  return timeline->total >= 0 ? "" : "no time";
}

// "": all is as it is to be.
std::string difference(const std::string& text, const Golden& golden, const Target& target) {
  const auto program = parse_program(text);
  if (!program.ok()) return "read: " + program.error().text();
  const auto again = parse_program(print_program(*program));
  if (!again.ok() || !(*again == *program)) return "round-trip";
  const std::string untimed = not_timed(*program, find_hardware(target.hardware).value());
  if (!untimed.empty()) return "time: " + untimed;
  return different_values(*program, golden, target.tolerance);
}

TEST(Compiled, WhatXlaMakesForGpusAndTpusIsReadTimedAndMeansWhatJaxSays) {
  std::map<std::string, std::string> differences;
  int texts = 0;
  for (const std::string& name : golden_names())
    for (const Target& target : kTargets) {
      const auto text = read_file(path_of(fmt::format("goldens/{}/compiled.{}.txt", name, target.chip)));
      if (!text.ok()) continue;
      ++texts;
      const std::string what = difference(*text, read_golden(name), target);
      if (!what.empty()) differences[name + " " + target.chip] = what;
    }
  EXPECT_GE(texts, 140);
  const std::string file = path_of("compiled_differences.txt");
  if (std::getenv("SHARDSCOPE_UPDATE") != nullptr) {
    std::ofstream out(file);
    out << "# What is otherwise in texts of XLA's compilers for GPUs and TPUs: name, chip: what. It only "
           "gets "
           "shorter.\n";
    for (const auto& [which, what] : differences) out << which << ": " << what << "\n";
    return;
  }
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto found = differences.find(line.substr(0, line.find(':')));
    ASSERT_NE(found, differences.end()) << "no difference any more, take it out: " << line;
    differences.erase(found);
  }
  for (const auto& [which, what] : differences) ADD_FAILURE() << which << ": " << what;
}

}  // namespace
}  // namespace shardscope::oracle
