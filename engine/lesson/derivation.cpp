// SPDX-License-Identifier: Apache-2.0
#include "engine/lesson/derivation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "engine/hardware/cost.h"
#include "engine/program/analysis/analysis.h"

namespace shardscope::inline lesson {
namespace {

constexpr double kEqual = 1e-3;  // of a time: what is written comes to it

bool comes_to(double seconds, double total) {
  return std::fabs(seconds - total) <= kEqual * total;
}

// Messages that follow each other, all of one size.
struct Messages {
  int64_t steps = 0, bytes = 0;
  double seconds = 0;
  std::string words;
};
Messages messages_of(const Run& run) {
  Messages out;
  std::set<std::pair<Picoseconds, Picoseconds>> steps;
  for (const Event& event : run.timeline.events) {
    if (event.kind != EventKind::transfer || event.device != run.timeline.events.front().device) continue;
    if (out.bytes != 0 && event.bytes != out.bytes) return {};
    out.bytes = event.bytes;
    steps.emplace(event.start, event.end);
  }
  const auto& link = run.hardware.link;
  if (steps.empty() || !link.bytes_per_s || !link.latency_s) return {};
  const double rate = *link.bytes_per_s * link.efficiency;
  out.steps = static_cast<int64_t>(steps.size());
  const double one = static_cast<double>(out.bytes) / rate + *link.latency_s;
  out.seconds = static_cast<double>(out.steps) * one;
  const std::string each = fmt::format("{} / {} + {}", format_bytes(static_cast<double>(out.bytes)),
                                       format_rate(rate, "B/s"), format_seconds(*link.latency_s));
  out.words = out.steps == 1 ? each : say_count("{} step × ({})", "{} steps × ({})", out.steps, each);
  return out;
}

// The one product of a run.
struct OneProduct {
  double seconds = 0;
  std::string words;
};
OneProduct product_of(const Run& run) {
  const Computation& entry = run.program.entry_computation();
  const Event* found = nullptr;
  for (const Event& event : run.timeline.events) {
    if (event.kind != EventKind::compute || event.device != 0 || event.end == event.start) continue;
    if (found != nullptr || event.flops <= 0) return {};
    found = &event;
  }
  const auto traffic = memory_rate(run.hardware);
  if (found == nullptr || !traffic.ok()) return {};
  const auto dot = std::ranges::find(entry.instructions, Opcode::dot, &Instruction::opcode);
  if (dot == entry.instructions.end()) return {};
  const auto peak = peak_for(run.hardware, entry.at(dot->operands.front()).shape.type);
  if (!peak.ok() || product_tiles(run.hardware, peak->type) != nullptr) return {};
  const DotSize dims = dot_size(entry, *dot);
  const double flops = padded_flops(run.hardware, {dims.batch, dims.m, dims.k, dims.n});
  const double rate = compute_rate(run.hardware, *peak), bytes = static_cast<double>(found->bytes);
  OneProduct out;
  out.seconds = std::max(flops / rate, bytes / *traffic) + run.hardware.compute.launch_overhead_s;
  out.words = say("the longer of {} / {} and {} / {}", format_rate(flops, "FLOP"),
                  format_rate(rate, "FLOP/s"), format_bytes(bytes), format_rate(*traffic, "B/s"));
  if (run.hardware.compute.launch_overhead_s > 0)
    out.words += " + " + format_seconds(run.hardware.compute.launch_overhead_s);
  return out;
}

}  // namespace

std::string derivation_of(const Run& run) {
  if (run.timeline.events.empty()) return "";
  const double total = to_seconds(run.timeline.total);
  const Messages messages = messages_of(run);
  if (messages.steps > 0 && comes_to(messages.seconds, total)) return messages.words;
  const OneProduct product = product_of(run);
  if (product.words.empty()) return "";
  if (comes_to(product.seconds, total)) return product.words;
  return messages.steps > 0 && comes_to(product.seconds + messages.seconds, total)
             ? product.words + ", + " + messages.words
             : "";
}

}  // namespace shardscope::inline lesson
