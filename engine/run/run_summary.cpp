// SPDX-License-Identifier: Apache-2.0
#include "engine/run/run_summary.h"

#include "engine/base/text.h"

namespace shardscope::inline run {

std::string link_words(const Hardware& hardware) {
  std::vector<std::string> words;
  if (hardware.link.bytes_per_s) words.push_back(format_rate(*hardware.link.bytes_per_s, "B/s"));
  if (hardware.link.latency_s) words.push_back(format_seconds(*hardware.link.latency_s));
  words.emplace_back(name(hardware.topology));
  return join(words, ", ");
}

RunSummary summary_of(const Run& run) {
  RunSummary out;
  out.id = run.id.value_or(0);
  out.created = run.created;
  out.title = run.experiment.title;
  out.strategy = run.strategy;
  out.label = run.asked.label;
  out.mesh = run.mesh.text();
  out.hardware = run.hardware.name;
  out.given = run.given;
  out.link = link_words(run.hardware);
  out.devices = run.timeline.devices;
  out.status = name(run.status);
  out.kind = run.kind;
  out.m = run.problem.m;
  out.k = run.problem.k;
  out.n = run.problem.n;
  out.dtype = name(run.problem.dtype);
  out.total = run.timeline.total;
  const RunNumbers numbers = numbers_of(run);
  for (const Metric& m : run_metrics())
    if (m.kept()) out.numbers[m.id] = numbers[m.id];
  out.bound = summarise(run.timeline).bound;
  out.group = group_key(run);
  const RunEnds ends = ends_of(run);
  out.inputs = text(ends.inputs);
  out.outputs = text(ends.outputs);
  if (run.module) out.signature = run.module->signature;
  if (run.price) {
    out.price = run.price->total();
    out.price_words = run.price->words();
  }
  out.events = std::ssize(run.timeline.events);
  out.hbm_bytes = run.hardware.memory.hbm_bytes;
  return out;
}

}  // namespace shardscope::inline run
