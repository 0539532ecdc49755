// SPDX-License-Identifier: Apache-2.0
// Any words behind `run`, `sweep --over`, `runs --filter`, `what-if` and the others are a request or an
// error; what a field prints of a value is read back as that value, and a small request is planned and timed
// or refused.
#include <set>
#include <sstream>

#include "engine/base/check.h"
#include "engine/base/text.h"
#include "engine/hardware/chip_changes.h"
#include "engine/kernels/time/sweep.h"
#include "engine/numerics/check/error_growth.h"
#include "engine/report/run_filter.h"
#include "engine/request/fields.h"
#include "engine/session/module_values.h"
#include "engine/session/plan.h"
#include "engine/session/session.h"
#include "engine/session/sweep_over.h"
#include "tests/fuzz/text_mutator.h"

namespace {
using namespace shardscope;

// "--dtype ", its words, and of what is a language of its own a piece each.
std::vector<std::string_view> words() {
  static std::set<std::string> kept;
  std::vector<std::string_view> out = {
      "row=2,col=4", "4096",  "16..65536x2", "P('row','col')", "x0.5",
      "3=0.5",       "0-1=0", "col=x2",      "wang.os ",       "18446744073709551616",
      "-1",          "1e308", "time<100us",  "tag:paper ",     "p0=[[1,2],[3,4]]",
      "0x10",        "010"};
  for (const Field& field : fields()) {
    out.push_back(*kept.insert("\n--" + field.key + " ").first);
    for (const std::string& word : field.values) out.push_back(*kept.insert(word).first);
  }
  return out;
}
const std::vector<std::string_view> kWords = words();

// What another owner starts with where a value speaks of this one's axes.
Mesh bare(const Mesh& mesh) {
  std::vector<MeshAxis> axes;
  for (const MeshAxis& axis : mesh.axes()) axes.push_back({.name = axis.name, .size = axis.size});
  return Mesh::make(std::move(axes)).value();
}
Experiment fresh_of(const Experiment& experiment) {
  Experiment fresh;
  fresh.mesh = bare(experiment.mesh);
  return fresh;
}
RunRequest fresh_of(const RunRequest& request) {
  RunRequest fresh;
  if (request.mesh) fresh.mesh = bare(*request.mesh);
  return fresh;
}

// Printed and put into a fresh owner, a value prints the same.
template <class Owner>
void check_again(const Field& field, const Owner& owner) {
  const auto& access = [&]() -> const auto& {
    if constexpr (std::is_same_v<Owner, Experiment>)
      return *field.experiment;
    else
      return *field.run;
  }
  ();
  const std::string printed = access.print(owner);
  if (printed.empty()) return;
  Owner fresh = fresh_of(owner);
  const auto put_again = access.parse(fresh, printed);
  CHECK(put_again.ok(), field.key, printed, put_again.ok() ? "" : put_again.error().text());
  CHECK(access.print(fresh) == printed, field.key, printed, access.print(fresh));
}

void check_languages(const std::string& text) {
  (void)parse_sweep_axes(text);
  (void)RunFilter::parse(text);
  (void)parse_growth_lengths(text);
  (void)parse_typed_argument(text);
  (void)parse_number_change(text);
  (void)parse_device_override(text);
  (void)parse_link_override(text);
  (void)parse_axis_override(text);
  (void)kernels::parse_kernel_axis(text);
}

void plan_small(const Experiment& experiment, const RunRequest& request) {
  const MatmulProblem& p = experiment.problem;
  if (!validate(p).ok() || p.m > 4096 || p.k > 4096 || p.n > 4096 || experiment.mesh.device_count() > 32)
    return;
  const auto chip = find_hardware("tpu-v5e");
  const auto plan = make_plan(experiment, request, *chip);
  if (!plan.ok()) {
    CHECK(!plan.error().what.empty(), request.strategy);
    return;
  }
  const auto timed = time_plan(*plan, {}, {});
  if (timed.ok()) CHECK(timed->timeline.total > 0, request.strategy, timed->timeline.total);
}

}  // namespace
SHARDSCOPE_TEXT_FUZZER(kWords)

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  static const Experiment start = *find_experiment("teaching");
  Experiment experiment = start;
  RunRequest request{.strategy = "wang.os"};
  ExecutionSettings execution;
  for (std::string line; std::getline(lines, line);) {
    check_languages(line);
    const size_t blank = line.find(' ');
    if (!line.starts_with("--") || blank == std::string::npos) continue;
    const std::string value = line.substr(blank + 1);
    const Field* field = find_field(std::string_view(line).substr(2, blank - 2));
    if (field == nullptr) {
      if (const auto named = find_strategy(value); named.ok()) request.strategy = std::string((*named)->id);
      continue;
    }
    (void)check_range(*field, value);
    if (field->experiment && put(*field, experiment, value).ok()) check_again(*field, experiment);
    if (field->run && put(*field, request, value).ok()) check_again(*field, request);
    if (field->execution) (void)put(*field, execution, value);
  }
  plan_small(experiment, request);
  return 0;
}
