// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "engine/kernels/catalogue/catalogue.h"
#include "engine/kernels/machine/explore.h"
#include "engine/kernels/text/syntax.h"

namespace shardscope::kernels {

// What an editor marks: lines that cannot be read, or the first that cannot be built, or what schedules show.
struct CheckedText {
  std::vector<TextProblem> problems;
  std::optional<KernelRun> run;  // none where there is a problem
};

// `options` without a mesh, or with one that has too few axes for the kernel: its default mesh. Errors:
// cancelled.
Result<CheckedText> check_text(std::string_view text, KernelOptions options, const ExploreOptions& how,
                               const Workers& workers, const std::stop_token& stop);

}  // namespace shardscope::kernels
