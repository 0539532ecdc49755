// SPDX-License-Identifier: Apache-2.0
#include "engine/request/file_tables.h"

#include <fmt/format.h>

#include "engine/base/text.h"
#include "engine/request/fields.h"

namespace shardscope::inline request {
namespace {

Result<int64_t> read_size(const TomlTable& table) {
  TRY(const auto size, table.integer("size"));
  if (!size) return invalid("'size' is missing", table.where());
  if (*size < 1) return invalid(fmt::format("'size' must be at least 1, got {}", *size), table.where("size"));
  return *size;
}

Result<double> read_speed(const TomlTable& table, bool may_be_zero) {
  TRY(const auto speed, table.number("speed"));
  if (!speed) return invalid("'speed' is missing", table.where());
  if (!(*speed > 0 || (may_be_zero && *speed == 0)) || *speed > 1e9) {
    return invalid(
        fmt::format("'speed' must be {}, got {}", may_be_zero ? "0 or more" : "more than 0", *speed),
        table.where("speed"));
  }
  return *speed;
}

Result<int64_t> read_chip(const TomlTable& table, const char* key) {
  TRY(const auto chip, table.integer(key));
  if (!chip) return invalid(fmt::format("'{}' is missing", key), table.where());
  if (*chip < 0) return invalid(fmt::format("'{}' must be a chip, got {}", key, *chip), table.where(key));
  return *chip;
}

}  // namespace

Result<std::string> read_required(const TomlTable& table, const char* key) {
  TRY(auto value, table.string(key));
  if (!value) return invalid(fmt::format("'{}' is missing", key), table.where());
  return *value;
}

Result<Mesh> read_mesh(const TomlTable& table, bool& chip_wraps) {
  std::vector<MeshAxis> axes;
  TRY(const auto entries, table.tables("axes"));
  size_t said = 0;
  for (const TomlTable& entry : entries) {
    MeshAxis& axis = axes.emplace_back();
    TRY(axis.name, read_required(entry, "name"));
    TRY(axis.size, read_size(entry));
    TRY(const auto wrap, entry.boolean("wrap"));
    axis.wrap = wrap.value_or(true);
    said += wrap ? 1 : 0;
    TRY_VOID(entry.refuse_unread());
  }
  if (said > 0 && said < axes.size()) {
    return invalid("some axes say whether they wrap, some do not", table.where("axes"),
                   "say wrap of every axis, or of none for the chip's own rule");
  }
  chip_wraps = said == 0 && !axes.empty();
  std::vector<int32_t> order;
  TRY(const auto ids, table.integers("device_order"));
  for (const int64_t id : ids.value_or(std::vector<int64_t>{})) {
    if (id < 0 || id >= Mesh::kMaxDevices) {
      return invalid(
          fmt::format("device {} in the device order, expected 0 to {}", id, Mesh::kMaxDevices - 1),
          table.where("device_order"));
    }
    order.push_back(static_cast<int32_t>(id));
  }
  TRY_VOID(table.refuse_unread());
  auto mesh = Mesh::make(std::move(axes), std::move(order));
  if (!mesh.ok()) return placed(mesh.error(), table.where("axes"));
  return mesh;
}

Result<HardwareOverrides> read_overrides(const TomlTable& root) {
  HardwareOverrides out;
  TRY(const auto devices, root.tables("slow_device"));
  for (const TomlTable& table : devices) {
    DeviceOverride& it = out.devices.emplace_back();
    TRY(it.chip, read_chip(table, "chip"));
    TRY(it.speed, read_speed(table, false));
    TRY_VOID(table.refuse_unread());
  }
  TRY(const auto links, root.tables("slow_link"));
  for (const TomlTable& table : links) {
    LinkOverride& it = out.links.emplace_back();
    TRY(it.a, read_chip(table, "a"));
    TRY(it.b, read_chip(table, "b"));
    TRY(it.speed, read_speed(table, true));
    TRY_VOID(table.refuse_unread());
  }
  return out;
}

std::string mesh_axes_toml(const Mesh& mesh, bool chip_wraps) {
  std::vector<std::string> axes;
  for (const MeshAxis& axis : mesh.axes()) {
    const std::string wrap = chip_wraps ? "" : fmt::format(", wrap = {}", axis.wrap);
    axes.push_back(fmt::format("{{ name = {}, size = {}{} }}", toml_text(axis.name), axis.size, wrap));
  }
  return axes.empty() ? "[]" : "[ " + join(axes, ", ") + " ]";
}

std::string device_order_toml(const Mesh& mesh) {
  std::vector<std::string> ids;
  for (const int32_t id : mesh.device_order()) ids.push_back(std::to_string(id));
  return "[" + join(ids, ", ") + "]";
}

std::string overrides_toml(const HardwareOverrides& overrides) {
  std::string out;
  for (const DeviceOverride& it : overrides.devices)
    out += fmt::format("\n[[slow_device]]\nchip = {}\nspeed = {}\n", it.chip, toml_text(it.speed));
  for (const LinkOverride& it : overrides.links)
    out += fmt::format("\n[[slow_link]]\na = {}\nb = {}\nspeed = {}\n", it.a, it.b, toml_text(it.speed));
  return out;
}

}  // namespace shardscope::inline request
