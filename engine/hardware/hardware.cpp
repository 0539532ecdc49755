// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/hardware.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "engine/base/embedded_file.h"
#include "engine/base/read_file.h"
#include "engine/base/text.h"

namespace shardscope::embedded {
std::span<const EmbeddedFile> hardware_preset_files();
}  // namespace shardscope::embedded

namespace shardscope::inline hardware {

namespace {

// A path, not the name of a preset: it has a folder or an ending.
bool looks_like_path(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".toml");
}

}  // namespace

const char* name(Topology topology) {
  switch (topology) {
    case Topology::torus:
      return "torus";
    case Topology::line:
      return "line";
    case Topology::full:
      return "full";
    case Topology::switch_:
      return "switch";
    case Topology::two_level:
      return "two-level";
  }
  return "";
}

const std::vector<std::string>& work_kinds() {
  static const std::vector<std::string> kinds = {
      "copy",      "transpose", "reduce", "softmax",    "layernorm",     "gelu",        "add",
      "attention", "host-copy", "fused",  "fused-rows", "softmax-short", "softmax-wave"};
  return kinds;
}

const WorkRate* work_rate(const Hardware& hardware, std::string_view kind) {
  const auto found = std::ranges::find(hardware.work, kind, &WorkRate::kind);
  return found == hardware.work.end() ? nullptr : &*found;
}

const ProductTiles* product_tiles(const Hardware& hardware, ElementType type) {
  for (const ProductTiles& row : hardware.products)
    if (std::ranges::find(row.types, type) != row.types.end()) return &row;
  return nullptr;
}

const LinkOp* link_op(const Hardware& hardware, std::string_view kind, int64_t group,
                      std::optional<int64_t> axis) {
  const LinkOp* found = nullptr;
  for (const LinkOp& op : hardware.link.ops) {
    if (op.kind != kind || (op.group && *op.group != group) || op.axis != axis) continue;
    if (found == nullptr || op.group) found = &op;
  }
  return found;
}

std::string key_of(const LinkOp& op) {
  std::string key = "link.op." + op.kind;
  if (op.group) key += fmt::format(".{}", *op.group);
  if (op.axis) key += fmt::format(".axis{}", *op.axis);
  return key;
}

namespace {

// A multiplier of TF32 takes as long as two of bf16 do: it is timed as so many products of that.
std::optional<Peak> tf32_peak(const Hardware& hardware, const Multiplied& how) {
  const auto& tf32 = hardware.compute.tf32_flops_per_s;
  const auto bf16 = hardware.compute.peak_flops_per_s.find(ElementType::bf16);
  if (!tf32 || bf16 == hardware.compute.peak_flops_per_s.end()) return std::nullopt;
  if (real_type(how.type) != ElementType::f32 || !how.precision) return std::nullopt;
  if (*how.precision == ProductPrecision::highest) return std::nullopt;
  return Peak{
      bf16->second, ElementType::bf16,
      "f32 is multiplied in TF32, as XLA's compiler for GPUs does unless operand_precision is highest",
      bf16->second / *tf32};
}

// f32 as sums of bf16: products of the largest parts, of all but the least, of all that count.
std::string split_into_bf16(ProductPrecision precision, Peak& peak) {
  constexpr double kPasses[] = {1, 3, 6};
  constexpr const char* kPrecisionWords[] = {"default", "high", "highest"};
  const auto at = static_cast<size_t>(precision);
  peak.passes = kPasses[at];
  return fmt::format(", as XLA's {} precision multiplies f32 in {} bf16 pass{}", kPrecisionWords[at],
                     peak.passes == 1 ? "one" : fmt::format("{}", peak.passes), peak.passes == 1 ? "" : "es");
}

Result<Peak> published_peak(const Hardware& hardware, const Multiplied& how) {
  const auto& peaks = hardware.compute.peak_flops_per_s;
  std::string looked;
  for (ElementType type = how.type; type != ElementType::token; type = element_type(type).peak) {
    looked += (looked.empty() ? "" : " or ") + std::string(name(type));
    const auto found = peaks.find(type);
    if (found == peaks.end()) continue;
    Peak peak{found->second, type, ""};
    if (type == how.type) return peak;
    peak.assumption = fmt::format("{} publishes no {} peak: timed with its {} peak", hardware.name,
                                  name(how.type), name(type));
    if (type == ElementType::bf16 && real_type(how.type) == ElementType::f32)
      peak.assumption += split_into_bf16(how.precision.value_or(ProductPrecision::standard), peak);
    return peak;
  }
  return invalid(fmt::format("no peak for {} is published for hardware '{}'", looked, hardware.name),
                 "compute.peak_flops_per_s", "choose another dtype, or a hardware file that gives it");
}

}  // namespace

Result<Peak> peak_for(const Hardware& hardware, const Multiplied& how) {
  Peak peak;
  if (const auto tf32 = tf32_peak(hardware, how)) {
    peak = *tf32;
  } else {
    TRY(peak, published_peak(hardware, how));
  }
  constexpr int64_t kPartsOfComplex = 4;  // real and imaginary, each with each
  peak.passes *= static_cast<double>(how.passes * (is_complex(how.type) ? kPartsOfComplex : 1));
  return peak;
}

Result<Peak> peak_for(const Hardware& hardware, ElementType dtype) {
  return peak_for(hardware, Multiplied{dtype});
}

bool axis_wraps(const Hardware& hardware, int64_t size) {
  return !hardware.torus_wrap_multiple_of || size % *hardware.torus_wrap_multiple_of == 0;
}

Mesh with_chip_wraps(const Mesh& mesh, const Hardware& hardware) {
  std::vector<MeshAxis> axes = mesh.axes();
  for (MeshAxis& axis : axes) axis.wrap = axis_wraps(hardware, axis.size);
  return Mesh::make(std::move(axes), mesh.device_order()).value();
}

std::vector<std::string> hardware_preset_names() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded::hardware_preset_files()) names.emplace_back(file.name);
  return names;
}

Result<Hardware> find_hardware(std::string_view name_or_path) {
  for (const EmbeddedFile& file : embedded::hardware_preset_files()) {
    if (file.name == name_or_path) return parse_hardware(file.text, fmt::format("{}.toml", file.name));
  }
  const std::string path(name_or_path);
  auto text = read_file(path);
  if (text.ok()) return parse_hardware(*text, path);
  if (looks_like_path(path)) return text.error();
  const auto names = hardware_preset_names();
  const auto near = nearest(path, names);
  return invalid(fmt::format("unknown hardware '{}'", path), "",
                 near ? fmt::format("did you mean '{}'?", *near)
                      : fmt::format("use one of {}, or the path of a file", join(names, ", ")));
}

}  // namespace shardscope::inline hardware
