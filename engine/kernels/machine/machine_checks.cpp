// SPDX-License-Identifier: Apache-2.0
// What the machine notices while it runs. Races are judged by happens-before, so a race is found whether or
// not the two accesses met in this schedule.
#include <algorithm>
#include <fmt/format.h>

#include "engine/kernels/machine/machine_state.h"

namespace shardscope::kernels {

namespace {

std::vector<int32_t> each_once(std::vector<int32_t> devices) {
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

KernelAccess describe_access(const MachineState& m, int32_t memory, const Slice& slice,
                             const Access& access) {
  KernelAccess out;
  out.device = access.device;
  out.dma = access.dma();
  out.line = access.line;
  out.step = access.step;
  const std::string place = slice_text(m.program->layout, slice.buffer, access.box);
  const char* verb = access.write ? "writes" : "reads";
  out.text = out.dma < 0 ? fmt::format("device {} {} {} at line {}", memory, verb, place, access.line)
                         : fmt::format("DMA {} ({} → {}) of line {} {} {} on device {}", out.dma,
                                       access.device, m.dmas[static_cast<size_t>(out.dma)].op.device,
                                       access.line, verb, place, memory);
  return out;
}

void race(MachineState& m, int32_t d, const Slice& slice, const Access& first, const Access& second,
          const Clock& clock) {
  const Access& writer = second.write ? second : first;
  const Access& other = second.write ? first : second;
  KernelFinding finding;
  finding.first = describe_access(m, d, slice, first);
  finding.second = describe_access(m, d, slice, second);
  finding.devices = each_once({d, first.device, second.device});
  finding.message = fmt::format("{} and {} (steps {} and {}), nothing orders them", finding.first.text,
                                finding.second.text, first.step, second.step);
  finding.kind = FindingKind::read_write_race;
  if (other.write) {
    finding.kind = FindingKind::write_write_race;
    finding.missing = fmt::format(
        "a place of its own for each of the two, or a wait for the one of line {} "
        "before the one of line {}",
        first.line, second.line);
  } else if (writer.half < 0) {
    finding.kind = FindingKind::source_reused;
    finding.missing =
        fmt::format("a wait for the send of line {} on device {} before line {} writes its source",
                    other.line, d, writer.line);
  } else {
    const MachineState::Dma& dma = m.dmas[static_cast<size_t>(writer.dma())];
    // A reader that had something to read already wants the old contents, one that had not the new ones.
    const auto& writes = m.device(d).blocks[static_cast<size_t>(slice.buffer)].writes;
    const bool wants_new =
        second.write
            ? std::any_of(m.findings.begin(), m.findings.end(),
                          [&](const KernelFinding& f) {
                            return f.kind == FindingKind::uninitialised_read && f.first.line == other.line;
                          })
            : std::none_of(writes.begin(), writes.end(), [&](const Access& write) {
                return write.box.overlaps(other.box) && write.before(clock);
              });
    const bool shared = std::any_of(m.findings.begin(), m.findings.end(), [&](const KernelFinding& f) {
      return f.kind == FindingKind::shared_receive && f.second.line == writer.line;
    });
    const std::string semaphore = dma.op.receive_semaphore < 0
                                      ? "receive semaphore"
                                      : m.program->semaphore(dma.op.receive_semaphore).name;
    if (shared) {
      finding.missing =
          fmt::format("a receive semaphore of its own for each copy in flight on {}", semaphore);
    } else if (wants_new) {
      finding.missing =
          fmt::format("a wait on {} on device {} before line {} reads", semaphore, d, other.line);
    } else {
      finding.missing = fmt::format(
          "a capacity semaphore between device {} and device {}: {} signals after line "
          "{}, {} waits for it before line {}",
          d, writer.device, d, other.line, writer.device, writer.line);
    }
  }
  add_finding(m, std::move(finding));
}

bool in_bounds(const MachineState& m, const Slice& slice) {
  return slice.buffer < 0 || (m.program->buffer(slice.buffer).box().covers(slice.box) &&
                              slice.box.rows >= 0 && slice.box.cols >= 0);
}

}  // namespace

void add_finding(MachineState& m, KernelFinding finding) {
  finding.step = m.step;
  for (const KernelFinding& known : m.findings) {
    if (same_place(known, finding)) return;
  }
  m.findings.push_back(std::move(finding));
}

void touch(MachineState& m, int32_t d, const Slice& slice, Access access, const Clock& clock) {
  access.box = slice.box;
  MachineState::Block& block = m.device(d).blocks[static_cast<size_t>(slice.buffer)];
  block.history.add(access, clock, [&](const Access& earlier) { race(m, d, slice, earlier, access, clock); });
  if (access.write) block.writes.push_back(access);
}

void read_initialised(MachineState& m, int32_t d, const Slice& slice, const Access& access) {
  const MachineState::Block& block = m.device(d).blocks[static_cast<size_t>(slice.buffer)];
  const int64_t stride = m.program->buffer(slice.buffer).cols;
  int64_t missing = 0;
  for (int64_t r = 0; r < slice.box.rows; ++r) {
    const auto first =
        block.initialised.begin() + static_cast<ptrdiff_t>((slice.box.row + r) * stride + slice.box.col);
    missing += std::count(first, first + static_cast<ptrdiff_t>(slice.box.cols), uint8_t{0});
  }
  if (missing == 0) return;
  Access there = access;
  there.box = slice.box;
  KernelFinding finding;
  finding.kind = FindingKind::uninitialised_read;
  finding.devices = each_once({d, access.device});
  finding.first = describe_access(m, d, slice, there);
  finding.message = fmt::format("{}: {} of {} elements were never written (step {})", finding.first.text,
                                missing, slice.box.elements(), m.step + 1);
  finding.missing = fmt::format("a write of {} that line {} waits for",
                                slice_text(m.program->layout, slice.buffer, slice.box), access.line);
  add_finding(m, std::move(finding));
}

bool check_statement(MachineState& m, int32_t d, const Op& op) {
  KernelFinding finding;
  finding.kind = FindingKind::out_of_bounds;
  finding.devices = {d};
  finding.first = {d, -1, op.line, m.step, {}};
  for (const Slice* slice : {&op.a, &op.b, &op.dst}) {
    if (in_bounds(m, *slice)) continue;
    const KernelBuffer& buffer = m.program->buffer(slice->buffer);
    finding.first.text = fmt::format("device {} takes {} at line {}", d,
                                     slice_text(m.program->layout, slice->buffer, slice->box), op.line);
    finding.message =
        fmt::format("{}, {} is [{}, {}]", finding.first.text, buffer.name, buffer.rows, buffer.cols);
    finding.missing = "an index that wraps round, or one copy less";
    add_finding(m, finding);
    return false;
  }
  const bool remote = op.kind == OpKind::start || op.kind == OpKind::signal;
  if (remote && (op.device < 0 || op.device >= m.program->device_count())) {
    finding.first.text = fmt::format("device {} names device {} at line {}", d, op.device, op.line);
    finding.message = fmt::format("{}, there are {}", finding.first.text, m.program->device_count());
    finding.missing = "a device id that wraps round the axis";
    add_finding(m, finding);
    return false;
  }
  const bool computes =
      op.kind == OpKind::zero || op.kind == OpKind::add || op.kind == OpKind::dot || op.kind == OpKind::store;
  for (const Slice* slice : {&op.a, &op.b, &op.dst}) {
    if (!computes || slice->buffer < 0 || m.program->buffer(slice->buffer).space != MemorySpace::hbm)
      continue;
    finding.kind = FindingKind::hbm_access;
    finding.first.text =
        fmt::format("device {} computes on {} at line {}", d, m.program->buffer(slice->buffer).name, op.line);
    finding.message = finding.first.text + ", which is in hbm: only DMA reaches it";
    finding.missing = "a copy between hbm and vmem";
    add_finding(m, finding);
  }
  return true;
}

void check_shared_receive(MachineState& m, int32_t number) {
  const MachineState::Dma& dma = m.dmas[static_cast<size_t>(number)];
  if (dma.op.receive_semaphore < 0) return;
  const int32_t told = dma.op.told_device(dma.source);
  auto& receives = m.device(told).semaphores[static_cast<size_t>(dma.op.receive_semaphore)].receives;
  // Whoever knows of this DMA knows of those that it knows.
  receives.erase(std::remove_if(receives.begin(), receives.end(),
                                [&](int32_t earlier) { return dma.clock.knows_half(2 * earlier + 1); }),
                 receives.end());
  for (const int32_t earlier : receives) {
    const MachineState::Dma& other = m.dmas[static_cast<size_t>(earlier)];
    const std::string& semaphore = m.program->semaphore(dma.op.receive_semaphore).name;
    KernelFinding finding;
    finding.kind = FindingKind::shared_receive;
    finding.devices = each_once({other.source, dma.source, dma.op.device});
    finding.first = {
        other.source, earlier, other.op.line, other.start_step,
        fmt::format("DMA {} ({} → {}) of line {}", earlier, other.source, other.op.device, other.op.line)};
    finding.second = {
        dma.source, number, dma.op.line, m.step,
        fmt::format("DMA {} ({} → {}) of line {}", number, dma.source, dma.op.device, dma.op.line)};
    finding.message = fmt::format(
        "{} starts (step {}) while {} may still be in flight, and both tell {} of device "
        "{}: a wait cannot say which one came",
        finding.second.text, m.step + 1, finding.first.text, semaphore, told);
    finding.missing = fmt::format("a receive semaphore per copy instead of {} alone", semaphore);
    add_finding(m, std::move(finding));
  }
  receives.push_back(number);
}

void check_entered(MachineState& m, const Op& op, const Clock& clock, int32_t source, int32_t dma,
                   bool arrived) {
  if (dma < 0 && m.program->semaphore(op.semaphore).kind == SemaphoreKind::barrier) return;
  if (arrived && clock.devices[static_cast<size_t>(op.device)] > 0) return;
  const std::string what = dma < 0
                               ? fmt::format("the signal of line {}", op.line)
                               : fmt::format("DMA {} ({} → {}) of line {}", dma, source, op.device, op.line);
  KernelFinding finding;
  finding.kind = FindingKind::dma_before_entry;
  finding.devices = each_once({source, op.device});
  finding.first = {source, dma, op.line, m.step, what};
  finding.message =
      arrived ? fmt::format("nothing makes {} wait until device {} has entered the kernel", what, op.device)
              : fmt::format("{} lands on device {} before it entered the kernel (step {})", what, op.device,
                            m.step + 1);
  finding.missing = fmt::format(
      "an entry barrier: device {} signals the barrier semaphore of device {}, which waits "
      "for it before line {}",
      op.device, source, op.line);
  add_finding(m, std::move(finding));
}

}  // namespace shardscope::kernels
