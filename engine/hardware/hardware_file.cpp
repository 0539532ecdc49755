// SPDX-License-Identifier: Apache-2.0
// The TOML form of a hardware file.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/text.h"
#include "engine/base/toml.h"
#include "engine/hardware/hardware.h"
#include "engine/hardware/measured_tables.h"
#include "engine/hardware/toml_numbers.h"

namespace shardscope::inline hardware {
namespace {

Result<std::string> read_name(const TomlTable& table, const char* key) {
  TRY(auto value, table.string(key));
  if (!value || value->empty()) return invalid(fmt::format("'{}' is missing", key), table.where());
  return *value;
}

Result<Topology> read_topology(const TomlTable& table) {
  TRY(const std::string word, read_name(table, "topology"));
  std::vector<std::string> words;
  for (const Topology t :
       {Topology::torus, Topology::line, Topology::full, Topology::switch_, Topology::two_level}) {
    if (word == name(t)) return t;
    words.emplace_back(name(t));
  }
  return invalid(fmt::format("unknown topology '{}'", word), table.where("topology"),
                 "use " + join(words, ", "));
}

Result<Hardware::Compute> read_compute(const TomlTable& table) {
  Hardware::Compute out;
  TRY(const auto peaks, table.table("peak_flops_per_s"));
  for (const std::string& key : peaks ? peaks->keys() : std::vector<std::string>{}) {
    const auto type = parse_element_type(key);
    if (!type)
      return invalid(fmt::format("unknown dtype '{}'", key), peaks->where(key), "use HLO's names, as bf16");
    TRY(const auto peak, read_number(*peaks, key.c_str(), NumberRange::positive));
    out.peak_flops_per_s[*type] = *peak;
  }
  TRY(out.tf32_flops_per_s, read_number(table, "tf32_flops_per_s", NumberRange::positive));
  TRY(out.efficiency, read_number_or(table, "efficiency", NumberRange::fraction, 1));
  TRY(out.launch_overhead_s, read_number_or(table, "launch_overhead_s", NumberRange::not_negative, 0));
  TRY(const auto mxu, table.integers("mxu"));
  if (mxu) {
    if (mxu->size() != 2 || (*mxu)[0] < 1 || (*mxu)[1] < 1) {
      return invalid(fmt::format("'mxu' must be two positive sizes, got [{}]", fmt::join(*mxu, ", ")),
                     table.where("mxu"), "write it as [128, 128]");
    }
    out.mxu_rows = (*mxu)[0];
    out.mxu_cols = (*mxu)[1];
  }
  TRY(out.elementwise_launch_s, read_number_or(table, "elementwise_launch_s", NumberRange::not_negative, 0));
  TRY(out.vector_flops_per_s, read_number(table, "vector_flops_per_s", NumberRange::positive));
  TRY(const auto tile, table.integers("tile"));
  if (tile) {
    if (tile->size() != 3 || *std::ranges::min_element(*tile) < 1) {
      return invalid(fmt::format("'tile' must be three positive sizes, got [{}]", fmt::join(*tile, ", ")),
                     table.where("tile"), "write it as [m, n, k], as in [128, 256, 64]");
    }
    out.tile = {(*tile)[0], (*tile)[1], (*tile)[2]};
  }
  TRY(out.units, read_count(table, "units"));
  TRY_VOID(table.refuse_unread());
  return out;
}

Result<Hardware::Memory> read_memory(const TomlTable& table) {
  Hardware::Memory out;
  TRY(out.hbm_bytes, read_number(table, "hbm_bytes", NumberRange::positive));
  TRY(out.hbm_bytes_per_s, read_number(table, "hbm_bytes_per_s", NumberRange::positive));
  TRY(out.hbm_efficiency, read_number_or(table, "hbm_efficiency", NumberRange::fraction, 1));
  TRY(out.fast_bytes, read_number(table, "fast_bytes", NumberRange::positive));
  TRY_VOID(table.refuse_unread());
  return out;
}

Result<Hardware::Link> read_link(const TomlTable& table) {
  Hardware::Link out;
  TRY(out.bytes_per_s, read_number(table, "bytes_per_s", NumberRange::positive));
  TRY(out.latency_s, read_number(table, "latency_s", NumberRange::not_negative));
  TRY(out.efficiency, read_number_or(table, "efficiency", NumberRange::fraction, 1));
  TRY(out.launch_overhead_s, read_number_or(table, "launch_overhead_s", NumberRange::not_negative, 0));
  TRY(const auto links, read_count(table, "links_per_axis"));
  out.links_per_axis = links.value_or(2);
  TRY(const auto slices, read_count(table, "level_slices"));
  out.level_slices = slices.value_or(1);
  TRY(out.ops, read_link_ops(table));
  TRY_VOID(table.refuse_unread());
  return out;
}

Result<void> read_two_levels(const TomlTable& root, Hardware& out) {
  TRY(const auto node, root.table("node"));
  TRY(const auto network, root.table("network"));
  if (out.topology != Topology::two_level && out.topology != Topology::switch_) {
    const char* extra = node ? "node" : network ? "network" : nullptr;
    if (extra == nullptr) return {};
    return invalid(fmt::format("[{}] goes with topology \"two-level\" or \"switch\", this is \"{}\"", extra,
                               name(out.topology)),
                   root.where(extra));
  }
  if (node) {
    TRY(out.node_devices, read_count(*node, "devices"));
    TRY_VOID(node->refuse_unread());
  }
  if (network) {
    TRY(out.network_bytes_per_s, read_number(*network, "bytes_per_s", NumberRange::positive));
    TRY(out.network_latency_s, read_number(*network, "latency_s", NumberRange::not_negative));
    TRY(out.network_efficiency, read_number(*network, "efficiency", NumberRange::fraction));
    TRY_VOID(network->refuse_unread());
  }
  return {};
}

Result<std::string> read_word(const TomlTable& table, const char* key, const std::vector<std::string>& words,
                              const std::string& unsaid) {
  TRY(const auto said, table.string(key));
  const std::string word = said.value_or(unsaid);
  if (std::ranges::find(words, word) != words.end()) return word;
  return invalid(fmt::format("'{}' must be one of {}, got '{}'", key, join(words, ", "), word),
                 table.where(said ? key : ""));
}

Result<std::optional<CompileAs>> read_compiler(const TomlTable& root) {
  TRY(const auto said, root.string("compiler"));
  if (!said) return std::optional<CompileAs>();
  std::vector<std::string> words;
  for (const CompileAs each : kCompileAs) words.emplace_back(name(each));
  TRY(const std::string word, read_word(root, "compiler", words, ""));
  return std::optional(*std::ranges::find(kCompileAs, word, [](CompileAs each) { return name(each); }));
}

Result<std::optional<Hardware::Nccl>> read_nccl(const TomlTable& root) {
  TRY(const auto table, root.table("nccl"));
  if (!table) return std::optional<Hardware::Nccl>();
  Hardware::Nccl out;
  TRY(out.generation, read_word(*table, "generation", {"ampere", "hopper", "blackwell"}, ""));
  TRY(out.cpu, read_word(*table, "cpu", {"intel", "amd", "arm"}, out.cpu));
  TRY_VOID(table->refuse_unread());
  return std::optional(out);
}

}  // namespace

Result<Hardware> parse_hardware(std::string_view toml, std::string_view file_name) {
  TRY(const TomlTable root, TomlTable::parse(toml, file_name));
  Hardware out;
  TRY(out.name, read_name(root, "name"));
  TRY(const auto title, root.string("title"));
  out.title = title.value_or("");
  TRY(out.topology, read_topology(root));
  TRY(out.compiler, read_compiler(root));
  TRY(out.torus_axes, read_count(root, "torus_axes"));
  TRY(out.torus_chips, read_count(root, "torus_chips"));
  TRY(out.torus_wrap_multiple_of, read_count(root, "torus_wrap_multiple_of"));
  TRY(const auto compute, root.table("compute"));
  if (compute) {
    TRY(out.compute, read_compute(*compute));
  }
  TRY(const auto memory, root.table("memory"));
  if (memory) {
    TRY(out.memory, read_memory(*memory));
  }
  TRY(const auto link, root.table("link"));
  if (link) {
    TRY(out.link, read_link(*link));
  }
  TRY_VOID(read_two_levels(root, out));
  TRY(out.nccl, read_nccl(root));
  TRY(out.products, read_products(root));
  TRY(out.work, read_work(root));
  TRY(out.overlap, read_overlap(root));
  TRY(out.programs, read_programs(root));
  TRY(out.calibration, read_calibration(root));
  TRY(const auto sources, root.table("sources"));
  for (const std::string& key : sources ? sources->keys() : std::vector<std::string>{}) {
    TRY(const auto source, sources->string(key));
    out.sources[key] = *source;
  }
  TRY_VOID(root.refuse_unread());
  return out;
}

namespace {

std::string compute_text(const Hardware::Compute& compute) {
  std::vector<std::string> entries;
  for (const auto& [type, peak] : compute.peak_flops_per_s)
    entries.push_back(fmt::format("{} = {}", name(type), toml_text(peak)));
  std::string out = "\n[compute]\n";
  if (!entries.empty()) out += fmt::format("peak_flops_per_s = {{ {} }}\n", join(entries, ", "));
  out += number_line("tf32_flops_per_s", compute.tf32_flops_per_s) +
         number_line("efficiency", compute.efficiency) +
         number_line("launch_overhead_s", compute.launch_overhead_s);
  out += fmt::format("mxu = [{}, {}]\n", compute.mxu_rows, compute.mxu_cols);
  if (compute.elementwise_launch_s != 0)
    out += number_line("elementwise_launch_s", compute.elementwise_launch_s);
  out += number_line("vector_flops_per_s", compute.vector_flops_per_s);
  if (compute.tile) out += fmt::format("tile = [{}]\n", fmt::join(*compute.tile, ", "));
  if (compute.units) out += fmt::format("units = {}\n", *compute.units);
  return out;
}

std::string link_text(const Hardware::Link& link) {
  std::string out = "\n[link]\n" + number_line("bytes_per_s", link.bytes_per_s) +
                    number_line("latency_s", link.latency_s) + number_line("efficiency", link.efficiency) +
                    number_line("launch_overhead_s", link.launch_overhead_s);
  out += fmt::format("links_per_axis = {}\n", link.links_per_axis);
  if (link.level_slices != 1) out += fmt::format("level_slices = {}\n", link.level_slices);
  return out + link_ops_text(link.ops);
}

}  // namespace

std::string hardware_toml(const Hardware& hardware) {
  std::string out = fmt::format("name = {}\n", toml_text(hardware.name));
  if (!hardware.title.empty()) out += fmt::format("title = {}\n", toml_text(hardware.title));
  out += fmt::format("topology = \"{}\"\n", name(hardware.topology));
  if (hardware.compiler) out += fmt::format("compiler = \"{}\"\n", name(*hardware.compiler));
  if (hardware.torus_axes) out += fmt::format("torus_axes = {}\n", *hardware.torus_axes);
  if (hardware.torus_chips) out += fmt::format("torus_chips = {}\n", *hardware.torus_chips);
  if (hardware.torus_wrap_multiple_of)
    out += fmt::format("torus_wrap_multiple_of = {}\n", *hardware.torus_wrap_multiple_of);
  out += compute_text(hardware.compute);
  const Hardware::Memory& memory = hardware.memory;
  out += "\n[memory]\n" + number_line("hbm_bytes", memory.hbm_bytes) +
         number_line("hbm_bytes_per_s", memory.hbm_bytes_per_s) +
         number_line("hbm_efficiency", memory.hbm_efficiency) + number_line("fast_bytes", memory.fast_bytes);
  out += link_text(hardware.link) + overlap_text(hardware.overlap) + programs_text(hardware.programs);
  out += products_text(hardware.products) + work_text(hardware.work);
  if (hardware.node_devices) out += fmt::format("\n[node]\ndevices = {}\n", *hardware.node_devices);
  if (hardware.network_bytes_per_s || hardware.network_latency_s || hardware.network_efficiency) {
    out += "\n[network]\n" + number_line("bytes_per_s", hardware.network_bytes_per_s) +
           number_line("latency_s", hardware.network_latency_s) +
           number_line("efficiency", hardware.network_efficiency);
  }
  if (hardware.nccl)
    out += fmt::format("\n[nccl]\ngeneration = {}\ncpu = {}\n", toml_text(hardware.nccl->generation),
                       toml_text(hardware.nccl->cpu));
  if (hardware.calibration) out += calibration_text(*hardware.calibration);
  if (!hardware.sources.empty()) out += "\n[sources]\n";
  for (const auto& [key, source] : hardware.sources)
    out += fmt::format("{} = {}\n", toml_text(key), toml_text(source));
  return out;
}

}  // namespace shardscope::inline hardware
