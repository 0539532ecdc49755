// SPDX-License-Identifier: Apache-2.0
// A preset's whole sweep, numbers with it, as `shardscope sweep` runs it: CPU time of the process, the peak
// of its memory, and which runs took the most. Arguments: presets and strategies of them; none: default.
#include <algorithm>
#include <cstdio>
#include <sys/resource.h>

#include "engine/session/session.h"

namespace {

using namespace shardscope;

struct Used {
  double user_s, system_s, peak_mb;
};

Used used() {
  rusage r{};
  getrusage(RUSAGE_SELF, &r);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(r.ru_utime), seconds(r.ru_stime), static_cast<double>(r.ru_maxrss) / 1024};
}

struct Row {
  std::string strategy;
  Used spent;
};

void print(const std::string& name, const Used& u) {
  std::printf("%-28s user %7.3f s  system %6.3f s  peak %7.1f MB\n", name.c_str(), u.user_s, u.system_s,
              u.peak_mb);
}

int sweep_preset(const std::string& preset, const std::vector<std::string>& strategies) {
  Result<Experiment> experiment = find_experiment(preset);
  if (!experiment.ok()) return std::puts(experiment.error().text().c_str()), 2;
  for (const std::string& strategy : strategies) {
    RunRequest request;
    request.strategy = strategy;
    request.mesh = experiment->mesh;
    request.problem = experiment->problem;
    experiment->runs.push_back(request);
  }
  std::vector<Row> rows;
  ExecutionOptions options;
  options.threads = 2;
  Used last = used();
  const Used start = last;
  const auto row = [&](const std::string& name) {
    const Used now = used();
    rows.push_back({name, {now.user_s - last.user_s, now.system_s - last.system_s, now.peak_mb}});
    last = now;
  };
  options.ranked = [&] { row("times"); };
  options.finished = [&](const RunPtr& run) { row(run->strategy); };
  const auto comparison = sweep(*experiment, options, {});
  if (!comparison.ok()) return std::puts(comparison.error().text().c_str()), 2;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.spent.user_s > b.spent.user_s; });
  for (const Row& r : rows) print(r.strategy, r.spent);
  const Used end = used();
  print(preset + ", " + std::to_string(comparison->runs.size()) + " runs",
        {end.user_s - start.user_s, end.system_s - start.system_s, end.peak_mb});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return sweep_preset("default", {});
  return sweep_preset(arguments.front(), {arguments.begin() + 1, arguments.end()});
}
