// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/entry/peak_memory.h"

#include <algorithm>
#include <map>

#include "engine/program/analysis/analysis.h"
#include "engine/program/text/hlo_text.h"

namespace shardscope {
namespace {

// Whether the instruction runs its computation as a part of the program, and not once per element.
bool runs_its_computation(const Instruction& i) {
  return has(i.opcode, Trait::part) && i.opcode != Opcode::fusion;
}

// Of its own; parameters have the caller's.
bool makes_buffer(const Instruction& i) {
  return !is_free(i) && !i.shape.is_tuple;
}

int64_t parameter_bytes(const Computation& c) {
  int64_t out = 0;
  for (const Instruction& i : parameters(c)) out += i.shape.bytes();
  return out;
}

// Where a computation's peak is, and how high. Computations are looked at once, whoever calls them.
class Peaks {
 public:
  explicit Peaks(const Program& program) : program_(program) {}

  int64_t bytes(const Computation& c) { return of(c).bytes; }

  // What is alive at the peak, in the computations that run then.
  void collect(const Computation& c, bool with_parameters, std::vector<PeakBuffer>& out) {
    const Moment moment = of(c);
    const std::vector<int32_t> last = last_use(c);
    for (size_t k = 0; k < c.instructions.size(); ++k) {
      const Instruction& i = c.instructions[k];
      const bool parameter = i.opcode == Opcode::parameter;
      const bool alive =
          parameter ? with_parameters
                    : k <= moment.at && std::max<size_t>(static_cast<size_t>(last[k]), k) >= moment.at;
      if (!(parameter || makes_buffer(i)) || !alive || i.shape.bytes() == 0) continue;
      out.push_back({i.shape.bytes(), i.name, display_name(i), i.shape.text(), i.provenance->op_name,
                     source_line(program_, i)});
    }
    if (moment.inside != nullptr) collect(*moment.inside, false, out);
  }

 private:
  struct Moment {
    int64_t bytes = 0;
    size_t at = 0;                        // the instruction that runs then
    const Computation* inside = nullptr;  // what it calls, where that needs the most
  };

  // What a called computation needs beside its operands, and which of them needs the most.
  std::pair<int64_t, const Computation*> inside(const Instruction& i) {
    std::pair<int64_t, const Computation*> out{0, nullptr};
    if (!runs_its_computation(i)) return out;
    for (const CalledComputation& called : i.called) {
      const Computation& body = program_.computation(called.computation);
      const int64_t more = of(body).bytes - parameter_bytes(body);
      if (more > out.first) out = {more, &body};
    }
    return out;
  }

  const Moment& of(const Computation& c) {
    if (const auto known = known_.find(&c); known != known_.end()) return known->second;
    const std::vector<int32_t> last = last_use(c);
    const size_t count = c.instructions.size();
    std::vector<int64_t> ends(count + 1, 0);
    int64_t live = parameter_bytes(c);
    Moment out;
    for (size_t k = 0; k < count; ++k) {
      const Instruction& i = c.instructions[k];
      if (makes_buffer(i)) {
        live += i.shape.bytes();
        ends[std::max(static_cast<size_t>(last[k]), k)] += i.shape.bytes();
      }
      const auto [more, body] = inside(i);
      if (live + more > out.bytes) out = {live + more, k, body};
      live -= ends[k];
    }
    return known_[&c] = out;
  }

  const Program& program_;
  std::map<const Computation*, Moment> known_;
};

}  // namespace

PeakMemory peak_memory(const Program& program, const Computation& computation) {
  Peaks peaks(program);
  PeakMemory out{peaks.bytes(computation), {}};
  peaks.collect(computation, true, out.buffers);
  std::ranges::stable_sort(out.buffers, std::greater<>(), &PeakBuffer::bytes);
  return out;
}

}  // namespace shardscope
