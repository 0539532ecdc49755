// SPDX-License-Identifier: Apache-2.0
// What attributes say of any operation: its sharding, its place in the user's code, frontend attributes.
#include <algorithm>
#include <vector>

#include "engine/base/text.h"
#include "engine/program/mlir/mlir_lowering.h"
#include "engine/program/mlir/mlir_values.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope {
namespace {

constexpr int kMostLocations = 16;  // one inside the other

struct Source {
  std::string name, file, line;
};

void follow(MlirLexer& whole, const MlirModule& module, std::string_view text, Source& into, int depth);

// The parts of "callsite(a at b)" or "fused[a, b]": the first, which is the innermost.
void follow_first(MlirLexer& whole, const MlirModule& module, MlirLexer& lexer, Source& into, int depth) {
  if (lexer.starts_with("<") && !lexer.bracket().ok()) return;
  const auto inner = lexer.bracket();
  if (!inner.ok() || inner->size() < 2) return;
  std::string_view text = inner->substr(1, inner->size() - 2);
  text = text.substr(0, std::min(text.find(" at "), text.size()));
  const auto part = whole.within(text).balanced(",");
  if (part.ok()) follow(whole, module, *part, into, depth + 1);
}

// "\"name\"(at)", "\"file\":7:6 to :30", "#loc2", "loc(…)", "callsite(a at b)", "fused[…]", "unknown".
void follow(MlirLexer& whole, const MlirModule& module, std::string_view text, Source& into, int depth) {
  if (depth >= kMostLocations || text.empty()) return;
  if (text.front() == '#') {
    const auto found = module.attribute_aliases.find(text.substr(1));
    if (found != module.attribute_aliases.end()) follow(whole, module, found->second, into, depth + 1);
    return;
  }
  MlirLexer lexer = whole.within(text);
  if (lexer.peek() != '"') {
    const std::string_view word = lexer.word();
    if (word == "loc" || word == "callsite" || word == "fused")
      follow_first(whole, module, lexer, into, depth);
    return;
  }
  const auto quoted = lexer.expect_quoted("a name");
  if (!quoted.ok()) return;
  if (lexer.accept(":")) {
    const auto line = lexer.integer();
    if (!line || !into.file.empty()) return;
    into.file = mlir_unescaped(*quoted);
    into.line = std::to_string(*line);
    return;
  }
  if (into.name.empty()) into.name = mlir_unescaped(*quoted);
  if (!lexer.starts_with("(")) return;
  const auto inner = lexer.bracket();
  if (inner.ok()) follow(whole, module, trim(inner->substr(1, inner->size() - 2)), into, depth + 1);
}

// The entries of a dictionary in HLO's form: "{a=\"1\",b=\"x\"}".
Result<std::string> frontend_entries(const MlirLexer& lexer, std::string_view dictionary) {
  TRY(const std::vector<MlirAttribute> entries, mlir_entries(lexer, dictionary));
  std::vector<std::string> out;
  for (const MlirAttribute& entry : entries)
    out.push_back(std::string(entry.key) + "=" + quote(mlir_string(entry.value)));
  return join(out, ",");
}

}  // namespace

// op_name, and the rest of metadata's text.
const std::pair<std::string, std::string>& MlirLowering::source_of(std::string_view location) {
  if (const auto known = sources_.find(location); known != sources_.end()) return known->second;
  Source source;
  follow(lexer_, module_, location, source, 0);
  std::string rest;
  if (!source.file.empty()) rest = "{source_file=" + quote(source.file) + " source_line=" + source.line + "}";
  return sources_[location] = {std::move(source.name), std::move(rest)};
}

Result<void> MlirLowering::annotate(const MlirOp& op, const ManualAxes& manual, Instruction& i) {
  std::string frontend;
  for (const MlirAttribute& a : op.attributes) {
    TRY_VOID(set_sharding(a, manual, i));
    if (a.key == "mhlo.frontend_attributes") {
      TRY(frontend, frontend_entries(lexer_, a.value));
    }
  }
  if (!frontend.empty()) {
    auto& verbatim = i.verbatim.edit();
    const auto own = std::ranges::find(verbatim, "frontend_attributes", &VerbatimAttribute::key);
    if (own == verbatim.end()) {
      verbatim.push_back({"frontend_attributes", "{" + frontend + "}"});
    } else {
      own->value.insert(own->value.size() - 1, "," + frontend);
    }
  }
  if (op.location.empty()) return {};
  const auto& [name, rest] = source_of(op.location);
  i.provenance.edit().op_name = name;
  if (!rest.empty()) i.verbatim.edit().push_back({"metadata", rest});
  return {};
}

// mhlo.sharding as it is; sdy.sharding as XLA's, and as it is among the frontend attributes.
Result<void> MlirLowering::set_sharding(const MlirAttribute& said, const ManualAxes& manual, Instruction& i) {
  if (said.key == "mhlo.sharding") {
    const std::string text = mlir_string(said.value);
    if (text.empty() || text.front() != '{') return {};  // serialised bytes of a long one
    if (!text.starts_with("{{") && text != "{}") {
      auto sharding = HloSharding::parse(text);
      if (!sharding.ok()) return lexer_.error_at(lexer_.place_of(said.value), sharding.error().what);
      i.sharding = *std::move(sharding);
      return {};
    }
    auto tuple = HloSharding::parse_tuple(text);
    if (!tuple.ok()) return lexer_.error_at(lexer_.place_of(said.value), tuple.error().what);
    // The state of a loop may have more arrays than the text says: what its body uses from outside.
    std::string whole = text;
    for (size_t k = tuple->size(); k < i.shape.elements.size(); ++k)
      whole.insert(whole.size() - 1, k == 0 ? "{replicated}" : ", {replicated}");
    i.verbatim.edit().push_back({"sharding", std::move(whole)});
    return {};
  }
  if (said.key != "sdy.sharding") return {};
  std::vector<std::string_view> texts = {said.value};
  TRY(const std::string_view resolved, module_.resolved(lexer_, said.value));
  const bool per_value = resolved.starts_with("#sdy.sharding_per_value");
  if (per_value) {
    TRY(texts, shardings_.per_value(resolved));
  }
  if (texts.empty()) return {};
  std::vector<std::string> tuple;
  for (size_t k = 0; k < texts.size(); ++k) {
    const Shape* shape = &i.shape;
    if (shape->is_tuple && k < shape->elements.size()) shape = &shape->elements[k];
    TRY(SdySharding sharding, shardings_.read(texts[k], shape->rank(), manual));
    tuple.push_back(sharding.hlo.text());
    if (!i.shape.is_tuple) i.sharding = std::move(sharding.hlo);
  }
  i.verbatim.edit().push_back({"frontend_attributes", "{xla.sdy.sharding=" + quote(resolved) + "}"});
  if (!i.shape.is_tuple) return {};
  for (size_t k = tuple.size(); k < i.shape.elements.size(); ++k) tuple.emplace_back("{replicated}");
  auto& verbatim = i.verbatim.edit();
  verbatim.insert(verbatim.end() - 1, {"sharding", "{" + join(tuple, ", ") + "}"});
  return {};
}

}  // namespace shardscope
