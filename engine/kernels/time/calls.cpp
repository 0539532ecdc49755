// SPDX-License-Identifier: Apache-2.0
#include "engine/kernels/time/calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "engine/base/text.h"
#include "engine/collectives/opcode_kind.h"
#include "engine/kernels/time/stand_in.h"
#include "engine/run/spans.h"

namespace shardscope::kernels {

namespace {

// What a kernel sends over links, each hop of each copy. The k-th copy from one device to the same other one
// belongs to step k of the kernel's grid.
std::vector<CallMessage> messages_of(const KernelTime& time) {
  std::vector<CallMessage> out;
  std::map<int32_t, int32_t> step_of_dma;
  std::map<std::pair<int32_t, int32_t>, int32_t> copies;
  for (const KernelEvent& event : time.events) {
    if (event.lane != KernelLane::link) continue;
    const auto known = step_of_dma.find(event.dma);
    CallMessage message{
        event.device, event.peer, event.start, event.end, event.bytes, 0, known != step_of_dma.end()};
    message.step = message.relayed ? known->second : copies[{event.device, event.peer}]++;
    step_of_dma[event.dma] = message.step;
    out.push_back(message);
  }
  return out;
}

const KernelDeviceTime& longest(const KernelTime& time) {
  return *std::max_element(
      time.devices.begin(), time.devices.end(),
      [](const KernelDeviceTime& a, const KernelDeviceTime& b) { return a.end < b.end; });
}

// A product: all to what bounds it. A collective: its links' time, of which a hop's latency for each copy one
// after the other, then the copies between hbm and vmem; what is left is barriers and waits for others.
Cost cost_of(const KernelTime& time, const std::vector<CallMessage>& messages, const Hardware& hardware) {
  Cost out;
  out.overhead = std::min(time.total, to_picoseconds(hardware.compute.launch_overhead_s));
  Picoseconds left = time.total - out.overhead;
  if (messages.empty()) {
    (time.roofline.bound == "compute" ? out.compute : out.memory) = left;
    return out;
  }
  CoveredTime covered;
  int64_t in_turn = 0;
  for (const CallMessage& m : messages) {
    if (m.rank != messages.front().rank) continue;
    covered.add({m.start, m.end});
    in_turn = std::max<int64_t>(in_turn, m.step + 1);
  }
  const Picoseconds on_links = covered.length;
  const Picoseconds hop = to_picoseconds(hardware.link.latency_s.value_or(0));
  out.latency = std::min(on_links, in_turn * hop);
  out.bandwidth = on_links - out.latency;
  left = std::max<Picoseconds>(0, left - on_links);
  out.memory = std::min(left, longest(time).hbm);
  out.latency += left - out.memory;
  return out;
}

// The rings that a collective runs on, each in the order of the kernel's devices.
std::vector<std::vector<int32_t>> rings_of(const Program& program, const Instruction& i) {
  const int axis = *program.mesh.axis_index(collective_axes(program, i).front());
  const bool down =
      i.permutation != nullptr && shift_along(program.mesh, axis, *i.permutation).value_or(1) < 0;
  std::vector<std::vector<int32_t>> out;
  for (int64_t d = 0; d < program.mesh.device_count(); ++d) {
    if (program.mesh.coordinate(DeviceId(d), axis) != 0) continue;
    std::vector<int32_t> ring;
    for (const DeviceId member : program.mesh.group(DeviceId(d), axis)) ring.push_back(member.value);
    if (down) std::reverse(ring.begin(), ring.end());
    out.push_back(std::move(ring));
  }
  return out;
}

KernelCall call_of(const StandIn& kernel, const KernelTime& time, const Hardware& hardware) {
  KernelCall out;
  out.kernel = kernel.kernel;
  out.messages = messages_of(time);
  out.cost = cost_of(time, out.messages, hardware);
  out.hbm_bytes = longest(time).hbm_bytes;
  for (const CallMessage& m : out.messages) out.steps = std::max(out.steps, m.step + 1);
  return out;
}

std::string options_text(const StandIn& kernel) {
  const KernelOptions& o = kernel.options;
  if (o.bm) return fmt::format("{}, tiles {}×{}×{}", kernel.kernel, *o.bm, *o.bk, *o.bn);
  return fmt::format("{} on rings of {}", kernel.kernel, o.mesh.device_count());
}

// Instructions about which the same is to be said.
struct Note {
  std::string verb, what;  // "take", "the time of …"
  std::string first;
  int64_t more = 0;
  std::string text() const {
    if (more == 0) return fmt::format("%{} {}s {}", first, verb, what);
    return fmt::format("%{} and {} more {} {}", first, more, verb, what);
  }
};
void note(std::vector<Note>& notes, const std::string& instruction, const std::string& verb,
          const std::string& what) {
  const auto same = std::find_if(notes.begin(), notes.end(),
                                 [&](const Note& n) { return n.verb == verb && n.what == what; });
  if (same == notes.end()) {
    notes.push_back({verb, what, instruction, 0});
  } else {
    ++same->more;
  }
}

bool wanted(const Instruction& i, KernelTiming timing) {
  const bool collective = is_timed_collective(i);
  const bool product = has(i.opcode, Trait::contracts);
  return (collective && timing != KernelTiming::dots && timing != KernelTiming::off) ||
         (product && (timing == KernelTiming::dots || timing == KernelTiming::all));
}

}  // namespace

KernelCalls kernel_calls(const Program& program, const Hardware& hardware, KernelTiming timing) {
  KernelCalls out;
  std::vector<std::pair<StandIn, Result<KernelTime>>> timed;  // equal kernels once
  std::vector<Note> notes;
  const Computation& entry = program.entry_computation();
  for (size_t n = 0; n < entry.instructions.size(); ++n) {
    const Instruction& i = entry.instructions[n];
    if (!wanted(i, timing)) continue;
    const InstructionId id(static_cast<int64_t>(n));
    const Result<StandIn> kernel = stand_in(program, id);
    if (!kernel.ok()) {
      note(notes, i.name, "keep", fmt::format("the flat model's time: {}", kernel.error().what));
      continue;
    }
    auto known =
        std::find_if(timed.begin(), timed.end(), [&](const auto& pair) { return pair.first == *kernel; });
    if (known == timed.end()) known = timed.insert(timed.end(), {*kernel, time_of(*kernel, hardware)});
    const Result<KernelTime>& time = known->second;
    if (!time.ok()) {
      note(notes, i.name, "keep",
           fmt::format("the flat model's time: {}: {}", kernel->kernel, time.error().what));
      continue;
    }
    KernelCall call = call_of(*kernel, *time, hardware);
    call.instruction = id;
    if (i.opcode != Opcode::dot) call.rings = rings_of(program, i);
    note(
        notes, i.name, "take",
        fmt::format("the time of the kernel {}: {}", options_text(*kernel), format_picoseconds(time->total)));
    out.calls.push_back(std::move(call));
  }
  for (const Note& one : notes) out.notes.push_back(one.text());
  if (std::any_of(out.calls.begin(), out.calls.end(),
                  [](const KernelCall& call) { return call.is_collective(); }))
    out.notes.push_back(
        "the call of a kernel holds its core: instructions run one after another, in program order");
  return out;
}

}  // namespace shardscope::kernels
