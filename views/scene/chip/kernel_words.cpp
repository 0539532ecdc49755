// SPDX-License-Identifier: Apache-2.0
// A step of a kernel in words: narration, tooltips, who waits for what.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "engine/base/units.h"
#include "views/scene/chip/kernel_parts.h"

namespace shardscope::inline views {
namespace {

std::string state_words(const KernelViewInput& input, int32_t device) {
  const KernelDeviceState& state = input.frame.devices[static_cast<size_t>(device)];
  if (!state.entered) return said("not yet inside the kernel");
  if (state.exited) return said("has left the kernel");
  const auto& lines = input.layout.listing.lines;
  if (state.line < 1 || static_cast<size_t>(state.line) > lines.size()) return said("leaves next");
  return say("next: line {}: {}", state.line, trim(lines[static_cast<size_t>(state.line) - 1]));
}

std::string rows_text(const KernelBuffer& buffer, const Box& box) {
  if (box == buffer.box()) return buffer.name;
  return fmt::format("{}[{}:{}, {}:{}]", buffer.name, box.row, box.row + box.rows, box.col,
                     box.col + box.cols);
}

}  // namespace

std::string semaphore_value(const KernelSemaphore& semaphore, int64_t value) {
  return semaphore.kind == SemaphoreKind::dma ? format_bytes(static_cast<double>(value))
                                              : fmt::format("{}", value);
}

std::string kernel_wait_text(const KernelViewInput& input, int32_t device) {
  const KernelDeviceState& state = input.frame.devices[static_cast<size_t>(device)];
  if (state.waits_for < 0) return "";
  const KernelSemaphore& semaphore = input.layout.semaphores[static_cast<size_t>(state.waits_for)];
  const int64_t has = state.semaphores[static_cast<size_t>(state.waits_for)];
  std::string out = say("{} has {}, needs {}", semaphore.name, semaphore_value(semaphore, has),
                        semaphore_value(semaphore, state.waits_units));
  if (semaphore.kind != SemaphoreKind::dma) return out;
  std::string bringers;
  for (const KernelDma& dma : input.frame.in_flight) {
    const bool arrives = dma.target_device == device && dma.receive_semaphore == state.waits_for;
    const bool leaves = dma.source_device == device && dma.send_semaphore == state.waits_for && !dma.read;
    if (!arrives && !leaves) continue;
    bringers += bringers.empty() ? "" : ", ";
    bringers += say("DMA {}", dma.number);
    if (arrives && dma.source_device != device) bringers += say(" from {}", dma.source_device);
  }
  return out + (bringers.empty() ? said("; no copy brings it yet") : "; " + bringers + said(" brings it"));
}

std::string narrate_kernel(const KernelViewInput& input) {
  const KernelFrame& frame = input.frame;
  std::string out = frame.step == 0 ? say("before the first of {} steps", input.steps)
                                    : say("step {} of {}: {}", frame.step, input.steps, frame.action);
  if (!frame.in_flight.empty()) out += say(" · {} in flight", counted(frame.in_flight.size(), "DMA"));
  for (size_t d = 0; d < frame.devices.size(); ++d) {
    const int32_t semaphore = frame.devices[d].waits_for;
    if (semaphore < 0) continue;
    out += say(" · {} waits for {}", d, input.layout.semaphores[static_cast<size_t>(semaphore)].name);
  }
  return out;
}

namespace {

std::vector<std::string> describe_dma(const KernelViewInput& input, const ItemId& item) {
  const auto is_it = [&](const KernelDma& dma) { return dma.number == item.index; };
  const auto& flying = input.frame.in_flight;
  auto found = std::find_if(flying.begin(), flying.end(), is_it);
  const KernelDma* dma = found != flying.end() ? &*found : nullptr;
  if (dma == nullptr && input.frame.landed && is_it(*input.frame.landed)) dma = &*input.frame.landed;
  if (dma == nullptr) return {};
  const auto part = [&](int32_t buffer, const Box& box) {
    return rows_text(input.layout.buffers[static_cast<size_t>(buffer)], box);
  };
  std::vector<std::string> out = {
      say("DMA {}, started at line {}", dma->number, dma->line),
      say("{} of device {} → {} of device {}", part(dma->source_buffer, dma->source), dma->source_device,
          part(dma->target_buffer, dma->target), dma->target_device),
      found == flying.end() ? said("has landed")
      : dma->read           ? said("its source was read, it has not landed")
                            : said("nothing was read yet: its source must stay as it is")};
  const auto told = [&](int32_t semaphore, int32_t device, const std::string& when) {
    if (semaphore < 0) return;
    out.push_back(say("signals {} of device {} when it {}",
                      input.layout.semaphores[static_cast<size_t>(semaphore)].name, device, when));
  };
  told(dma->send_semaphore, dma->source_device, said("was read"));
  told(dma->receive_semaphore, dma->target_device, said("has landed"));
  return out;
}

}  // namespace

std::vector<std::string> describe_kernel(const KernelViewInput& input, const ItemId& item) {
  std::vector<std::string> out;
  const auto& devices = input.frame.devices;
  const bool on_device = item.device >= 0 && static_cast<size_t>(item.device) < devices.size();
  if (item.kind == ItemId::Kind::device && on_device) {
    const KernelDeviceState& state = devices[static_cast<size_t>(item.device)];
    out = {said("device ") + device_name(input.layout.mesh, item.device), state_words(input, item.device)};
    const std::string wait = kernel_wait_text(input, item.device);
    if (!wait.empty()) out.push_back(said("waits: ") + wait);
    out.push_back(say("vmem {} of {}", format_bytes(static_cast<double>(state.vmem_bytes)),
                      format_bytes(static_cast<double>(input.layout.vmem_limit))));
  } else if (item.kind == ItemId::Kind::buffer && on_device) {
    const KernelBuffer& buffer = input.layout.buffers[static_cast<size_t>(item.index)];
    const KernelBufferState& state =
        devices[static_cast<size_t>(item.device)].buffers[static_cast<size_t>(item.index)];
    out = {say("{} of device {}: {} × {} {} in {}, {}", buffer.name, item.device, buffer.rows, buffer.cols,
               name(buffer.type), name(buffer.space), format_bytes(static_cast<double>(buffer.bytes()))),
           say("{} of {} elements written", state.initialised_count, buffer.rows * buffer.cols)};
    const auto wrong = std::count(state.wrong.begin(), state.wrong.end(), uint8_t{1});
    if (wrong > 0) out.push_back(say_count("{} element is wrong", "{} elements are wrong", wrong));
  } else if (item.kind == ItemId::Kind::handle && on_device) {
    const KernelSemaphore& semaphore = input.layout.semaphores[static_cast<size_t>(item.index)];
    const KernelDeviceState& state = devices[static_cast<size_t>(item.device)];
    const int64_t value = state.semaphores[static_cast<size_t>(item.index)];
    out = {say("{} of device {}, {} semaphore: {}", semaphore.name, item.device, name(semaphore.kind),
               semaphore_value(semaphore, value))};
    out.push_back(semaphore.kind == SemaphoreKind::dma
                      ? said("bytes of copies that were read or have arrived; a wait subtracts its bytes")
                      : said("signals received; a wait subtracts its count"));
    if (state.waits_for == item.index) out.push_back(kernel_wait_text(input, item.device));
  } else if (item.kind == ItemId::Kind::link) {
    return describe_dma(input, item);
  } else if (item.kind == ItemId::Kind::step && item.index >= 0 &&
             static_cast<size_t>(item.index) < input.frame.findings.size()) {
    const KernelFinding& finding = input.frame.findings[static_cast<size_t>(item.index)];
    out = {say("{}, noticed in step {}", name(finding.kind), finding.step + 1), finding.message};
    if (!finding.missing.empty()) out.push_back(said("missing: ") + finding.missing);
  }
  return out;
}

}  // namespace shardscope::inline views
