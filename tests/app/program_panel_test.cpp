// SPDX-License-Identifier: Apache-2.0
// The Program dock: a long program has an outline beside it, whose rows select; a short one has none.
#include "app/window/runs/program_panel.h"

#include <QApplication>

#include "app/window/runs/event_search.h"
#include "engine/program/text/hlo_text.h"
#include "engine/schedule/schedule.h"
#include "tests/app/window_fixture.h"

namespace shardscope::program_panel_test {
namespace {

ShownRunPtr layered(int layers) {
  std::string text = "HloModule m, num_partitions=2\nENTRY main {\n  x0 = f32[64,64] parameter(0)\n";
  for (int l = 0; l < layers; ++l) {
    const std::string n = std::to_string(l), next = std::to_string(l + 1);
    text += "  x" + next + " = f32[64,64] dot(x" + n +
            ", x0), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
            "metadata={op_name=\"jit(step)/layer_" +
            n + "/dot_general\"}\n";
  }
  auto run = std::make_shared<Run>();
  run->mesh = *Mesh::parse("x=2");
  run->hardware = *find_hardware("tpu-v5e");
  run->program = *parse_program(text + "  ROOT r = f32[64,64] copy(x" + std::to_string(layers) + ")\n}\n");
  run->program.mesh = run->mesh;
  run->timeline = *schedule(run->program, run->hardware, {}, {});
  return with_story(show(run), {});
}

TEST(ProgramPanel, ALongProgramHasAnOutlineWhoseRowsSelect) {
  Clock clock;
  ProgramPanel panel(clock);
  panel.show();
  clock.showRun(layered(300));
  ASSERT_FALSE(panel.outline()->isHidden());
  panel.outline()->filter()->setText("layer");
  ASSERT_EQ(panel.outline()->tree()->topLevelItemCount(), 1);
  QTreeWidgetItem* row = panel.outline()->tree()->topLevelItem(0);
  EXPECT_EQ(row->text(0).toStdString(), "layer_0–299 ×300");
  Q_EMIT panel.outline()->tree()->itemClicked(row, 0);
  const int32_t chosen = clock.selection().selected.instruction;
  ASSERT_GE(chosen, 0);
  EXPECT_EQ(clock.shown()->run->program.by_global_index(chosen).name, "x1");
  EXPECT_FALSE(panel.text()->extraSelections().isEmpty());

  panel.outline()->filter()->clear();
  ItemId item;
  item.kind = ItemId::Kind::instruction;
  item.instruction = chosen + 7;
  clock.select(item);
  ASSERT_NE(panel.outline()->tree()->currentItem(), nullptr);
  EXPECT_EQ(panel.outline()->tree()->currentItem()->text(0).toStdString(), "layer_0–299 ×300");
}

TEST(ProgramPanel, AShortProgramIsReadAsItIs) {
  Clock clock;
  ProgramPanel panel(clock);
  panel.show();
  clock.showRun(layered(3));
  EXPECT_TRUE(panel.outline()->isHidden());
  EXPECT_FALSE(panel.text()->toPlainText().isEmpty());
}

TEST(EventSearch, FindsTheEventsOfALayer) {
  const ShownRunPtr shown = layered(12);
  const auto& events = shown->run->timeline.events;
  const auto expected = std::ranges::count_if(events, [&](const Event& e) {
    return shown->run->program.by_global_index(e.instruction).provenance->op_name ==
           "jit(step)/layer_7/dot_general";
  });
  ASSERT_GT(expected, 0);
  EXPECT_EQ(find_events(*shown, "layer_7/", 100).count, expected);
  EXPECT_EQ(find_events(*shown, "layer_7/ (1)", 100).count, expected / 2);
}

}  // namespace
}  // namespace shardscope::program_panel_test
