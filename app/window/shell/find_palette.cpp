// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/find_palette.h"

#include "app/window/document/language.h"
#include "app/window/shell/command_palette.h"

namespace shardscope::inline window {
namespace {

PaletteEntry instruction_entry(Clock& clock, const Instruction& instruction, int32_t number) {
  return {QString::fromStdString(display_name(instruction)),
          QString::fromStdString(instruction.provenance->op_name), [&clock, number] {
            ItemId item;
            item.kind = ItemId::Kind::instruction;
            item.instruction = number;
            clock.select(item);
          }};
}

PaletteEntry device_entry(Clock& clock, const Mesh& mesh, int32_t device) {
  QStringList place;
  for (const int64_t c : mesh.coordinates(DeviceId(device))) place << QString::number(c);
  return {"device (%1)"_tr.arg(place.join(',')), "device %1"_tr.arg(device), [&clock, device] {
            ItemId item;
            item.kind = ItemId::Kind::device;
            item.device = device;
            clock.select(item);
          }};
}

}  // namespace

void show_find(const Context& c) {
  Clock& clock = c.bench.clock();
  if (!clock.shown()) return;
  std::vector<PaletteEntry> entries;
  const Program& program = clock.shown()->run->program;
  for (int32_t i = 0; i < program.instruction_count(); ++i)
    entries.push_back(instruction_entry(clock, program.by_global_index(i), i));
  const Mesh& mesh = clock.shown()->run->mesh;
  for (int32_t d = 0; d < static_cast<int32_t>(mesh.device_count()); ++d)
    entries.push_back(device_entry(clock, mesh, d));
  (new CommandPalette("Find an instruction or a device"_tr, std::move(entries), &c.window))->show();
}

}  // namespace shardscope::inline window
