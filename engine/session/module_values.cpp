// SPDX-License-Identifier: Apache-2.0
#include "engine/session/module_values.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

#include "engine/base/machine/memory_limit.h"
#include "engine/base/text.h"
#include "engine/numerics/array/drawn.h"
#include "engine/numerics/data/array_text.h"
#include "engine/numerics/rules/convert.h"
#include "engine/session/hlo_proof.h"
#include "engine/session/initial_values.h"

namespace shardscope::inline session {
namespace {

void add_leaves(const ModuleParameter& whole, const Shape& shape, const std::string& place,
                std::vector<ModuleParameter>& out) {
  if (!shape.is_tuple) {
    const std::string suffix = place.empty() ? "" : "{" + place + "}";
    out.push_back({whole.name + suffix, whole.number + suffix, shape, whole.sharding});
    return;
  }
  ModuleParameter part = whole;
  part.sharding.reset();
  for (size_t k = 0; k < shape.elements.size(); ++k)
    add_leaves(part, shape.elements[k], place.empty() ? std::to_string(k) : fmt::format("{},{}", place, k),
               out);
}

std::string names_of(const std::vector<ModuleArgument>& arguments) {
  std::vector<std::string> out;
  for (const ModuleArgument& a : arguments) out.push_back(a.parameter.name);
  constexpr size_t kMost = 12;
  const bool more = out.size() > kMost;
  if (more) out.resize(kMost);
  return join(out, ", ") + (more ? ", …" : "");
}

Result<ModuleArgument*> argument_named(std::vector<ModuleArgument>& arguments, const std::string& typed) {
  const std::string wanted = typed.starts_with('%') ? typed.substr(1) : typed;
  for (ModuleArgument& a : arguments)
    if (a.parameter.name == wanted || a.parameter.number == wanted) return &a;
  std::vector<std::string> names;
  for (const ModuleArgument& a : arguments) names.push_back(a.parameter.name);
  const auto near = nearest(wanted, names);
  const std::string there =
      arguments.empty() ? "the module has none"
                        : fmt::format("expected {} or 0 to {}", names_of(arguments), arguments.size() - 1);
  return invalid(fmt::format("the module has no parameter '{}': {}", typed, there), "--arg",
                 near ? fmt::format("did you mean {}?", *near) : "");
}

bool is_file(const std::string& value) {
  std::error_code ignored;
  return value.ends_with(".npy") || std::filesystem::is_regular_file(value, ignored);
}

// The shapes that a value of the parameter may have, the first being what one device (or the module) has.
std::vector<std::vector<int64_t>> legal_dims(const ModuleParameter& p, int64_t devices) {
  std::vector<std::vector<int64_t>> out{p.shape.dims};
  if (devices == 1) return out;
  if (p.sharding && p.sharding->kind == HloSharding::Kind::tiled &&
      p.sharding->data_rank() == p.shape.dims.size() && p.sharding->device_count() == devices) {
    std::vector<int64_t> whole = p.shape.dims;
    for (size_t d = 0; d < whole.size(); ++d) whole[d] *= p.sharding->tiles.dims[d];
    if (whole != p.shape.dims) out.push_back(whole);
  }
  std::vector<int64_t> each = p.shape.dims;
  each.insert(each.begin(), devices);
  if (std::ranges::count(out, each) == 0) out.push_back(each);
  return out;
}

bool is_replicated(const ModuleParameter& p) {
  if (!p.sharding) return false;
  if (p.sharding->kind != HloSharding::Kind::tiled) return p.sharding->kind == HloSharding::Kind::replicated;
  const auto& tiles = p.sharding->tiles.dims;
  const auto data = static_cast<std::ptrdiff_t>(std::min(p.sharding->data_rank(), tiles.size()));
  return std::all_of(tiles.begin(), tiles.begin() + data, [](int64_t size) { return size == 1; });
}

// Whether the second of legal_dims is the whole array, of which each device has its part.
bool is_cut(const ModuleParameter& p, const std::vector<std::vector<int64_t>>& legal, int64_t devices) {
  return legal.size() > 1 && p.sharding && p.sharding->kind == HloSharding::Kind::tiled &&
         legal[1].size() == p.shape.dims.size() && p.sharding->device_count() == devices;
}

std::string expected_words(const ModuleParameter& p, const std::vector<std::vector<int64_t>>& legal) {
  std::vector<std::string> out;
  for (const auto& dims : legal) out.push_back(shape_words(p.shape.type, dims));
  return join(out, " or ");
}

Result<Array> read_value(const ModuleParameter& p, const std::string& value,
                         const std::vector<std::vector<int64_t>>& legal) {
  if (!is_file(value)) {
    Result<Array> made = parse_array(value, p.shape.type, legal.front());
    for (size_t k = 1; k < legal.size() && !made.ok(); ++k)
      if (auto other = parse_array(value, p.shape.type, legal[k]); other.ok()) made = std::move(other);
    return made;
  }
  TRY(const NpyHeader header, read_npy_header(value, p.shape.type));
  const bool fits = std::ranges::count(legal, header.dims) > 0;
  Result<Array> made = fits ? read_npy_as(value, p.shape.type) : invalid("");
  if (made.ok() || made.error().kind == ErrorKind::io) return made;
  return invalid(
      fmt::format("expected {}, got {}", expected_words(p, legal), shape_words(header.type, header.dims)),
      value);
}

Array drawn(const Shape& shape, uint64_t seed, bool fractions, const Workers& workers) {
  if (!fractions || !is_floating(shape.type)) return drawn_array(shape.type, shape.dims, seed, workers);
  Array exact = Array::allocate(ElementType::f64, shape.dims);
  const auto values = exact.mutable_as<double>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = (static_cast<double>(mixed_bits(seed ^ mixed_bits(i)) % 33) - 16) / 64;
  Array out = Array::allocate(shape.type, shape.dims);
  convert_elements(ElementType::f64, exact.data(), shape.type, out.mutable_data(), out.element_count());
  return out;
}

// `k` of `devices` equal parts along the first dimension.
Array part_of(const Array& array, int64_t k, const std::vector<int64_t>& dims) {
  Array out = Array::allocate(array.type(), dims);
  std::memcpy(out.mutable_data(), array.data() + k * out.bytes(), static_cast<size_t>(out.bytes()));
  return out;
}

void give(const Array& array, const std::vector<std::vector<int64_t>>& legal, int64_t devices,
          ModuleArgument& to) {
  if (array.dims() == legal.front()) {
    to.arrays = {array};
    return;
  }
  const bool cut = is_cut(to.parameter, legal, devices) && array.dims() == legal[1];
  for (int64_t d = 0; d < devices; ++d)
    to.arrays.push_back(cut ? tile_array(array, *to.parameter.sharding, DeviceId(d))
                            : part_of(array, d, to.parameter.shape.dims));
}

}  // namespace

Result<TypedArgument> parse_typed_argument(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size())
    return invalid(fmt::format("expected a parameter and its value, got '{}'", text), "--arg",
                   "write it as in p0=X.npy, 1=3 or p0=[[1,2],[3,4]]");
  return TypedArgument{std::string(trim(text.substr(0, equals))), std::string(trim(text.substr(equals + 1)))};
}

std::vector<ModuleParameter> module_parameters(const Program& module) {
  std::vector<ModuleParameter> out;
  for (const Instruction* p : parameters_by_number(module.entry_computation()))
    add_leaves({p->name, std::to_string(p->parameter_number), p->shape, p->sharding}, p->shape, "", out);
  return out;
}

Result<std::vector<ModuleArgument>> make_module_arguments(const Program& module,
                                                          const ArgumentRequest& request,
                                                          const Workers& workers) {
  std::vector<ModuleArgument> out;
  double bytes = 0;
  for (ModuleParameter& p : module_parameters(module)) {
    bytes += static_cast<double>(p.shape.bytes()) * static_cast<double>(request.devices);
    out.push_back({std::move(p), "", {}});
  }
  TRY_VOID(require_memory(3 * bytes, "running " + module.name, "say --check off, or use a smaller module"));
  for (const TypedArgument& typed : request.typed) {
    TRY(ModuleArgument* const to, argument_named(out, typed.parameter));
    if (!to->arrays.empty()) return invalid(fmt::format("{} is given twice", to->parameter.name), "--arg");
    const auto legal = legal_dims(to->parameter, request.devices);
    Result<Array> array = read_value(to->parameter, typed.value, legal);
    if (!array.ok()) {
      Error error = array.error();
      error.where = fmt::format("--arg {}{}", typed.parameter, error.where.empty() ? "" : ", " + error.where);
      return error;
    }
    const bool fills = !is_file(typed.value) && typed.value.find_first_of("[{") == std::string::npos;
    to->words = fills && !to->parameter.shape.dims.empty() ? typed.value + " everywhere" : typed.value;
    give(*array, legal, request.devices, *to);
  }
  for (const InitialValue& start : initial_values(module)) {
    ModuleArgument& a = out[start.leaf];
    if (!a.arrays.empty()) continue;
    a.words = start.words;
    a.arrays.assign(static_cast<size_t>(request.devices),
                    identity_element(start.operation, a.parameter.shape.type));
  }
  for (size_t n = 0; n < out.size(); ++n) {
    ModuleArgument& a = out[n];
    if (!a.arrays.empty()) continue;
    const bool small = request.fractions && is_floating(a.parameter.shape.type);
    a.words = fmt::format("drawn from seed {}{}", request.seed, small ? ", -1/4 to 1/4" : "");
    const auto draw = [&](const std::vector<int64_t>& dims, uint64_t number) {
      return drawn(Shape::array(a.parameter.shape.type, dims), mixed_bits(request.seed + number + n),
                   request.fractions, workers);
    };
    // Devices that hold the same part of an array have the same numbers.
    const auto legal = legal_dims(a.parameter, request.devices);
    if (is_replicated(a.parameter) || is_cut(a.parameter, legal, request.devices)) {
      give(draw(is_replicated(a.parameter) ? legal[0] : legal[1], 0), legal, request.devices, a);
      continue;
    }
    for (int64_t d = 0; d < request.devices; ++d)
      a.arrays.push_back(draw(legal[0], static_cast<uint64_t>(d)));
  }
  return out;
}

std::string result_name(size_t leaf, size_t leaves) {
  return leaves == 1 ? "result" : fmt::format("result{{{}}}", leaf);
}

std::vector<std::string> draw_elided_constants(Program& module, uint64_t seed) {
  std::vector<std::string> out;
  for (Computation& c : module.computations) {
    for (Instruction& i : c.instructions) {
      if (!elided_seed(i.literal)) continue;
      i.literal = elided_literal(mixed_bits(seed ^ mixed_bits(~uint64_t{out.size()})));
      out.push_back(i.name);
    }
  }
  return out;
}

void elide_constants(Program& program) {
  for (Computation& c : program.computations)
    for (Instruction& i : c.instructions)
      if (elided_seed(i.literal)) i.literal = "{...}";
}

}  // namespace shardscope::inline session
