// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/measured_tables.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/hardware/collective_kind.h"
#include "engine/hardware/toml_numbers.h"

namespace shardscope::inline hardware {
namespace {

// Of what sizes were measured, beside collectives.
constexpr const char* kProduct = "product";
constexpr const char* kElementwise = "elementwise";

Result<void> check_kind(const std::string& kind, const std::vector<std::string>& known,
                        const std::string& where) {
  if (std::ranges::find(known, kind) != known.end()) return {};
  const auto near = nearest(kind, known);
  return invalid(fmt::format("unknown kind '{}'", kind), where,
                 near ? fmt::format("did you mean '{}'?", *near) : "use " + join(known, ", "));
}

Result<std::optional<LinkOp::Ramp>> read_ramp(const TomlTable& op) {
  TRY(const auto table, op.table("ramp"));
  if (!table) return std::optional<LinkOp::Ramp>();
  LinkOp::Ramp out;
  TRY(const auto c, read_number(*table, "c", NumberRange::not_negative));
  TRY(const auto gamma, read_number(*table, "gamma", NumberRange::fraction));
  if (!c || !gamma)
    return invalid(fmt::format("'ramp' has no {}", c ? "gamma" : "c"), op.where("ramp"),
                   "write it as { c = 2e-9, gamma = 0.5 }");
  TRY_VOID(table->refuse_unread());
  out.c = *c;
  out.gamma = *gamma;
  return std::optional(out);
}

Result<std::optional<LinkOp::Parts>> read_parts(const TomlTable& op) {
  TRY(const auto table, op.table("parts"));
  if (!table) return std::optional<LinkOp::Parts>();
  LinkOp::Parts out;
  TRY(const auto channels, read_count(*table, "channels"));
  TRY(const auto bytes, read_number(*table, "bytes", NumberRange::positive));
  TRY(const auto rate, read_number(*table, "bytes_per_s", NumberRange::positive));
  TRY(out.one_peer_bytes_per_s, read_number(*table, "one_peer_bytes_per_s", NumberRange::positive));
  TRY(out.launch_s, read_number_or(*table, "launch_s", NumberRange::not_negative, 0));
  TRY(out.hidden_s, read_number_or(*table, "hidden_s", NumberRange::not_negative, 0));
  TRY(out.small_bytes, read_number_or(*table, "small_bytes", NumberRange::not_negative, 0));
  TRY(const auto small_rate, read_number(*table, "small_bytes_per_s", NumberRange::positive));
  TRY_VOID(table->refuse_unread());
  if (!rate || !channels || !bytes || (out.small_bytes > 0 && !small_rate))
    return invalid(fmt::format("'parts' has no {}", !channels ? "channels"
                                                    : !bytes  ? "bytes"
                                                    : !rate   ? "bytes_per_s"
                                                              : "small_bytes_per_s"),
                   op.where("parts"), "write it as { channels = 32, bytes = 16777216, bytes_per_s = 20e9 }");
  out.channels = *channels;
  out.bytes = *bytes;
  out.bytes_per_s = *rate;
  out.small_bytes_per_s = small_rate.value_or(out.small_bytes_per_s);
  return std::optional(out);
}

Result<LinkOp> read_link_op(const TomlTable& table) {
  LinkOp out;
  TRY(const auto kind, table.string("kind"));
  if (!kind)
    return invalid("'kind' is missing", table.where(), "name a collective, as kind = \"all-reduce\"");
  out.kind = *kind;
  TRY_VOID(check_kind(out.kind, collective_kind_names(), table.where("kind")));
  TRY(out.group, read_count(table, "group"));
  TRY(out.launch_s, read_number(table, "launch_s", NumberRange::not_negative));
  TRY(out.step_s, read_number(table, "step_s", NumberRange::not_negative));
  TRY(out.bytes_per_s, read_number(table, "bytes_per_s", NumberRange::positive));
  TRY(out.ramp, read_ramp(table));
  TRY(out.parts, read_parts(table));
  TRY(const auto axis, table.integer("axis"));
  if (axis && *axis < 0)
    return invalid(fmt::format("an axis is 0 or more, got {}", *axis), table.where("axis"));
  out.axis = axis;
  const bool sends =
      out.kind == name(CollectiveKind::permute) || out.kind == name(CollectiveKind::all_to_all);
  if (out.parts && !(sends && out.bytes_per_s))
    return invalid("'parts' goes with the bytes_per_s of a collective-permute or an all-to-all",
                   table.where("parts"));
  TRY(const auto in_switch, table.boolean("in_switch"));
  out.in_switch = in_switch.value_or(false);
  if (out.in_switch && out.kind != name(CollectiveKind::all_reduce))
    return invalid(fmt::format("'in_switch' goes with all-reduce, this is {}", out.kind),
                   table.where("in_switch"));
  TRY_VOID(table.refuse_unread());
  return out;
}

// "256x128x64".
Result<std::array<int64_t, 3>> read_tile(const std::string& text, const TomlTable& table) {
  std::array<int64_t, 3> out{};
  std::string_view rest = text;
  for (size_t d = 0; d < 3; ++d) {
    const size_t end = std::min(rest.find('x'), rest.size());
    const auto size = parse_int(rest.substr(0, end));
    const bool good = size && *size >= 1 && *size <= 65536 && (end < rest.size()) == (d < 2);
    if (!good)
      return invalid(fmt::format("'{}' is no tile", text), table.where("tiles"),
                     "write it as m x n x k, as in \"128x256x64\"");
    out[d] = *size;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

Result<void> read_tiles(const TomlTable& table, ProductTiles& out) {
  TRY(const auto tiles, table.strings("tiles"));
  TRY(const auto shares, table.numbers("shares"));
  if (!tiles || tiles->empty())
    return invalid("'tiles' is missing", table.where(), "write them as tiles = [\"128x256x64\"]");
  if (shares && shares->size() != tiles->size())
    return invalid(fmt::format("{} shares of {} tiles", shares->size(), tiles->size()), table.where("shares"),
                   "give one for each tile, or none");
  for (size_t t = 0; t < tiles->size(); ++t) {
    TRY(const auto size, read_tile((*tiles)[t], table));
    const double share = shares ? (*shares)[t] : 1;
    if (!(share > 0 && share <= 1))
      return invalid(fmt::format("a share must be more than 0 and at most 1, got {}", share),
                     table.where("shares"));
    out.tiles.push_back({size, share});
  }
  return {};
}

Result<ProductTiles> read_product(const TomlTable& table) {
  ProductTiles out;
  TRY(const auto types, table.strings("types"));
  for (const std::string& word : types.value_or(std::vector<std::string>())) {
    const auto type = parse_element_type(word);
    if (!type)
      return invalid(fmt::format("unknown dtype '{}'", word), table.where("types"),
                     "use HLO's names, as bf16");
    out.types.push_back(*type);
  }
  if (out.types.empty())
    return invalid("'types' is missing", table.where(), "name them, as types = [\"bf16\", \"f16\"]");
  TRY_VOID(read_tiles(table, out));
  TRY(const auto units, read_count(table, "units"));
  out.units = units.value_or(1);
  TRY(out.efficiency, read_number_or(table, "efficiency", NumberRange::fraction, 1));
  TRY(out.hbm_efficiency, read_number_or(table, "hbm_efficiency", NumberRange::fraction, 1));
  TRY(out.unit_bytes_per_s, read_number(table, "unit_bytes_per_s", NumberRange::positive));
  TRY(out.launch_s, read_number_or(table, "launch_s", NumberRange::not_negative, 0));
  TRY(out.wave_s, read_number_or(table, "wave_s", NumberRange::not_negative, 0));
  TRY(out.step_s, read_number_or(table, "step_s", NumberRange::not_negative, 0));
  TRY(out.unit_elements, read_number(table, "unit_elements", NumberRange::positive));
  TRY(out.split_s, read_number_or(table, "split_s", NumberRange::not_negative, 0));
  TRY(out.write_bytes_per_s, read_number(table, "write_bytes_per_s", NumberRange::positive));
  TRY(out.cache_bytes_per_s, read_number(table, "cache_bytes_per_s", NumberRange::positive));
  TRY(out.mixing, read_number(table, "mixing", NumberRange::positive));
  if (out.mixing && *out.mixing < 1)
    return invalid(fmt::format("'mixing' must be at least 1, got {}", *out.mixing), table.where("mixing"),
                   "1 adds arithmetic and traffic, more comes nearer to the longer of them");
  TRY(out.unaligned_share, read_number_or(table, "unaligned_share", NumberRange::fraction, 1));
  TRY_VOID(table.refuse_unread());
  return out;
}

}  // namespace

Result<std::vector<ProductTiles>> read_products(const TomlTable& root) {
  std::vector<ProductTiles> out;
  TRY(const auto tables, root.tables("product"));
  for (const TomlTable& table : tables) {
    TRY(ProductTiles row, read_product(table));
    for (const ProductTiles& other : out)
      for (const ElementType type : other.types)
        if (std::ranges::find(row.types, type) != row.types.end())
          return invalid(fmt::format("{} stands in two [[product]] tables", name(type)),
                         table.where("types"));
    out.push_back(std::move(row));
  }
  return out;
}

Result<std::vector<WorkRate>> read_work(const TomlTable& root) {
  std::vector<WorkRate> out;
  TRY(const auto tables, root.tables("work"));
  for (const TomlTable& table : tables) {
    WorkRate row;
    TRY(const auto kind, table.string("kind"));
    row.kind = kind.value_or("");
    TRY_VOID(check_kind(row.kind, work_kinds(), table.where("kind")));
    TRY(row.launch_s, read_number_or(table, "launch_s", NumberRange::not_negative, 0));
    TRY(row.hbm_efficiency, read_number_or(table, "hbm_efficiency", NumberRange::fraction, 1));
    TRY(row.efficiency, read_number(table, "efficiency", NumberRange::fraction));
    TRY_VOID(table.refuse_unread());
    if (std::ranges::find(out, row.kind, &WorkRate::kind) != out.end())
      return invalid(fmt::format("'{}' stands twice", row.kind), table.where("kind"), "give a kind once");
    out.push_back(std::move(row));
  }
  return out;
}

Result<std::vector<LinkOp>> read_link_ops(const TomlTable& link) {
  std::vector<LinkOp> out;
  TRY(const auto tables, link.tables("op"));
  for (const TomlTable& table : tables) {
    TRY(LinkOp op, read_link_op(table));
    const bool twice =
        std::ranges::any_of(out, [&](const LinkOp& other) { return key_of(other) == key_of(op); });
    if (twice)
      return invalid(fmt::format("{} stands twice", key_of(op)), table.where(), "give a kind and group once");
    out.push_back(std::move(op));
  }
  return out;
}

Result<Hardware::Overlap> read_overlap(const TomlTable& root) {
  Hardware::Overlap out;
  TRY(const auto table, root.table("overlap"));
  if (!table) return out;
  TRY(out.sync_s, read_number_or(*table, "sync_s", NumberRange::not_negative, 0));
  TRY(out.ops, table->strings("ops"));
  if (out.ops) {
    for (const std::string& kind : *out.ops)
      TRY_VOID(check_kind(kind, collective_kind_names(), table->where("ops")));
  }
  TRY_VOID(table->refuse_unread());
  return out;
}

Result<Hardware::Programs> read_programs(const TomlTable& root) {
  Hardware::Programs out;
  TRY(const auto table, root.table("program"));
  if (!table) return out;
  TRY(out.alone_launch_s, read_number_or(*table, "alone_launch_s", NumberRange::not_negative, 0));
  TRY(out.scratch_s, read_number_or(*table, "scratch_s", NumberRange::not_negative, 0));
  TRY(out.sustained, read_number_or(*table, "sustained", NumberRange::fraction, 1));
  TRY(out.sustained_from, read_number_or(*table, "sustained_from", NumberRange::not_negative, 0));
  if (out.sustained_from >= 1)
    return invalid(fmt::format("'sustained_from' must be less than 1, got {}", out.sustained_from),
                   table->where("sustained_from"), "it is a share of the time");
  TRY_VOID(table->refuse_unread());
  return out;
}

Result<std::optional<Hardware::Calibrated>> read_calibration(const TomlTable& root) {
  TRY(const auto table, root.table("calibration"));
  if (!table) return std::optional<Hardware::Calibrated>();
  Hardware::Calibrated out;
  TRY(const auto source, table->string("source"));
  TRY(const auto date, table->string("date"));
  TRY(const auto points, read_count(*table, "points"));
  out.source = source.value_or("");
  out.date = date.value_or("");
  out.points = points.value_or(0);
  TRY(out.train_error, read_number(*table, "train_error", NumberRange::not_negative));
  TRY(out.test_error, read_number(*table, "test_error", NumberRange::not_negative));
  TRY(const auto range, table->table("range"));
  std::vector<std::string> known = collective_kind_names();
  known.insert(known.end(), {kProduct, kElementwise});
  for (const std::string& kind : range ? range->keys() : std::vector<std::string>{}) {
    TRY_VOID(check_kind(kind, known, range->where(kind)));
    TRY(const auto ends, range->numbers(kind));
    const bool good =
        ends && ends->size() == 2 && 0 <= (*ends)[0] && (*ends)[0] <= (*ends)[1] && std::isfinite((*ends)[1]);
    if (!good)
      return invalid(fmt::format("the range of '{}' must be two sizes, the smaller one first", kind),
                     range->where(kind), "write it as [1e3, 1e9]");
    out.range[kind] = {(*ends)[0], (*ends)[1]};
  }
  TRY_VOID(table->refuse_unread());
  return std::optional(std::move(out));
}

std::string products_text(const std::vector<ProductTiles>& products) {
  std::string out;
  for (const ProductTiles& row : products) {
    std::vector<std::string> types, tiles, shares;
    for (const ElementType type : row.types) types.push_back(toml_text(std::string(name(type))));
    for (const ProductTiles::Tile& tile : row.tiles) {
      tiles.push_back(toml_text(fmt::format("{}x{}x{}", tile.size[0], tile.size[1], tile.size[2])));
      shares.push_back(toml_text(tile.share));
    }
    out += fmt::format("\n[[product]]\ntypes = [{}]\ntiles = [{}]\nshares = [{}]\nunits = {}\n",
                       join(types, ", "), join(tiles, ", "), join(shares, ", "), row.units);
    out += number_line("efficiency", row.efficiency) + number_line("hbm_efficiency", row.hbm_efficiency) +
           number_line("unit_bytes_per_s", row.unit_bytes_per_s) + number_line("launch_s", row.launch_s) +
           number_line("wave_s", row.wave_s) + number_line("step_s", row.step_s) +
           number_line("unit_elements", row.unit_elements) + number_line("split_s", row.split_s) +
           number_line("write_bytes_per_s", row.write_bytes_per_s) +
           number_line("cache_bytes_per_s", row.cache_bytes_per_s) + number_line("mixing", row.mixing);
    if (row.unaligned_share != 1) out += number_line("unaligned_share", row.unaligned_share);
  }
  return out;
}

std::string work_text(const std::vector<WorkRate>& work) {
  std::string out;
  for (const WorkRate& row : work)
    out += fmt::format("\n[[work]]\nkind = {}\n", toml_text(row.kind)) +
           number_line("launch_s", row.launch_s) + number_line("hbm_efficiency", row.hbm_efficiency) +
           number_line("efficiency", row.efficiency);
  return out;
}

std::string parts_line(const LinkOp::Parts& parts) {
  std::string out = fmt::format("parts = {{ channels = {}, bytes = {}, bytes_per_s = {}, ", parts.channels,
                                toml_text(parts.bytes), toml_text(parts.bytes_per_s));
  if (parts.one_peer_bytes_per_s)
    out += fmt::format("one_peer_bytes_per_s = {}, ", toml_text(*parts.one_peer_bytes_per_s));
  if (parts.hidden_s > 0) out += fmt::format("hidden_s = {}, ", toml_text(parts.hidden_s));
  return out + fmt::format("launch_s = {}, small_bytes = {}, small_bytes_per_s = {} }}\n",
                           toml_text(parts.launch_s), toml_text(parts.small_bytes),
                           toml_text(parts.small_bytes_per_s));
}

std::string link_ops_text(const std::vector<LinkOp>& ops) {
  std::string out;
  for (const LinkOp& op : ops) {
    out += fmt::format("\n[[link.op]]\nkind = {}\n", toml_text(op.kind));
    if (op.group) out += fmt::format("group = {}\n", *op.group);
    if (op.axis) out += fmt::format("axis = {}\n", *op.axis);
    out += number_line("launch_s", op.launch_s) + number_line("step_s", op.step_s) +
           number_line("bytes_per_s", op.bytes_per_s);
    if (op.ramp)
      out +=
          fmt::format("ramp = {{ c = {}, gamma = {} }}\n", toml_text(op.ramp->c), toml_text(op.ramp->gamma));
    if (op.parts) out += parts_line(*op.parts);
    if (op.in_switch) out += "in_switch = true\n";
  }
  return out;
}

std::string overlap_text(const Hardware::Overlap& overlap) {
  if (overlap == Hardware::Overlap()) return "";
  std::string out = "\n[overlap]\n" + number_line("sync_s", overlap.sync_s);
  if (!overlap.ops) return out;
  std::vector<std::string> words;
  for (const std::string& kind : *overlap.ops) words.push_back(toml_text(kind));
  return out + fmt::format("ops = [{}]\n", join(words, ", "));
}

std::string programs_text(const Hardware::Programs& it) {
  if (it == Hardware::Programs()) return "";
  return "\n[program]\n" + number_line("alone_launch_s", it.alone_launch_s) +
         number_line("scratch_s", it.scratch_s) + number_line("sustained", it.sustained) +
         number_line("sustained_from", it.sustained_from);
}

std::string calibration_text(const Hardware::Calibrated& it) {
  std::string out = "\n[calibration]\n";
  if (!it.source.empty()) out += fmt::format("source = {}\n", toml_text(it.source));
  if (it.points > 0) out += fmt::format("points = {}\n", it.points);
  if (!it.date.empty()) out += fmt::format("date = {}\n", toml_text(it.date));
  out += number_line("train_error", it.train_error) + number_line("test_error", it.test_error);
  std::vector<std::string> entries;
  for (const auto& [kind, ends] : it.range)
    entries.push_back(fmt::format("{} = [{}, {}]", kind, toml_text(ends[0]), toml_text(ends[1])));
  if (!entries.empty()) out += fmt::format("range = {{ {} }}\n", join(entries, ", "));
  return out;
}

}  // namespace shardscope::inline hardware
