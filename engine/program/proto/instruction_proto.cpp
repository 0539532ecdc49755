// SPDX-License-Identifier: Apache-2.0
#include "engine/program/proto/instruction_proto.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/proto/attribute_proto.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/proto_text.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program::proto {
namespace {

using wire::Message;
using I = field::Instruction;

constexpr int64_t kPredCode = 1;

Instruction probe_of(std::string_view opcode) {
  Instruction out;
  out.opcode = parse_opcode(opcode);
  if (!is_known(out.opcode)) out.opcode_name = std::string(opcode);
  return out;
}

Error at_instruction(const Message& instruction, std::string what) {
  return invalid(std::move(what), "instruction " + name_text(instruction.bytes(I::name)));
}

// The operation that an asynchronous one wraps goes by "async-" itself.
std::string_view async_end(std::string_view opcode) {
  return opcode.starts_with("async-") ? opcode.substr(5) : std::string_view();
}

std::string metadata_text(const Message& said) {
  using F = field::Metadata;
  std::vector<std::string> entries;
  const auto text = [&](const char* key, int field) {
    if (!said.bytes(field).empty())
      entries.push_back(fmt::format("{}={}", key, c_escaped(said.bytes(field))));
  };
  const auto number = [&](const char* key, int field) {
    if (said.number(field) != 0) entries.push_back(fmt::format("{}={}", key, said.number(field)));
  };
  text("op_type", F::op_type);
  text("op_name", F::op_name);
  text("source_file", F::source_file);
  number("source_line", F::source_line);
  number("source_end_line", F::end_line);
  number("source_column", F::column);
  number("source_end_column", F::end_column);
  text("deduplicated_name", F::deduplicated_name);
  text("scheduling_name", F::scheduling_name);
  number("stack_frame_id", F::stack_frame);
  return entries.empty() ? "" : ", metadata={" + join(entries, " ") + "}";
}

// Which computation is called by which key, in the order in which the proto lists them.
std::vector<std::string_view> keys_of(std::string_view opcode, bool by_truth) {
  if (opcode == "while") return {"body", "condition"};
  if (opcode == "select-and-scatter") return {"select", "scatter"};
  if (opcode == "conditional" && by_truth) return {"true_computation", "false_computation"};
  return {};
}

// The key that all are called by, in braces.
std::string_view list_key_of(std::string_view opcode) {
  return opcode == "conditional"   ? "branch_computations"
         : opcode == "custom-call" ? "called_computations"
                                   : std::string_view();
}

}  // namespace

InstructionLines::InstructionLines(std::vector<Message> instructions, const ModuleNames& names, bool& broken)
    : instructions_(std::move(instructions)), names_(names), broken_(broken) {
  places_.reserve(instructions_.size());
  for (size_t k = 0; k < instructions_.size(); ++k) places_.emplace(instructions_[k].number(I::id), k);
}

const Message* InstructionLines::find(int64_t id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &instructions_[found->second];
}

const Message& InstructionLines::root_of(int64_t id) const {
  const Message* found = find(id);
  return found == nullptr ? instructions_.back() : *found;
}

Result<std::string> InstructionLines::text(const std::vector<int64_t>& order, int64_t root) const {
  std::string out;
  const Message* const last = &root_of(root);
  const auto add = [&](const Message& instruction) -> Result<void> {
    TRY(const std::string line, this->line(instruction));
    out += (&instruction == last ? "  ROOT %" : "  %") + line + "\n";
    return {};
  };
  std::vector<bool> seen(instructions_.size());
  for (const int64_t id : order) {
    const auto found = places_.find(id);
    if (found == places_.end() || seen[found->second]) continue;
    seen[found->second] = true;
    TRY_VOID(add(instructions_[found->second]));
  }
  for (size_t k = 0; k < instructions_.size(); ++k)
    if (!seen[k]) TRY_VOID(add(instructions_[k]));
  return out;
}

std::string InstructionLines::signature(int64_t root) const {
  std::vector<const Message*> parameters;
  for (const Message& i : instructions_)
    if (i.bytes(I::opcode) == "parameter") parameters.push_back(&i);
  std::ranges::stable_sort(parameters, {}, [](const Message* p) { return p->number(I::parameter_number); });
  std::vector<std::string> words;
  for (const Message* p : parameters)
    words.push_back(name_text(p->bytes(I::name)) + ": " + shape_text(p->message(I::shape), false));
  return "(" + join(words, ", ") + ") -> " + shape_text(root_of(root).message(I::shape), false);
}

// What an async-start starts, and an -update or -done of it goes on with, where that is one operation.
std::optional<Message> InstructionLines::started_by(const Message& instruction) const {
  constexpr int kLongest = 64;  // updates of one start
  const Message* at = &instruction;
  for (int updates = 0; updates < kLongest && at != nullptr; ++updates) {
    if (async_end(at->bytes(I::opcode)).empty()) return std::nullopt;
    if (const std::vector<int64_t> ids = at->numbers(I::called_computation_ids); !ids.empty()) {
      const auto found = names_.started.find(ids.front());
      if (found == names_.started.end()) return std::nullopt;
      return Message(found->second, broken_);
    }
    const std::vector<int64_t> operands = at->numbers(I::operand_ids);
    at = operands.empty() ? nullptr : find(operands.front());
  }
  return std::nullopt;
}

Result<std::string> InstructionLines::line(const Message& i) const {
  std::string opcode(i.bytes(I::opcode));
  const std::optional<Message> started = started_by(i);
  if (started) opcode = std::string(started->bytes(I::opcode)) + std::string(async_end(opcode));
  if (opcode.empty() || !std::ranges::all_of(opcode, HloLexer::in_word))
    return at_instruction(i,
                          "got opcode " + c_escaped(opcode.substr(0, 40)) + ", expected an operation of HLO");
  TRY(const std::string inside, operands(i));
  std::string out = fmt::format("{} = {} {}({})", name_text(i.bytes(I::name)),
                                shape_text(i.message(I::shape)), opcode, inside);
  const bool ends = started && !opcode.ends_with("-start");
  if (!ends) {
    const Message& of = started ? *started : i;
    out += attributes_text(of, probe_of(opcode));
    TRY(const std::string called, this->called(of, of.bytes(I::opcode)));
    out += called;
  }
  if (i.has(I::control_predecessor_ids)) {
    TRY(const std::string before, names(i, I::control_predecessor_ids));
    if (!before.empty()) out += ", control-predecessors={" + before + "}";
  }
  return out + behind(i);
}

Result<std::string> InstructionLines::operands(const Message& i) const {
  const std::string_view opcode = i.bytes(I::opcode);
  if (opcode == "parameter") return std::to_string(i.number(I::parameter_number));
  if (opcode != "constant") return names(i, I::operand_ids);
  if (!i.has(I::literal)) return std::string("{...}");
  auto text = literal_text(i.message(I::literal));
  return text.ok() ? std::move(text) : at_instruction(i, text.error().what);
}

Result<std::string> InstructionLines::names(const Message& i, int field) const {
  std::string out;
  int64_t place = 0;
  for (const int64_t id : i.numbers(field)) {
    const Message* found = find(id);
    if (found == nullptr)
      return at_instruction(i, fmt::format("reads instruction {}, which its computation does not have", id));
    if (place > 0) out += ", ";
    if (place > 0 && place % 5 == 0 && field == I::operand_ids) out += fmt::format("/*index={}*/", place);
    out += "%" + name_text(found->bytes(I::name));
    ++place;
  }
  return out;
}

Result<std::string> InstructionLines::called(const Message& i, std::string_view opcode) const {
  std::vector<std::string> called;
  for (const int64_t id : i.numbers(I::called_computation_ids)) {
    const auto found = names_.computations.find(id);
    if (found == names_.computations.end())
      return at_instruction(i, fmt::format("calls computation {}, which the module does not have", id));
    called.push_back("%" + found->second);
  }
  if (called.empty()) return std::string();
  return called_names(i, opcode, called);
}

Result<std::string> InstructionLines::called_names(const Message& i, std::string_view opcode,
                                                   const std::vector<std::string>& called) const {
  const std::vector<int64_t> operands = i.numbers(I::operand_ids);
  const Message* choice = operands.empty() ? nullptr : find(operands.front());
  const bool by_truth =
      choice != nullptr && choice->message(I::shape).number(field::Shape::element_type) == kPredCode;
  if (const auto keys = keys_of(opcode, by_truth); keys.size() == called.size()) {
    std::string out;
    for (size_t k = 0; k < keys.size(); ++k) out += fmt::format(", {}={}", keys[k], called[k]);
    return out;
  }
  if (const std::string_view key = list_key_of(opcode); !key.empty())
    return fmt::format(", {}={{{}}}", key, join(called, ", "));
  if (called.size() != 1)
    return at_instruction(i, fmt::format("calls {} computations, expected one", called.size()));
  const bool applied = takes_attribute(probe_of(opcode), "to_apply");
  return fmt::format(", {}={}", applied ? "to_apply" : "calls", called.front());
}

// What does not depend on the operation.
std::string InstructionLines::behind(const Message& i) const {
  std::string out;
  if (const std::string said = frontend_text(i.message(I::frontend_attributes)); !said.empty())
    out += ", frontend_attributes=" + said;
  out += metadata_text(i.message(I::metadata));
  std::string_view config = i.bytes(I::backend_config);
  if (const Message payload = i.message(I::backend_payload); config.empty()) {
    config = payload.bytes(field::Pair::first);
    const auto at = static_cast<size_t>(payload.number(field::Pair::second));
    if (config.empty() && payload.has(field::Pair::second) && at < names_.payloads.size())
      config = names_.payloads[at];
  }
  return config.empty() ? out : out + ", backend_config=" + config_text(config);
}

}  // namespace shardscope::inline program::proto
