// SPDX-License-Identifier: Apache-2.0
#include "engine/request/setting.h"

#include <filesystem>

#include "engine/base/say.h"

namespace shardscope::inline request {

Experiment decisive(Experiment experiment) {
  experiment.title = experiment.source = experiment.notes = "";
  experiment.warnings.clear();
  experiment.runs.clear();
  return experiment;
}

bool same_setting(const Experiment& a, const Experiment& b) {
  const auto setting = [](const Experiment& of) {
    Experiment out = decisive(of);
    out.fill = Fill::integers;
    out.seed = 0;
    out.check = {};
    return out;
  };
  return setting(a) == setting(b);
}

std::string setting_words(const Experiment& experiment) {
  const MatmulProblem& p = experiment.problem;
  const std::filesystem::path file(experiment.hardware);
  const std::string chip = file.extension() == ".toml" ? file.stem().string() : experiment.hardware;
  return say("{}: [{},{}]·[{},{}] in {} on {}", experiment.mesh.text(), p.m, p.k, p.k, p.n, name(p.dtype),
             chip) +
         (experiment.overlap ? "" : said(", no overlap"));
}

}  // namespace shardscope::inline request
