// SPDX-License-Identifier: Apache-2.0
// What of a compiled module puts work on a device, in the order in which its schedule calls it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/run/measured.h"

namespace shardscope::inline measure {

enum class CallForm : uint8_t {
  kernel,      // one that bears the instruction's name
  library,     // one or several of a library, under names of its own
  collective,  // a communication library's
  transfer     // a copy by the copy engine, or the flag that a loop reads back
};

struct ModuleCall {
  std::string instruction;
  CallForm form = CallForm::kernel;
  std::string opcode;   // HLO's: "all-gather-start" of an asynchronous one
  std::string target;   // a custom call's
  int32_t loop = 0;     // the innermost one around it
  double expected = 1;  // how surely it shows in a profile
};

// Calls [begin, end), again and again. The first one is the whole module, which is run again and again.
struct CallLoop {
  int32_t begin = 0, end = 0;
  int32_t around = -1;  // the loop that it lies in, -1: none
};

// A call that a kernel may be. `cost`: how little its name speaks for it, 0: it is this one's.
struct CallCandidate {
  int32_t call = 0;
  double cost = 0;
};

class ModuleCalls {
 public:
  explicit ModuleCalls(const Program& program);
  ModuleCalls() = default;

  const std::vector<ModuleCall>& calls() const { return calls_; }
  const std::vector<CallLoop>& loops() const { return loops_; }
  // By place, ascending. `named`: the kernel bears the name of one of the instructions.
  struct Candidates {
    std::vector<CallCandidate> calls;
    bool named = false;
  };
  Candidates candidates(std::string_view kernel) const;
  // Those of an instruction that the profile names itself.
  std::vector<CallCandidate> of_instruction(const std::string& name) const;
  // Σ expected of the calls before a place.
  double expected_before(int32_t call) const { return before_[static_cast<size_t>(call)]; }

 private:
  void walk(const Program& program, const Computation& computation, int32_t loop, double expected, int depth);
  void add(const Program& program, const Instruction& instruction, CallForm form, int32_t loop,
           double expected);
  const std::vector<int32_t>* bearing(std::string_view kernel) const;

  std::vector<ModuleCall> calls_;
  std::vector<CallLoop> loops_;
  std::vector<double> before_;
  std::unordered_map<std::string, std::vector<int32_t>> by_kernel_;  // the name that a kernel would bear
  std::unordered_map<std::string, std::vector<int32_t>> by_instruction_;
  std::unordered_map<std::string, std::vector<int32_t>> by_body_;  // what compiles to the same kernel
  std::vector<std::string> bodies_;                                // by call
};

}  // namespace shardscope::inline measure
