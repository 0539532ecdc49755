// SPDX-License-Identifier: Apache-2.0
// Which operations HLO has beside those of operations.def, and which attributes go with which operation.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "engine/program/text/attribute_values.h"
#include "engine/program/text/hlo_lexer.h"
#include "engine/program/text/hlo_refusals.h"

namespace shardscope::inline program {
namespace {

// Operations of HLO that we read and print, and know nothing else of.
constexpr std::string_view kNamedOnly[] = {
    "batch-norm-grad",
    "batch-norm-inference",
    "batch-norm-training",
    "dynamic-reshape",
    "infeed",
    "outfeed",
    "recv",
    "recv-done",
    "rng",
    "rng-get-and-update-state",
    "scaled-dot",
    "scan",
    "send",
    "send-done",
    "set-dimension-size",
    "stochastic-convert",
};

// The word of `operations` that names the operation, with its mark; "": none does.
std::string_view naming(std::string_view operations, std::string_view name) {
  for (size_t at = 0; at < operations.size();) {
    const size_t end = std::min(operations.find(' ', at), operations.size());
    const std::string_view word = operations.substr(at, end - at);
    if (word.starts_with(name) &&
        (word.size() == name.size() || word.substr(name.size()) == "!" || word.substr(name.size()) == "+"))
      return word;
    at = end + 1;
  }
  return {};
}

bool takes(std::string_view operations, std::string_view name) {
  return !naming(operations, name).empty() || !naming(operations, without_async(name)).empty();
}

// By key the operations of its rows; not of those that all have.
const std::unordered_map<std::string_view, std::string>& owners() {
  static const auto rows = [] {
    std::unordered_map<std::string_view, std::string> out;
    for (const AttributeRow& row : attribute_rows()) out[row.key] += " " + std::string(row.operations);
    for (const AttributeRow& row : attribute_rows())
      if (row.operations.empty()) out.erase(row.key);
    return out;
  }();
  return rows;
}

// What the table says of an opcode.
struct OfOpcode {
  std::vector<std::string_view> needed;
  std::vector<AttributeText> texts;
  std::unordered_set<std::string_view> refused;
};

OfOpcode of_opcode(Opcode opcode) {
  const std::string_view name = opcode_text(opcode);
  OfOpcode out;
  for (const auto& [key, operations] : owners())
    if (is_known(opcode) && !takes(operations, name)) out.refused.insert(key);
  for (const AttributeRow& row : attribute_rows()) {
    const std::string_view named = is_known(opcode) ? naming(row.operations, name) : "";
    if (named.ends_with('!')) out.needed.push_back(row.key);
    const AttributeValue::Kind kind = row.value->kind;
    if (kind == AttributeValue::Kind::verbatim || kind == AttributeValue::Kind::by_reader) continue;
    const bool own = kind == AttributeValue::Kind::own;
    if (own ? !named.empty() : !out.refused.contains(row.key))
      out.texts.push_back({row.key, row.value, named.size() > name.size()});
  }
  return out;
}

const OfOpcode& said_of(Opcode opcode) {
  static const auto rows = [] {
    std::vector<OfOpcode> out;
    for (const Operation& o : operations()) out.push_back(of_opcode(o.opcode));
    return out;
  }();
  return rows[static_cast<size_t>(opcode)];
}

}  // namespace

// What an asynchronous operation carries out: "add" of "add-start", "async" of async-start.
std::string_view without_async(std::string_view name) {
  for (const std::string_view end : {"-start", "-update", "-done"})
    if (name.ends_with(end)) return name.substr(0, name.size() - end.size());
  return name;
}

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const bool starts = at == 0 || words[at - 1] == ' ';
    const size_t end = at + word.size();
    if (starts && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

bool is_hlo_opcode(std::string_view name) {
  static const std::unordered_set<std::string_view> named(std::begin(kNamedOnly), std::end(kNamedOnly));
  const std::string_view plain = without_async(name);
  return is_known(parse_opcode(name)) || is_known(parse_opcode(plain)) || named.contains(name) ||
         named.contains(plain);
}

bool takes_attribute(const Instruction& instruction, std::string_view key) {
  if (is_known(instruction.opcode)) return !said_of(instruction.opcode).refused.contains(key);
  const auto row = owners().find(key);
  return row == owners().end() || takes(row->second, instruction.opcode_name) ||
         (key == "calls" && without_async(instruction.opcode_name) != instruction.opcode_name);
}

std::span<const std::string_view> needed_attributes(Opcode opcode) {
  return said_of(opcode).needed;
}

const std::vector<AttributeText>& attribute_texts(Opcode opcode) {
  return said_of(opcode).texts;
}

bool read_texts(Opcode opcode, const Instruction& from, Instruction& into) {
  for (const AttributeText& attribute : attribute_texts(opcode)) {
    if (attribute.value->kind != AttributeValue::Kind::own) continue;
    const std::string* text = verbatim_attribute(from, attribute.key);
    if (text == nullptr) continue;
    HloLexer lexer(*text, "<attribute>");
    if (!attribute.value->read(lexer, into).ok()) return false;
  }
  return true;
}

const AttributeText* find_text(Opcode opcode, std::string_view key) {
  const auto& texts = attribute_texts(opcode);
  const auto found = std::ranges::find(texts, key, &AttributeText::key);
  return found == texts.end() ? nullptr : &*found;
}

}  // namespace shardscope::inline program
