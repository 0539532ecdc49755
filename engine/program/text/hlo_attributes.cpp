// SPDX-License-Identifier: Apache-2.0
#include "engine/program/text/hlo_attributes.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/text/attribute_values.h"
#include "engine/program/text/hlo_entries.h"
#include "engine/program/text/hlo_refusals.h"
#include "engine/sharding/sharding_text.h"

namespace shardscope::inline program {
namespace {

// "b?01f_01io->b01f?": dimensions that nobody knows are kept as they are written.
bool has_unknown_labels(HloLexer& lexer) {
  const size_t start = lexer.position();
  const auto text = lexer.balanced();
  lexer.rewind(start);
  return text.ok() && text->find('?') != std::string_view::npos &&
         text->find_first_not_of("bfio0123456789?_->") == std::string_view::npos;
}

// The number that an entry of our own says.
int32_t* own_number(std::string_view entry, Instruction& i) {
  if (entry == "shardscope.step") return &i.provenance.edit().step;
  if (entry == "shardscope.part") return &i.provenance.edit().part;
  return entry == "shardscope.round" ? &i.provenance.edit().round : nullptr;
}

}  // namespace

Result<void> HloAttributeReader::read(Instruction& instruction) {
  const size_t start = lexer_.position();
  TRY(const std::string_view key, lexer_.expect_word("an attribute"));
  if (std::ranges::find(seen_, key) != seen_.end())
    return lexer_.error_at(start, "attribute '" + std::string(key) + "' stands twice");
  seen_.push_back(key);
  if (!takes_attribute(instruction, key))
    return lexer_.error_at(start, "'" + instruction.name + "' has an attribute '" + std::string(key) +
                                      "', which is none of its operation");
  if (!lexer_.accept("=")) {
    instruction.verbatim.edit().push_back({shared_key(key), ""});
    return {};
  }
  const AttributeText* text = find_text(instruction.opcode, key);
  const AttributeValue* value = text == nullptr ? nullptr : text->value;
  if (value != nullptr && value->kind == AttributeValue::Kind::callee) return read_callee(key, instruction);
  if (value != nullptr && value->kind == AttributeValue::Kind::callees) return read_callees(key, instruction);
  if (value != nullptr && (key != "dim_labels" || !has_unknown_labels(lexer_)))
    return value->read(lexer_, instruction);
  const size_t value_start = lexer_.position();
  for (const auto reader : {&HloAttributeReader::read_known, &HloAttributeReader::read_entry_lists}) {
    TRY(const bool known, (this->*reader)(key, instruction));
    if (known) return {};
  }
  lexer_.rewind(value_start);
  TRY(const std::string_view written, lexer_.balanced());
  if (written.empty()) return lexer_.expected("a value of " + std::string(key));
  instruction.verbatim.edit().push_back({shared_key(key), std::string(written)});
  return {};
}

// A custom-call that stands for an operation of ours becomes it.
void HloAttributeReader::settle(Instruction& instruction) const {
  const auto* call = std::get_if<CustomCall>(&*instruction.attributes);
  if (call == nullptr || !call->target.starts_with("chlo.")) return;
  const Opcode called = parse_opcode(call->target);
  if (!is_known(called) || !instruction.called.empty()) return;
  instruction.opcode = called;
  instruction.attributes = {};
}

std::optional<std::string> HloAttributeReader::missing(const Instruction& instruction) const {
  for (const std::string_view key : needed_attributes(instruction.opcode))
    if (std::ranges::find(seen_, key) == seen_.end())
      return "'" + instruction.name + "' has no attribute '" + std::string(key) + "'";
  return std::nullopt;
}

Result<bool> HloAttributeReader::read_known(std::string_view key, Instruction& instruction) {
  if (key == "replica_groups") {
    TRY_VOID(read_groups(instruction));
    const ReplicaGroups& read = instruction.replica_groups;
    if (!is_known(instruction.opcode) && read.tiles.devices.empty() && read.ragged.empty())
      instruction.verbatim.edit().push_back({shared_key(key), "{}"});
  } else if (key == "source_target_pairs") {
    TRY_VOID(read_permutation(instruction));
  } else if (key == "sharding") {
    return read_sharding(instruction);
  } else {
    return false;
  }
  return true;
}

const Rare<std::string>& HloAttributeReader::shared_key(std::string_view key) {
  Rare<std::string>& known = keys_[key];
  if (known.empty()) known = std::string(key);
  return known;
}

// The same text again is not read again: layers of a model repeat it.
Result<bool> HloAttributeReader::read_metadata(Instruction& instruction) {
  const size_t start = lexer_.position();
  const auto text = lexer_.balanced();
  auto known = text.ok() ? metadata_.find(*text) : metadata_.end();
  if (known == metadata_.end()) {
    lexer_.rewind(start);
    Metadata read;
    const auto take = [&](std::string_view name, const std::string& value) -> Result<bool> {
      if (name != "op_name") return false;
      read.provenance.edit().op_name = value;
      return true;
    };
    TRY(std::string others, read_entries(lexer_, ' ', take));
    if (!others.empty()) read.others.edit().push_back({shared_key("metadata"), std::move(others)});
    known = metadata_.emplace(lexer_.between(start, lexer_.end_of_token()), std::move(read)).first;
  }
  const Metadata& of = known->second;
  if (instruction.provenance.empty()) {
    instruction.provenance = of.provenance;
  } else {
    instruction.provenance.edit().op_name = of.provenance->op_name;
  }
  if (instruction.verbatim.empty()) {
    instruction.verbatim = of.others;
  } else if (!of.others.empty()) {
    instruction.verbatim.edit().push_back(of.others.front());
  }
  return true;
}

Result<void> HloAttributeReader::read_groups(Instruction& instruction) {
  const size_t start = lexer_.position();
  const bool by_axes = lexer_.starts_with("mesh");
  if (by_axes || lexer_.peek() == '[') {
    TRY(std::string_view text, lexer_.balanced());
    if (by_axes && text.ends_with(']')) {  // the order of its devices, behind a comma, and the axes
      TRY_VOID(lexer_.expect(","));
      TRY_VOID(lexer_.balanced());
      text = lexer_.between(start, lexer_.end_of_token());
    }
    if (const auto known = groups_.find(text); known != groups_.end()) {
      instruction.replica_groups = known->second;
      return {};
    }
    auto tiles = by_axes ? parse_axis_groups(text) : parse_tile_assignment(text);
    if (!tiles.ok()) return lexer_.error_at(start, "replica_groups: " + tiles.error().what);
    if (tiles->dims.size() != 2)
      return lexer_.error_at(
          start, "replica_groups of rank " + std::to_string(tiles->dims.size()) + ", expected [groups,size]");
    ReplicaGroups read;
    read.tiles = *std::move(tiles);
    if (by_axes) read.written = std::string(text);
    instruction.replica_groups = groups_.emplace(text, std::move(read)).first->second;
    return {};
  }
  return read_group_lists(instruction);
}

Result<void> HloAttributeReader::read_group_lists(Instruction& instruction) {
  TRY_VOID(lexer_.expect("{"));
  if (lexer_.accept("}")) return {};
  std::vector<std::vector<int64_t>> lists;
  do {
    const size_t place = lexer_.position();
    TRY(std::vector<int64_t> list, read_int_list(lexer_));
    if (list.empty()) return lexer_.error_at(place, "empty replica group, expected device numbers");
    lists.push_back(std::move(list));
  } while (lexer_.accept(","));
  TRY_VOID(lexer_.expect("}"));
  ReplicaGroups groups;
  groups.listed = true;
  const size_t size = lists.front().size();
  if (std::all_of(lists.begin(), lists.end(), [&](const auto& list) { return list.size() == size; })) {
    groups.tiles.dims = {static_cast<int64_t>(lists.size()), static_cast<int64_t>(size)};
    std::vector<int64_t>& all = groups.tiles.devices.edit();
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  } else {
    groups.ragged = std::move(lists);
  }
  instruction.replica_groups = std::move(groups);
  return {};
}

// Where the module does not say how many there are (replicas are devices too), those that the pairs name.
int64_t HloAttributeReader::devices_of(const std::vector<SourceTarget>& pairs) const {
  int64_t devices = program_.mesh.device_count();
  if (devices > 1) return devices;
  for (const SourceTarget& pair : pairs)
    devices = std::max(devices, int64_t{std::max(pair.source.value, pair.target.value)} + 1);
  return devices;
}

Result<void> HloAttributeReader::read_permutation(Instruction& instruction) {
  const size_t start = lexer_.position();
  TRY(const std::string_view text, lexer_.balanced());
  const auto found = permutations_.find(text);
  if (found != permutations_.end()) {
    instruction.permutation = found->second;
    return {};
  }
  lexer_.rewind(start);
  TRY_VOID(lexer_.expect("{"));
  std::vector<SourceTarget> pairs;
  while (!lexer_.accept("}")) {
    const size_t place = lexer_.position();
    TRY(const std::vector<int64_t> pair, read_int_list(lexer_));
    if (pair.size() != 2)
      return lexer_.error_at(place, "got " + std::to_string(pair.size()) + " numbers, expected a pair");
    for (const int64_t device : pair)
      if (device < 0 || device >= Mesh::kMaxDevices)
        return lexer_.error_at(place, "device " + std::to_string(device) + " is out of range");
    pairs.push_back({DeviceId(pair[0]), DeviceId(pair[1])});
    if (!lexer_.accept(",") && !lexer_.starts_with("}")) return lexer_.expected("',' or '}'");
  }
  auto permutation = Permutation::make(pairs, devices_of(pairs));
  if (!permutation.ok() && instruction.operands.size() > 1) {  // in place a device may send several parts
    instruction.verbatim.edit().push_back({shared_key("source_target_pairs"), std::string(text)});
    return {};
  }
  if (!permutation.ok()) return lexer_.error_at(start, permutation.error().what);
  instruction.permutation = std::make_shared<const Permutation>(*std::move(permutation));
  permutations_.emplace(text, instruction.permutation);
  return {};
}

// A tuple's shardings, named (V3) shardings and sharding groups are kept verbatim.
Result<bool> HloAttributeReader::read_sharding(Instruction& instruction) {
  const size_t start = lexer_.position();
  TRY(const std::string_view text, lexer_.balanced());
  if (verbatim_shardings_.contains(text)) return false;
  if (const auto known = shardings_.find(text); known != shardings_.end()) {
    instruction.sharding = known->second.value;
    instruction.sharding_text = known->second.text;
    return true;
  }
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (is_tuple_sharding(text)) {
    const auto leaves = HloSharding::parse_tuple(text);
    if (!leaves.ok()) return lexer_.error_at(start, "sharding: " + leaves.error().what);
    verbatim_shardings_.insert(text);
    return false;
  }
  auto sharding = HloSharding::parse(text);
  if (!sharding.ok()) return lexer_.error_at(start, "sharding: " + sharding.error().what);
  if (has("mesh") || has("metadata") || has("shard_") || has("/*")) {
    verbatim_shardings_.insert(text);
    return false;
  }
  Rare<std::string> written;
  if (text != sharding->text()) written = std::string(text);
  instruction.sharding = *std::move(sharding);
  shardings_.emplace(text, Sharding{instruction.sharding, written});
  instruction.sharding_text = written;
  return true;
}

Result<void> HloAttributeReader::read_callees(std::string_view key, Instruction& instruction) {
  TRY_VOID(lexer_.expect("{"));
  if (lexer_.accept("}")) return {};
  do {
    TRY_VOID(read_callee(key, instruction));
  } while (lexer_.accept(","));
  return lexer_.expect("}");
}

Result<void> HloAttributeReader::read_callee(std::string_view key, Instruction& instruction) {
  const size_t start = lexer_.position();
  if (lexer_.peek() == '{') {
    TRY(const ComputationId made, read_inline_(instruction.name + "." + std::string(key)));
    instruction.called.edit().push_back({shared_key(key), made});
    return {};
  }
  lexer_.accept("%");
  TRY(const std::string_view name, lexer_.expect_word("a computation"));
  const auto found = computations_.find(name);
  if (found == computations_.end())
    return lexer_.error_at(
        start, std::string(key) + ": got '" + std::string(name) + "', expected a computation defined above");
  instruction.called.edit().push_back({shared_key(key), found->second});
  return {};
}

Result<bool> HloAttributeReader::read_entry_lists(std::string_view key, Instruction& instruction) {
  if ((key != "metadata" && key != "frontend_attributes") || lexer_.peek() != '{') return false;
  if (key == "metadata") return read_metadata(instruction);
  const auto take = [&](std::string_view name, const std::string& value) -> Result<bool> {
    if (name == "shardscope.algorithm") {
      instruction.algorithm = value;
    } else if (name == "shardscope.rooted") {
      instruction.rooted = value == "true";
    } else if (name == "shardscope.source") {
      instruction.provenance.edit().source = value;
    } else if (name == "shardscope.text_value") {
      instruction.text_name.edit().value = value;
    } else if (name == "shardscope.text_instruction") {
      instruction.text_name.edit().instruction = value;
    } else if (int32_t* number = own_number(name, instruction)) {
      const auto said = parse_int(value);
      if (!said || *said < 0 || *said > INT32_MAX)
        return invalid(std::string(name.substr(name.find('.') + 1)) + " '" + value +
                       "', expected a number from 0");
      *number = static_cast<int32_t>(*said);
    } else {
      return false;
    }
    return true;
  };
  TRY(std::string others, read_entries(lexer_, ',', take));
  if (!others.empty()) instruction.verbatim.edit().push_back({shared_key(key), std::move(others)});
  return true;
}

}  // namespace shardscope::inline program
