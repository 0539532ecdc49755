// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/chip_changes.h"

#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"

namespace shardscope::inline hardware {
namespace {

Result<void> change(const std::optional<NumberChange>& by, const char* field, std::optional<double>& number) {
  if (!by) return {};
  if (by->factor && !number) return invalid("it is not published, so that a factor changes nothing", field);
  number = by->of(number.value_or(0));
  return {};
}

Result<void> more_than_zero(const std::optional<NumberChange>& by, const char* field) {
  if (!by || by->value > 0) return {};
  return invalid("nothing runs at 0", field, "give a factor of more than 0, as in x2");
}

}  // namespace

Result<NumberChange> parse_number_change(std::string_view text) {
  const std::string_view said = trim(text);
  NumberChange out;
  out.factor = said.starts_with('x');
  const auto number = parse_double(out.factor ? said.substr(1) : said);
  if (!number || !std::isfinite(*number) || *number < 0) {
    return invalid(fmt::format("'{}' is neither a factor nor a number", said), "",
                   "write x2 for twice as much, or the number itself, not negative");
  }
  out.value = *number;
  return out;
}

std::string text(const NumberChange& it) {
  return fmt::format("{}{}", it.factor ? "x" : "", it.value);
}

NumberChange after(const NumberChange& first, const NumberChange& then) {
  return then.factor ? NumberChange{first.factor, first.value * then.value} : then;
}

ChipChanges after(const ChipChanges& first, const ChipChanges& then) {
  ChipChanges out = first;
  for (const auto number :
       {&ChipChanges::peak, &ChipChanges::hbm, &ChipChanges::latency, &ChipChanges::launch}) {
    if (then.*number) out.*number = first.*number ? after(*(first.*number), *(then.*number)) : then.*number;
  }
  return out;
}

Result<Hardware> changed(Hardware hardware, const ChipChanges& changes) {
  TRY_VOID(more_than_zero(changes.peak, "peak"));
  TRY_VOID(more_than_zero(changes.hbm, "hbm"));
  if (changes.peak) {
    if (hardware.compute.peak_flops_per_s.empty()) return invalid("it is not published", "peak");
    for (auto& [type, flops] : hardware.compute.peak_flops_per_s) flops = changes.peak->of(flops);
    if (auto& tf32 = hardware.compute.tf32_flops_per_s) tf32 = changes.peak->of(*tf32);
  }
  TRY_VOID(change(changes.hbm, "hbm", hardware.memory.hbm_bytes_per_s));
  if (hardware.link.latency_s || !hardware.network_latency_s)
    TRY_VOID(change(changes.latency, "latency", hardware.link.latency_s));
  if (hardware.network_latency_s) TRY_VOID(change(changes.latency, "latency", hardware.network_latency_s));
  for (LinkOp& op : hardware.link.ops) {
    if (changes.latency && op.step_s) op.step_s = changes.latency->of(*op.step_s);
    if (changes.launch && op.launch_s) op.launch_s = changes.launch->of(*op.launch_s);
  }
  if (changes.launch) {
    double& elementwise = hardware.compute.elementwise_launch_s;
    if (elementwise > 0) elementwise = changes.launch->of(elementwise);
    hardware.compute.launch_overhead_s = changes.launch->of(hardware.compute.launch_overhead_s);
    for (ProductTiles& row : hardware.products) row.launch_s = changes.launch->of(row.launch_s);
    for (WorkRate& row : hardware.work) row.launch_s = changes.launch->of(row.launch_s);
    hardware.link.launch_overhead_s = changes.launch->of(hardware.link.launch_overhead_s);
  }
  return hardware;
}

}  // namespace shardscope::inline hardware
