// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/mlir_annotate.h"

#include <algorithm>

#include "engine/base/text.h"
#include "engine/program/mlir/mlir_location.h"
#include "engine/program/mlir/mlir_values.h"
#include "engine/program/proto/proto_text.h"
#include "engine/program/text/hlo_lexer.h"

namespace shardscope::inline program {
namespace {

// The entries of a dictionary in HLO's form: "{a=\"1\",b=\"x\"}".
Result<std::string> frontend_entries(const MlirLexer& lexer, std::string_view dictionary) {
  TRY(const std::vector<MlirAttribute> entries, mlir_entries(lexer, dictionary));
  std::vector<std::string> out;
  for (const MlirAttribute& entry : entries)
    out.push_back(std::string(entry.key) + "=" + quote(mlir_string(entry.value)));
  return join(out, ",");
}

// Attributes of a dialect that is not the operation's own: "my.hint". Those whose meaning is read elsewhere
// are none of them.
bool is_discardable(std::string_view key) {
  constexpr std::string_view kRead[] = {
      "mhlo.attributes", "mhlo.backend_config", "mhlo.frontend_attributes", "mhlo.sharding",
      "mhlo.version",    "sdy.sharding",        "tf.aliasing_output",       "jax.buffer_donor"};
  return key.find('.') != std::string_view::npos && std::ranges::count(kRead, key) == 0;
}

// Among the frontend attributes, where XLA keeps what it does not know itself; Shardy's under XLA's names.
std::string kept_attribute(const MlirAttribute& said) {
  const std::string key = (said.key.starts_with("sdy.") ? "xla." : "") + std::string(said.key);
  return key + "=" + quote(said.value.empty() ? "true" : mlir_string(said.value));
}

VerbatimAttribute in_shardys_words(std::string_view sharding) {
  return {"frontend_attributes", "{xla.sdy.sharding=" + quote(sharding) + "}"};
}

}  // namespace

// op_name, and the rest of metadata's text.
const std::pair<std::string, std::string>& MlirAnnotator::source_of(std::string_view location) {
  if (const auto known = sources_.find(location); known != sources_.end()) return known->second;
  MlirSource source = mlir_source(lexer_, module_, location);
  std::string rest;
  if (!source.file.empty()) rest = "{source_file=" + quote(source.file) + " source_line=" + source.line + "}";
  return sources_[location] = {std::move(source.name), std::move(rest)};
}

Result<void> MlirAnnotator::attributes(const std::vector<MlirAttribute>& said, const ManualAxes& manual,
                                       Instruction& i) {
  std::vector<std::string> frontend;
  for (const MlirAttribute& a : said) {
    TRY_VOID(sharding(a, manual, i));
    if (a.key == "mhlo.frontend_attributes") {
      TRY(std::string entries, frontend_entries(lexer_, a.value));
      if (!entries.empty()) frontend.push_back(std::move(entries));
    } else if (is_discardable(a.key)) {
      frontend.push_back(kept_attribute(a));
    }
  }
  if (frontend.empty()) return {};
  auto& verbatim = i.verbatim.edit();
  const auto own = std::ranges::find(verbatim, "frontend_attributes", &VerbatimAttribute::key);
  if (own == verbatim.end()) {
    verbatim.push_back({"frontend_attributes", "{" + join(frontend, ",") + "}"});
  } else {
    own->value.insert(own->value.size() - 1, "," + join(frontend, ","));
  }
  return {};
}

void MlirAnnotator::location(std::string_view location, Instruction& i) {
  if (location.empty()) return;
  const auto& [name, rest] = source_of(location);
  i.provenance.edit().op_name = name;
  if (!rest.empty()) i.verbatim.edit().push_back({"metadata", rest});
}

// JAX writes a long sharding as the bytes of its message.
Result<std::string> MlirAnnotator::unpacked_sharding(const std::string& bytes,
                                                     const MlirAttribute& said) const {
  bool broken = false;
  std::string text = proto::sharding_text(wire::Message(bytes, broken));
  if (broken) return lexer_.error_at(lexer_.place_of(said.value), "neither a sharding nor the bytes of one");
  return text;
}

// mhlo.sharding as it is; sdy.sharding as XLA's, and as it is among the frontend attributes.
Result<void> MlirAnnotator::sharding(const MlirAttribute& said, const ManualAxes& manual, Instruction& i) {
  if (said.key == "mhlo.sharding") {
    std::string text = mlir_string(said.value);
    if (text.empty()) return {};
    if (text.front() != '{') {
      TRY(text, unpacked_sharding(text, said));
    }
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
  if (!i.shape.is_tuple) return array_sharding(texts.back(), resolved, manual, i);
  std::vector<std::string> tuple;
  for (size_t k = 0; k < texts.size(); ++k) {
    const Shape& shape = k < i.shape.elements.size() ? i.shape.elements[k] : i.shape;
    TRY(const SdySharding sharding, shardings_.read(texts[k], shape.rank(), manual));
    tuple.push_back(sharding.hlo.text());
  }
  i.verbatim.edit().push_back(in_shardys_words(resolved));
  for (size_t k = tuple.size(); k < i.shape.elements.size(); ++k) tuple.emplace_back("{replicated}");
  auto& verbatim = i.verbatim.edit();
  verbatim.insert(verbatim.end() - 1, {"sharding", "{" + join(tuple, ", ") + "}"});
  return {};
}

// Outside of manual computations the same few are said of many arrays, which share them.
Result<void> MlirAnnotator::array_sharding(std::string_view text, std::string_view words,
                                           const ManualAxes& manual, Instruction& i) {
  ArraySharding* known = nullptr;
  if (manual.empty()) {
    const auto [at, added] = array_shardings_.try_emplace({words, i.shape.rank()});
    known = &at->second;
    if (!added && known->hlo && i.verbatim.empty()) {
      i.sharding = known->hlo;
      i.verbatim = known->verbatim;
      return {};
    }
  }
  TRY(SdySharding sharding, shardings_.read(text, i.shape.rank(), manual));
  i.sharding = std::move(sharding.hlo);
  i.verbatim.edit().push_back(in_shardys_words(words));
  if (known != nullptr && i.verbatim.size() == 1) *known = {i.sharding, i.verbatim};
  return {};
}

}  // namespace shardscope::inline program
