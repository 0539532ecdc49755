// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/module_calls.h"

#include <algorithm>
#include <optional>

#include "engine/measure/import/event_words.h"
#include "engine/measure/import/hlo_line.h"
#include "engine/measure/import/kernel_table.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline measure {
namespace {

constexpr size_t kMostCalls = 200'000;  // bodies are walked where they are called, which may be often
constexpr int kDeepest = 32;

// A kernel's name has neither points nor dashes: "fusion_64" of "fusion.64".
std::string kernel_name(std::string_view instruction) {
  std::string out(instruction);
  for (char& c : out)
    if (c == '.' || c == '-') c = '_';
  return out;
}

std::optional<std::string> metadata_text(const Instruction& instruction, std::string_view key) {
  for (const VerbatimAttribute& attribute : *instruction.verbatim) {
    const std::string start = std::string(key) + "=\"";
    const size_t at = attribute.value.find(start);
    if (*attribute.key != "metadata" || at == std::string::npos) continue;
    const size_t begin = at + start.size();
    return attribute.value.substr(begin, attribute.value.find('"', begin) - begin);
  }
  return std::nullopt;
}

// Fusions of the same operations on the same shapes are compiled once, under the name of one of them.
std::string body_text(const Program& program, const Instruction& instruction) {
  const Computation* body = fused_computation(program, instruction);
  if (body == nullptr) return {};
  std::string out;
  for (const Instruction& i : body->instructions) {
    out += opcode_text(i);
    out += plain_text(i.shape) + ";";
  }
  return out;
}

bool calls_library(const Computation& body) {
  return std::ranges::any_of(body.instructions,
                             [](const Instruction& i) { return !custom_call_target(i).empty(); });
}

// None: it puts no work on the device.
std::optional<CallForm> form_of(const Program& program, const Instruction& instruction) {
  const std::string_view opcode = opcode_text(instruction);
  if (is_done_half(opcode)) return std::nullopt;
  if (const Computation* body = fused_computation(program, instruction))
    return calls_library(*body) ? CallForm::library : CallForm::kernel;
  if (is_collective(instruction.opcode) || is_collective(parse_opcode(without_half(opcode))))
    return CallForm::collective;
  if (opcode == "copy" || opcode == "copy-start" || opcode == "while" || opcode == "conditional")
    return CallForm::transfer;
  if (opcode == "custom-call" || opcode == "sort" || opcode == "fft" || opcode == "convolution" ||
      opcode == "cholesky" || opcode == "triangular-solve" || opcode == "custom-call-start")
    return CallForm::library;
  switch (operation(instruction.opcode).kind) {
    case OpClass::source:
    case OpClass::tuple:
    case OpClass::control:
      return std::nullopt;
    default:
      return opcode == "bitcast" ? std::nullopt : std::optional(CallForm::kernel);
  }
}

double expected_of(CallForm form) {
  switch (form) {
    case CallForm::kernel:
    case CallForm::library:
      return 1;
    case CallForm::collective:
      return 0.5;
    case CallForm::transfer:
      return 0.05;
  }
  return 1;
}

std::string target_of(const Program& program, const Instruction& instruction) {
  if (const Computation* body = fused_computation(program, instruction))
    for (const Instruction& i : body->instructions)
      if (const std::string& target = custom_call_target(i); !target.empty()) return target;
  return custom_call_target(instruction);
}

// "fusion_64__1", "input_reduce_fusion_2_1" and "sort_3_kernel" without what was put behind.
std::string_view without_suffix(std::string_view kernel) {
  const size_t at = kernel.rfind('_');
  if (at == std::string_view::npos || at == 0) return {};
  kernel = kernel.substr(0, at);
  while (kernel.ends_with('_')) kernel.remove_suffix(1);
  return kernel;
}

// How surely what an instruction calls shows: of branches one does, and a loop's condition only where nobody
// knows how often it runs.
double runs_of(const Instruction& instruction, std::string_view key) {
  if (key == "condition") return 0.1;
  return opcode_text(instruction) == "conditional" ? 0.3 : 1;
}

// How little speaks for a library's kernel to be of this call; none: it cannot be.
std::optional<double> library_cost(const ModuleCall& call, std::string_view kernel, const NamedKind& kind) {
  if (holds(kernel, "Memset") || holds(kernel, "memset")) {
    if (call.form == CallForm::library) return 0.1;
    return call.form == CallForm::kernel ? std::nullopt : std::optional(1.0);
  }
  if (holds(kernel, "Memcpy") || holds(kernel, "memcpy")) {
    if (call.form == CallForm::transfer) return call.opcode.starts_with("copy") ? 0 : 0.3;
    return call.form == CallForm::kernel ? std::optional(0.8) : std::optional(0.5);
  }
  if (kind.kind == MeasuredKind::collective) {
    if (call.form != CallForm::collective) return std::nullopt;
    const std::string_view whole = without_half(call.opcode);
    // Sends and receives are what an exchange of all with all is made of.
    const bool same = kind.opcode == whole || (kind.opcode == "collective-permute" && whole == "all-to-all");
    return kind.opcode.empty() || same ? 0 : 1.0;
  }
  if (call.form != CallForm::library) return std::nullopt;
  const bool product = holds(call.target, "matmul") || holds(call.target, "gemm");
  const bool convolution = holds(call.target, "conv") || call.opcode == "convolution";
  if (kind.kind == MeasuredKind::product) return product ? 0 : 0.6;
  if (kind.opcode == "convolution") return convolution ? 0 : 0.6;
  return product ? 0.6 : 0.2;
}

}  // namespace

ModuleCalls::ModuleCalls(const Program& program) {
  loops_.push_back({});
  walk(program, program.entry_computation(), 0, 1, 0);
  loops_[0].end = static_cast<int32_t>(calls_.size());
  before_.push_back(0);
  for (const ModuleCall& call : calls_) before_.push_back(before_.back() + call.expected);
}

void ModuleCalls::add(const Program& program, const Instruction& instruction, CallForm form, int32_t loop,
                      double expected) {
  const auto place = static_cast<int32_t>(calls_.size());
  calls_.push_back({instruction.name, form, std::string(opcode_text(instruction)),
                    target_of(program, instruction), loop, expected * expected_of(form)});
  by_instruction_[instruction.name].push_back(place);
  by_kernel_[kernel_name(instruction.name)].push_back(place);
  if (const auto same = metadata_text(instruction, "deduplicated_name"); same && *same != instruction.name)
    by_kernel_[kernel_name(*same)].push_back(place);
  bodies_.push_back(body_text(program, instruction));
  if (!bodies_.back().empty()) by_body_[bodies_.back()].push_back(place);
}

void ModuleCalls::walk(const Program& program, const Computation& computation, int32_t loop, double expected,
                       int depth) {
  if (depth == kDeepest) return;
  for (const Instruction& i : computation.instructions) {
    if (calls_.size() >= kMostCalls) return;
    const std::optional<CallForm> form = form_of(program, i);
    const std::string_view opcode = opcode_text(i);
    const bool repeats = opcode == "while";
    if (repeats || opcode == "conditional" || opcode == "call" || opcode == "async-start") {
      int32_t inside = loop;
      if (repeats) {
        inside = static_cast<int32_t>(loops_.size());
        const auto begin = static_cast<int32_t>(calls_.size());
        loops_.push_back({begin, begin, loop});
      }
      for (const CalledComputation& called : *i.called)
        walk(program, program.computation(called.computation), inside, expected * runs_of(i, *called.key),
             depth + 1);
      if (form) add(program, i, *form, inside, expected);
      if (repeats) loops_[static_cast<size_t>(inside)].end = static_cast<int32_t>(calls_.size());
      continue;
    }
    if (form) add(program, i, *form, loop, expected);
  }
}

std::vector<CallCandidate> ModuleCalls::of_instruction(const std::string& name) const {
  std::vector<CallCandidate> out;
  if (const auto found = by_instruction_.find(name); found != by_instruction_.end())
    for (const int32_t call : found->second) out.push_back({call, 0});
  return out;
}

// The instructions whose kernels are called so, or so before a suffix, or without "wrapped_" in front.
const std::vector<int32_t>* ModuleCalls::bearing(std::string_view kernel) const {
  for (std::string_view name = kernel; !name.empty(); name = without_suffix(name)) {
    if (const auto found = by_kernel_.find(std::string(name)); found != by_kernel_.end())
      return &found->second;
    constexpr std::string_view kWrapped = "wrapped_";
    if (!name.starts_with(kWrapped)) continue;
    if (const auto found = by_kernel_.find(std::string(name.substr(kWrapped.size())));
        found != by_kernel_.end())
      return &found->second;
  }
  return nullptr;
}

ModuleCalls::Candidates ModuleCalls::candidates(std::string_view kernel) const {
  Candidates out;
  if (const std::vector<int32_t>* bearing_it = bearing(kernel)) {
    out.named = true;
    for (const int32_t call : *bearing_it) {
      out.calls.push_back({call, 0});
      const std::string& body = bodies_[static_cast<size_t>(call)];
      if (body.empty()) continue;
      for (const int32_t same : by_body_.at(body)) out.calls.push_back({same, 0.05});
    }
  } else {
    const NamedKind kind = kind_of_kernel(kernel);
    for (size_t c = 0; c < calls_.size(); ++c)
      if (const auto cost = library_cost(calls_[c], kernel, kind))
        out.calls.push_back({static_cast<int32_t>(c), *cost});
  }
  std::ranges::sort(out.calls, [](const CallCandidate& a, const CallCandidate& b) {
    return a.call != b.call ? a.call < b.call : a.cost < b.cost;
  });
  const auto same_call = [](const CallCandidate& a, const CallCandidate& b) { return a.call == b.call; };
  out.calls.erase(std::unique(out.calls.begin(), out.calls.end(), same_call), out.calls.end());
  return out;
}

}  // namespace shardscope::inline measure
