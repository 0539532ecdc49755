// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/catalogue/check_text.h"

#include <utility>

#include "engine/base/text.h"
#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/text/entry.h"
#include "engine/kernels/text/parser.h"

namespace shardscope::kernels {
namespace {

// "name:12:5" says where; an error without a line is the first line's.
TextProblem problem_of(const Error& error) {
  const std::vector<std::string> parts = split(error.where, ':');
  TextProblem out{{1, 1}, 1, error.what, error.fix};
  if (parts.size() < 3) return out;
  const auto line = parse_int(parts[parts.size() - 2]), column = parse_int(parts.back());
  if (line && column) out.place = {static_cast<int32_t>(*line), static_cast<int32_t>(*column)};
  return out;
}

}  // namespace

Result<CheckedText> check_text(std::string_view text, KernelOptions options, const ExploreOptions& how,
                               const Workers& workers, const std::stop_token& stop) {
  CheckedText out;
  ParsedKernel parsed = parse_kernel_lines(text);
  out.problems = std::move(parsed.problems);
  if (!out.problems.empty()) return out;
  const Result<KernelEntry> entry = kernel_from_parsed(std::move(parsed.text), text, "kernel");
  if (!entry.ok()) {
    out.problems.push_back(problem_of(entry.error()));
    return out;
  }
  options.mesh = mesh_for(*entry, options.mesh);
  const Result<KernelProgram> program = build_kernel(*entry, options);
  if (!program.ok()) {
    out.problems.push_back(problem_of(program.error()));
    return out;
  }
  Result<KernelRun> run = explore(*entry, *program, how, workers, stop);
  if (!run.ok() && stop.stop_requested()) return run.error();
  if (run.ok()) {
    out.run = *std::move(run);
  } else {
    out.problems.push_back(problem_of(run.error()));
  }
  return out;
}

}  // namespace shardscope::kernels
