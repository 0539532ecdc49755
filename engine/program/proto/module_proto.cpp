// SPDX-License-Identifier: Apache-2.0
#include "engine/program/proto/module_proto.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/program/proto/hlo_fields.h"
#include "engine/program/proto/instruction_proto.h"
#include "engine/program/proto/proto_text.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program::proto {
namespace {

using field::HloModule;
using wire::Message;

constexpr size_t kLongestText = size_t{1} << 30;

// "{1, 0}: (2, {}, may-alias)".
std::string aliases_text(const Message& said) {
  using F = field::Alias;
  std::vector<std::string> out;
  for (const Message& e : said.messages(F::entries))
    out.push_back(fmt::format("{}: ({}, {}, {})", braced(e.numbers(F::output_index)), e.number(F::parameter),
                              braced(e.numbers(F::parameter_index)),
                              e.number(F::kind) == 2 ? "must-alias" : "may-alias"));
  return out.empty() ? "" : ", input_output_alias={ " + join(out, ", ") + " }";
}

std::string donors_text(const Message& said) {
  using F = field::Donor;
  std::vector<std::string> out;
  for (const Message& e : said.messages(F::entries))
    out.push_back(fmt::format("({}, {})", e.number(F::parameter), braced(e.numbers(F::index))));
  return out.empty() ? "" : ", buffer_donor={ " + join(out, ", ") + " }";
}

std::string layout_text(const Message& shape) {
  std::string parameters;
  int64_t place = 0;
  for (const Message& p : shape.messages(field::ProgramShape::parameters)) {
    if (place > 0) parameters += ", ";
    if (place > 0 && place % 5 == 0) parameters += fmt::format("/*index={}*/", place);
    parameters += shape_text(p);
    ++place;
  }
  return fmt::format(", entry_computation_layout={{({})->{}}}", parameters,
                     shape_text(shape.message(field::ProgramShape::result)));
}

std::string header_text(const Message& module) {
  const std::string name = name_text(module.bytes(HloModule::name));
  std::string out = "HloModule " + (name.empty() ? "module" : name);
  if (!module.bytes(HloModule::schedule).empty()) out += ", is_scheduled=true";
  out += aliases_text(module.message(HloModule::input_output_alias));
  out += donors_text(module.message(HloModule::buffer_donor));
  if (module.has(HloModule::host_program_shape))
    out += layout_text(module.message(HloModule::host_program_shape));
  const Message devices = module.message(HloModule::device_assignment);
  if (const int64_t n = devices.number(field::DeviceAssignment::replicas); n > 1)
    out += fmt::format(", replica_count={}", n);
  if (const int64_t n = devices.number(field::DeviceAssignment::computations); n > 1)
    out += fmt::format(", num_partitions={}", n);
  if (const std::string said = frontend_text(module.message(HloModule::frontend_attributes)); !said.empty())
    out += ", frontend_attributes=" + said;
  return out + "\n";
}

// FileNames, FunctionNames, FileLocations, StackFrames: rows are numbered from 1, and so are callers.
std::string tables_text(const Message& index) {
  using F = field::StackFrames;
  std::string out;
  const auto names = [&](const char* title, int field) {
    const std::vector<std::string_view> all = index.texts(field);
    if (!all.empty()) out += fmt::format("\n{}\n", title);
    for (size_t k = 0; k < all.size(); ++k) out += fmt::format("{} {}\n", k + 1, c_escaped(all[k]));
  };
  names("FileNames", F::file_names);
  names("FunctionNames", F::function_names);
  const std::vector<Message> places = index.messages(F::file_locations),
                             frames = index.messages(F::stack_frames);
  if (!places.empty()) out += "\nFileLocations\n";
  for (size_t k = 0; k < places.size(); ++k) {
    const Message& p = places[k];
    out += fmt::format(
        "{} {{file_name_id={} function_name_id={} line={} end_line={} column={} end_column={}}}\n", k + 1,
        p.number(F::file_name), p.number(F::function_name), p.number(F::line), p.number(F::end_line),
        p.number(F::column), p.number(F::end_column));
  }
  if (!frames.empty()) out += "\nStackFrames\n";
  for (size_t k = 0; k < frames.size(); ++k)
    out += fmt::format("{} {{file_location_id={} parent_frame_id={}}}\n", k + 1,
                       frames[k].number(F::location), frames[k].number(F::parent) + 1);
  return out.empty() ? out : out + "\n";
}

// Of a computation that is one operation on its parameters: that operation.
std::optional<std::string_view> only_operation(const Message& computation, bool& broken) {
  const int64_t root = computation.number(field::Computation::root_id);
  std::optional<std::string_view> out;
  for (const std::string_view bytes : computation.texts(field::Computation::instructions)) {
    const Message i(bytes, broken);
    const bool is_root = i.number(field::Instruction::id) == root;
    if (!is_root && i.bytes(field::Instruction::opcode) != "parameter") return std::nullopt;
    if (is_root) out = bytes;
  }
  return out;
}

class ModuleWriter {
 public:
  ModuleWriter(std::string_view bytes, const std::stop_token& stop) : module_(bytes, broken_), stop_(stop) {}

  Result<std::string> text() && {
    computations_ = module_.messages(HloModule::computations);
    if (computations_.empty()) return invalid("the module has no computations");
    names_.payloads = module_.texts(HloModule::payloads);
    for (const Message& c : computations_)
      names_.computations.emplace(c.number(field::Computation::id),
                                  name_text(c.bytes(field::Computation::name)));
    note_started();
    read_schedule();
    std::string out = header_text(module_) + tables_text(module_.message(HloModule::stack_frame_index));
    for (const Message& c : computations_) {
      if (stop_.stop_requested()) return cancelled();
      if (names_.started.contains(c.number(field::Computation::id))) continue;
      TRY(const std::string text, computation(c));
      out += "\n" + text;
      if (out.size() > kLongestText) return invalid("the module is longer than 1 GiB as text");
    }
    if (broken_) return invalid("the file is damaged: a part of the module ends in the middle");
    return out;
  }

 private:
  // Asynchronous operations that wrap a single one.
  void note_started() {
    std::unordered_map<int64_t, const Message*> by_id;
    for (const Message& c : computations_) by_id.emplace(c.number(field::Computation::id), &c);
    for (const Message& c : computations_) {
      for (const std::string_view bytes : c.texts(field::Computation::instructions)) {
        const Message i(bytes, broken_);
        if (i.bytes(field::Instruction::opcode) != "async-start") continue;
        for (const int64_t id : i.numbers(field::Instruction::called_computation_ids)) {
          const auto found = by_id.find(id);
          if (found == by_id.end()) continue;
          if (const auto only = only_operation(*found->second, broken_)) names_.started.emplace(id, *only);
        }
      }
    }
  }

  void read_schedule() {
    using F = field::Schedule;
    for (const Message& entry : module_.message(HloModule::schedule).messages(F::sequences))
      order_.emplace(entry.number(F::key), entry.message(F::value).numbers(F::instruction_ids));
  }

  bool is_entry(const Message& c) const {
    if (module_.has(HloModule::entry_computation_id))
      return c.number(field::Computation::id) == module_.number(HloModule::entry_computation_id);
    return c.bytes(field::Computation::name) == module_.bytes(HloModule::entry_computation_name);
  }

  Result<std::string> computation(const Message& c) {
    using F = field::Computation;
    const std::string name = name_text(c.bytes(F::name));
    std::vector<Message> instructions = c.messages(F::instructions);
    if (instructions.empty()) return invalid("computation '" + name + "' has no instructions");
    const InstructionLines lines(std::move(instructions), names_, broken_);
    const int64_t root = c.number(F::root_id);
    const auto ordered = order_.find(c.number(F::id));
    TRY(const std::string body,
        lines.text(ordered == order_.end() ? std::vector<int64_t>() : ordered->second, root));
    std::string out =
        (is_entry(c) ? "ENTRY %" : "%") + name + " " + lines.signature(root) + " {\n" + body + "}";
    const std::string_view thread = c.bytes(F::execution_thread);
    if (!thread.empty() && thread != "main") out += ", execution_thread=" + c_escaped(thread);
    return out + "\n";
  }

  bool broken_ = false;
  Message module_;
  std::stop_token stop_;
  std::vector<Message> computations_;
  ModuleNames names_;
  std::unordered_map<int64_t, std::vector<int64_t>> order_;  // of a scheduled module, by computation
};

bool is_module(std::string_view bytes) {
  bool broken = false;
  const Message module(bytes, broken);
  if (broken || !module.has(HloModule::computations)) return false;
  const Message first(module.texts(HloModule::computations).front(), broken);
  return !broken && first.has(field::Computation::instructions) && first.has(field::Computation::name);
}

}  // namespace

std::optional<std::string_view> module_in_proto(std::string_view bytes) {
  constexpr int kDeepest = 2;                 // a snapshot's proto's module
  std::optional<std::string_view> innermost;  // a proto's buffers may look like a module's computations
  for (int depth = 0; depth <= kDeepest; ++depth) {
    if (is_module(bytes)) innermost = bytes;
    bool broken = false;
    const Message outer(bytes, broken);
    if (broken || !outer.has(field::HloProto::hlo_module)) break;
    bytes = outer.bytes(field::HloProto::hlo_module);
  }
  return innermost;
}

Result<std::string> module_proto_text(std::string_view module, const std::stop_token& stop) {
  return ModuleWriter(module, stop).text();
}

}  // namespace shardscope::inline program::proto
