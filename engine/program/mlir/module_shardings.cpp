// SPDX-License-Identifier: Apache-2.0
#include "engine/program/mlir/module_shardings.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/say.h"
#include "engine/program/ir/dimension_numbers.h"
#include "engine/program/mlir/mlir_sharding.h"
#include "engine/program/mlir/mlir_values.h"
#include "engine/program/text/hlo_entries.h"

namespace shardscope::inline program {
namespace {

void add_leaf_shapes(const Shape& shape, std::vector<const Shape*>& out) {
  if (!shape.is_tuple) {
    out.push_back(&shape);
    return;
  }
  for (const Shape& element : shape.elements) add_leaf_shapes(element, out);
}

// Older prints escape the quotes of such a text once more.
std::string plain_sdy(const std::string& text) {
  return text.find('\\') == std::string::npos ? text : mlir_unescaped(text);
}

std::string meshes_of(const Program& module) {
  return plain_sdy(frontend_attribute(module.verbatim, "xla.sdy.meshes").value_or(""));
}

}  // namespace

std::optional<std::string> frontend_attribute(const std::vector<VerbatimAttribute>& verbatim,
                                              std::string_view key) {
  std::optional<std::string> out;
  for (const VerbatimAttribute& a : verbatim) {
    if (a.key != "frontend_attributes" || a.value.find(key) == std::string::npos) continue;
    HloLexer lexer(a.value, "frontend_attributes");
    const auto read = read_entries(lexer, ',', [&](std::string_view k, const std::string& value) {
      if (k == key) out = value;
      return Result<bool>(false);
    });
    if (!read.ok()) return std::nullopt;
  }
  return out;
}

std::vector<VerbatimAttribute> with_frontend_attribute(std::vector<VerbatimAttribute> verbatim,
                                                       std::string_view key,
                                                       const std::optional<std::string>& value) {
  std::string entry = value ? std::string(key) + "=" + quote(*value) : "";
  for (VerbatimAttribute& a : verbatim) {
    if (a.key != "frontend_attributes") continue;
    HloLexer lexer(a.value, "frontend_attributes");
    auto others = read_entries(lexer, ',', [&](std::string_view k, const std::string&) { return k == key; });
    if (!others.ok()) continue;
    if (others->size() <= 2) {
      a.value = entry.empty() ? "" : "{" + entry + "}";
    } else {
      a.value = *std::move(others);
      if (!entry.empty()) a.value.insert(a.value.size() - 1, "," + entry);
    }
    entry.clear();
  }
  std::erase_if(verbatim,
                [](const VerbatimAttribute& a) { return a.key == "frontend_attributes" && a.value.empty(); });
  if (!entry.empty()) verbatim.push_back({"frontend_attributes", "{" + entry + "}"});
  return verbatim;
}

std::vector<VerbatimAttribute> without_sdy_attributes(std::vector<VerbatimAttribute> verbatim) {
  for (VerbatimAttribute& a : verbatim) {
    if (a.key != "frontend_attributes" || a.value.find("xla.sdy.") == std::string::npos) continue;
    HloLexer lexer(a.value, "frontend_attributes");
    auto others = read_entries(
        lexer, ',', [](std::string_view key, const std::string&) { return key.starts_with("xla.sdy."); });
    a.value = others.ok() && others->size() > 2 ? *std::move(others) : "";
  }
  std::erase_if(verbatim,
                [](const VerbatimAttribute& a) { return a.key == "frontend_attributes" && a.value.empty(); });
  return verbatim;
}

// All texts one behind the other, as the reader of StableHLO wants them: views into one text.
struct ModuleShardings::Reader {
  Reader(std::string whole, std::string_view meshes) : text(std::move(whole)), lexer(text, "<sharding>") {
    const auto named = meshes.empty() ? Result<std::vector<MlirAttribute>>(std::vector<MlirAttribute>())
                                      : mlir_entries(lexer, view(0, meshes.size()));
    if (!named.ok()) return;
    for (const MlirAttribute& mesh : *named) module.meshes.push_back({mesh.key, mesh.value});
    if (!shardings.read_meshes().ok()) module.meshes.clear();
  }
  std::string_view view(size_t start, size_t size) const {
    return std::string_view(text).substr(start, size);
  }

  std::string text;
  MlirModule module;
  MlirLexer lexer;
  SdyShardings shardings{lexer, module};
  std::unordered_map<std::string, std::pair<size_t, size_t>> places;  // of a sharding's text
};

std::vector<std::string> sdy_names_in(std::string_view text) {
  std::vector<std::string> out;
  const std::string plain = plain_sdy(std::string(text));
  for (size_t open = plain.find('"'); open != std::string::npos;) {
    const size_t close = plain.find('"', open + 1);
    if (close == std::string::npos) break;
    out.push_back(plain.substr(open + 1, close - open - 1));
    open = plain.find('"', close + 1);
  }
  return out;
}

std::string sdy_words(std::string_view sharding) {
  return (sharding.starts_with("#") ? "" : "#sdy.sharding") + std::string(sharding);
}

std::string edge_words(std::string_view sharding, const HloSharding& part) {
  return part.kind == HloSharding::Kind::manual ? "" : sdy_words(sharding);
}

Result<std::vector<EdgeSharding>> edge_shardings(const Program& module, const SdyEdges& said) {
  const std::string meshes = meshes_of(module), shardings = plain_sdy(std::string(said.per_value));
  ModuleShardings::Reader reader(meshes + "\n" + shardings, meshes);
  TRY(const std::vector<std::string_view> texts,
      reader.shardings.per_value(reader.view(meshes.size() + 1, shardings.size())));
  if (texts.size() != said.ranks.size())
    return invalid(counted(texts.size(), "sharding") + ", expected " + std::to_string(said.ranks.size()));
  ManualAxes manual = said.around;
  for (std::string& axis : sdy_names_in(said.manual_axes))
    if (std::ranges::count(manual, axis) == 0) manual.push_back(std::move(axis));
  std::vector<EdgeSharding> out;
  for (size_t k = 0; k < texts.size(); ++k) {
    TRY(SdySharding whole, reader.shardings.read(texts[k], said.ranks[k], said.around));
    TRY(HloSharding part, reader.shardings.inside(texts[k], said.ranks[k], manual));
    std::string words = edge_words(texts[k], part);
    out.push_back({std::move(whole.hlo), std::move(part), std::move(words)});
  }
  return out;
}

ModuleShardings::ModuleShardings(const Program& module) {
  const std::string meshes = meshes_of(module);
  std::string text = meshes + "\n";
  std::unordered_map<std::string, std::pair<size_t, size_t>> places;
  for (const Computation& c : module.computations) {
    for (const Instruction& i : c.instructions) {
      const auto said = frontend_attribute(i.verbatim, kSdySharding);
      if (!said) continue;
      const std::string plain = plain_sdy(*said);
      if (places.try_emplace(*said, text.size(), plain.size()).second) text += plain + "\n";
    }
  }
  any_ = !meshes.empty() || !places.empty();
  reader_ = std::make_unique<Reader>(std::move(text), meshes);
  reader_->places = std::move(places);
  for (const MlirMeshText& mesh : reader_->module.meshes)
    if (const SdyMesh* read = reader_->shardings.mesh_named(mesh.name); read != nullptr && !read->only_device)
      mesh_place(std::string(mesh.name), read->axes);
  for (const Computation& c : module.computations)
    for (const Instruction& i : c.instructions)
      for (const auto& said : of(i))
        if (said) any_ = true;
}

ModuleShardings::~ModuleShardings() = default;

std::optional<ModuleShardings::Said> ModuleShardings::read_sdy(std::string_view text, size_t rank) {
  auto sharding = reader_->shardings.read(text, rank, {});
  if (!sharding.ok() || sharding->mesh->only_device) return std::nullopt;
  for (size_t k = 0; k < meshes_.size(); ++k)
    if (meshes_[k].axes == sharding->mesh->axes) return Said{k, std::move(sharding->tiles)};
  return Said{mesh_place("", sharding->mesh->axes), std::move(sharding->tiles)};
}

std::optional<ModuleShardings::Said> ModuleShardings::read_named(std::string_view text, size_t rank) {
  auto named = named_tiles(text);
  if (!named || named->mesh.devices.size() < 2) return std::nullopt;
  if (named->tiles.dims.empty()) named->tiles.dims.resize(rank);
  if (named->tiles.dims.size() != rank) return std::nullopt;
  return Said{mesh_place("", named->mesh), std::move(named->tiles)};
}

std::vector<std::optional<ModuleShardings::Said>> ModuleShardings::of(const Instruction& i) {
  std::vector<const Shape*> leaves;
  add_leaf_shapes(i.shape, leaves);
  std::vector<std::optional<Said>> out(leaves.size());
  if (const auto said = frontend_attribute(i.verbatim, kSdySharding)) {
    const auto place = reader_->places.find(*said);
    if (place == reader_->places.end()) return out;
    const std::string_view text = reader_->view(place->second.first, place->second.second);
    std::vector<std::string_view> parts(leaves.size(), text);
    if (text.starts_with("#sdy.sharding_per_value")) {
      auto each = reader_->shardings.per_value(text);
      if (!each.ok()) return out;
      parts = *std::move(each);
    }
    for (size_t k = 0; k < std::min(parts.size(), out.size()); ++k)
      out[k] = read_sdy(parts[k], leaves[k]->rank());
    return out;
  }
  const std::string* text = verbatim_attribute(i, "sharding");
  if (text == nullptr || text->find("mesh[") == std::string::npos) return out;
  std::vector<std::string_view> parts(leaves.size(), *text);
  if (text->starts_with("{{")) {
    const MlirLexer lexer(*text, "<sharding>");
    auto each = mlir_parts(lexer, *text);
    if (!each.ok()) return out;
    parts = *std::move(each);
  }
  for (size_t k = 0; k < std::min(parts.size(), out.size()); ++k)
    out[k] = read_named(parts[k], leaves[k]->rank());
  return out;
}

size_t ModuleShardings::mesh_place(const std::string& name, const AxisMesh& axes) {
  for (size_t k = 0; k < meshes_.size(); ++k)
    if ((name.empty() || meshes_[k].name == name) && meshes_[k].axes == axes) return k;
  meshes_.push_back({name, axes});
  return meshes_.size() - 1;
}

}  // namespace shardscope::inline program
