// SPDX-License-Identifier: Apache-2.0
#include "views/scene/chip/kernel_details.h"

#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

ItemId item_of(ItemId::Kind kind, int32_t index) {
  ItemId out;
  out.kind = kind;
  out.index = index;
  return out;
}

// A line of the text, which no picture explains further.
std::vector<std::string> line_lines(const KernelListing& listing, int32_t line) {
  if (line < 1 || static_cast<size_t>(line) > listing.lines.size()) return {};
  return {say("line {}", line), std::string(trim(listing.lines[static_cast<size_t>(line) - 1]))};
}

DetailSection about(const std::vector<std::string>& lines) {
  DetailSection out;
  for (size_t i = 1; i < lines.size(); ++i) out.facts.push_back({"", lines[i]});
  return out;
}

DetailSection moment(const KernelViewInput& input) {
  const KernelFrame& frame = input.frame;
  DetailSection out{said("Step")};
  out.facts.push_back({said("step"), frame.step == 0 ? say("before the first of {}", input.steps)
                                                     : say("{} of {}", frame.step, input.steps)});
  if (frame.step > 0) out.facts.push_back({said("does"), frame.action});
  return out;
}

DetailSection devices(const KernelViewInput& input) {
  DetailSection out{said("Devices")};
  out.table.columns = {said("device"), said("line"), said("waits"), said("vmem")};
  for (size_t d = 0; d < input.frame.devices.size(); ++d) {
    const KernelDeviceState& state = input.frame.devices[d];
    const auto device = static_cast<int32_t>(d);
    out.table.rows.push_back({say("device {}", device_name(input.layout.mesh, device)),
                              state.line > 0 ? fmt::format("{}", state.line) : "",
                              kernel_wait_text(input, device),
                              format_bytes(static_cast<double>(state.vmem_bytes))});
  }
  return out;
}

DetailSection copies(const KernelViewInput& input) {
  DetailSection out{said("Copies in flight")};
  for (const KernelDma& dma : input.frame.in_flight) {
    const ItemId item = item_of(ItemId::Kind::link, dma.number);
    const auto lines = describe_kernel(input, item);
    out.links.push_back({lines[0] + ": " + lines[1], item});
  }
  if (out.links.empty()) out.facts.push_back({"", said("none")});
  return out;
}

DetailSection found(const KernelViewInput& input) {
  DetailSection out{said("Found up to here")};
  for (size_t i = 0; i < input.frame.findings.size(); ++i) {
    const ItemId item = item_of(ItemId::Kind::step, static_cast<int32_t>(i));
    out.links.push_back({describe_kernel(input, item).front(), item});
  }
  if (out.links.empty()) out.facts.push_back({"", said("nothing")});
  return out;
}

DetailSection on_chip(const KernelTime& time) {
  DetailSection out{said("On the chip")};
  out.facts.push_back({said("total"), format_picoseconds(time.total)});
  out.facts.push_back({said("bound by"), time.roofline.bound});
  for (const std::string& assumption : time.assumptions) out.facts.push_back({"", assumption});
  return out;
}

}  // namespace

Details details_of_kernel(const KernelViewInput& input, const KernelTime* time, const ItemId& selected) {
  std::vector<std::string> lines = selected.kind == ItemId::Kind::instruction
                                       ? line_lines(input.layout.listing, selected.index)
                                       : describe_kernel(input, selected);
  if (lines.empty()) lines = {input.layout.kernel, input.layout.listing.comment};
  if (lines.back().empty()) lines.pop_back();
  Details out{lines.front(), {about(lines), moment(input), devices(input), copies(input), found(input)}};
  if (out.sections.front().facts.empty()) out.sections.erase(out.sections.begin());
  if (time != nullptr) out.sections.push_back(on_chip(*time));
  return out;
}

}  // namespace shardscope::inline views
