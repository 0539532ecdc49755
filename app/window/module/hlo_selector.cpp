// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_selector.h"

#include "app/window/module/hlo_sharding_line.h"

namespace shardscope::inline window {

HloSelector::HloSelector(const Parts& parts, QObject* parent) : QObject(parent), parts_(parts) {
  connect(parts.texts->source(), &HloTextView::instructionChosen, this, &HloSelector::chooseSource);
  connect(parts.texts->readOnly(), &LineView::instructionChosen, this, &HloSelector::chooseSource);
  connect(parts.texts->made(), &LineView::instructionChosen, this, &HloSelector::chooseMade);
  connect(parts.texts->links(), &LineLinkCanvas::linkClicked, this, [this](int link) {
    chooseSource(QString::fromStdString(parts_.texts->links()->links()[static_cast<size_t>(link)].left));
  });
  connect(parts.stages, &HloStages::sourceChosen, this, &HloSelector::chooseSource);
  connect(parts.tables, &HloTables::collectiveChosen, this, &HloSelector::chooseCollective);
  connect(parts.tables, &HloTables::instructionChosen, this, &HloSelector::chooseSource);
  connect(parts.outline, &HloOutline::instructionChosen, this, &HloSelector::chooseSource);
  connect(parts.clock, &Clock::changed, this, &HloSelector::followClock);
}

void HloSelector::setReading(std::shared_ptr<const HloReading> reading) {
  reading_ = std::move(reading);
  parts_.texts->setReading(reading_.get());
  parts_.stages->setReading(reading_);
  parts_.outline->setReading(reading_);
  parts_.tables->setModule(reading_ ? &reading_->explained : nullptr);
  const HloChosen again = std::exchange(chosen_, {});
  if (!reading_) return choose({});
  const ExplainedModule& explained = reading_->explained;
  if (again.collective >= 0 && again.collective < static_cast<int>(explained.collectives.size()) &&
      again.shown.isEmpty())
    return chooseCollective(again.collective);
  if (!again.shown.isEmpty() && explained.find(again.shown.toStdString()) != nullptr)
    return chooseSource(again.shown);
  if (!explained.collectives.empty()) return chooseCollective(0);
  choose({});
}

void HloSelector::chooseSource(const QString& instruction) {
  if (!reading_) return;
  const HloChosen chosen = chosen_by_source(reading_->explained, instruction);
  choose(chosen);
  const auto& collectives = reading_->explained.collectives;
  tellClock(chosen.collective >= 0
                ? QString::fromStdString(collectives[static_cast<size_t>(chosen.collective)].origin.name)
                : first_by_line(chosen.made, *parts_.texts->made()));
}

void HloSelector::chooseMade(const QString& instruction) {
  if (!reading_) return;
  choose(chosen_by_made(reading_->explained, instruction, parts_.texts->lines()));
  tellClock(instruction);
}

void HloSelector::chooseCollective(int collective) {
  if (!reading_ || collective < 0) return;
  const ModuleCollective& c = reading_->explained.collectives[static_cast<size_t>(collective)];
  chooseMade(QString::fromStdString(c.origin.name));
}

void HloSelector::choose(const HloChosen& chosen) {
  chosen_ = chosen;
  QString first_made = first_by_line(chosen.made, *parts_.texts->made()), because;
  if (reading_ && chosen.collective >= 0) {
    const ModuleCollective& c = reading_->explained.collectives[static_cast<size_t>(chosen.collective)];
    first_made = QString::fromStdString(c.origin.name);
    because = QString::fromStdString(reading_->explained.reason(c));
  }
  parts_.outline->show(chosen.shown);
  parts_.tables->selectCollective(chosen.collective);
  parts_.tables->setWhy(because);
  parts_.tables->alternative()->setCollective(reading_, chosen.collective);
  parts_.texts->show(chosen, first_made);
  parts_.stages->follow(chosen.shown);
  drawSharding();
}

void HloSelector::drawSharding() {
  if (!reading_ || chosen_.shown.isEmpty()) return parts_.sharding->setArray(std::nullopt, "", {});
  const InstructionLines& source = parts_.texts->lines();
  const auto own = sharding_in(source.lineText(source.lineOf(chosen_.shown)), chosen_.shown.toStdString());
  QStringList origin;
  for (const std::string& reason : reading_->explained.reasons(chosen_.shown.toStdString()))
    origin << QString::fromStdString(reason);
  parts_.sharding->setArray(array_of(reading_->explained, chosen_.shown), QString::fromStdString(own),
                            origin);
}

bool HloSelector::showsOurRun() const {
  return reading_ && parts_.clock->subject() == Subject::module && parts_.clock->shown();
}

// The run's instruction of that name becomes the selection of timeline, ring and grid.
void HloSelector::tellClock(const QString& made) {
  if (telling_ || !showsOurRun()) return;
  const Program& program = parts_.clock->shown()->run->program;
  for (int32_t k = 0; k < program.instruction_count(); ++k) {
    if (program.by_global_index(k).name != made.toStdString()) continue;
    telling_ = true;
    parts_.clock->select({.kind = ItemId::Kind::instruction, .instruction = k});
    telling_ = false;
    return;
  }
}

void HloSelector::followClock() {
  if (telling_ || !showsOurRun()) return;
  const int32_t selected = parts_.clock->selection().selected.instruction;
  if (selected < 0) return;
  const std::string& in_run = parts_.clock->shown()->run->program.by_global_index(selected).name;
  const ExplainedModule& explained = reading_->explained;
  const auto collective = explained.collective_named(in_run);
  const QString made =
      QString::fromStdString(collective ? explained.collectives[*collective].origin.name : in_run);
  if (chosen_.made == QSet<QString>{made} || parts_.texts->made()->lineOf(made) < 0) return;
  telling_ = true;
  chooseMade(made);
  telling_ = false;
}

}  // namespace shardscope::inline window
