// SPDX-License-Identifier: Apache-2.0
// A module as it was read, and what of it is selected.
#pragma once

#include <QSet>
#include <QString>
#include <QStringList>
#include <optional>

#include "app/window/text/indexed_text.h"
#include "app/window/text/instruction_lines.h"
#include "engine/program/analysis/outline.h"
#include "engine/session/hlo_explain.h"
#include "views/scene/module/layout_hlo.h"

namespace shardscope::inline window {

struct HloReading {
  ExplainedModule explained;
  ExplainOptions options;       // it was read with
  Outline outline;              // of the module
  InstructionPlacesPtr places;  // of instructions that the text has by no name; null: of none
  IndexedTextPtr made;          // the partitioned program's text; null: there is none
};

struct HloChosen {
  QSet<QString> sources, made;  // instructions of the module and of the partitioned program
  QString shown;                // whose sharding is drawn; "": none
  int collective = -1;          // its place among the module's; -1: none
};

// What belongs to one instruction of the module, or of the partitioned program.
HloChosen chosen_by_source(const ExplainedModule& explained, const QString& instruction);
HloChosen chosen_by_made(const ExplainedModule& explained, const QString& instruction,
                         const InstructionLines& source);
// The instruction that is first in the text; "" when none is there.
QString first_by_line(const QSet<QString>& names, const InstructionLines& view);

// An instruction's array under its sharding; none: it is a tuple, or not there.
std::optional<ShardedArray> array_of(const ExplainedModule& explained, const QString& source);
Mesh mesh_of(const ExplainedModule& explained);
// What tooltips say of an instruction of the module, and of the partitioned program.
QStringList words_of_source(const ExplainedModule& explained, const QString& instruction);
QStringList words_of_made(const ExplainedModule& explained, const QString& instruction);

}  // namespace shardscope::inline window
