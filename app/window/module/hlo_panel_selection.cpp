// SPDX-License-Identifier: Apache-2.0
// The HLO dock's one selection: lines of both texts, the collective's row, the drawn sharding, the run's
// step.
#include <QTextBlock>
#include <algorithm>

#include "app/window/module/hlo_panel.h"
#include "engine/program/text/hlo_lines.h"

namespace shardscope {
namespace {

constexpr qsizetype kMostChosenLinks = 200;

QString first_by_line(const QSet<QString>& names, const HloTextView& view) {
  QString first;
  int best = -1;
  for (const QString& name : names) {
    const int line = view.lineOf(name);
    if (line < 0 || (best >= 0 && line >= best)) continue;
    first = name;
    best = line;
  }
  return first;
}

QSet<QString> set_of(const std::vector<std::string>& names) {
  QSet<QString> out;
  for (const std::string& name : names) out.insert(QString::fromStdString(name));
  return out;
}

}  // namespace

void HloPanel::chooseSource(const QString& instruction) {
  if (!reading_) return;
  Chosen chosen;
  chosen.sources = {instruction};
  chosen.made = set_of(reading_->explained.made_for(instruction.toStdString()));
  chosen.shown = instruction;
  const auto& collectives = reading_->explained.collectives;
  for (size_t k = collectives.size(); k-- > 0;)
    if (chosen.made.contains(QString::fromStdString(collectives[k].origin.name)))
      chosen.collective = static_cast<int>(k);
  choose(chosen);
  tellClock(chosen.collective >= 0
                ? QString::fromStdString(collectives[static_cast<size_t>(chosen.collective)].origin.name)
                : first_by_line(chosen.made, *made_));
}

void HloPanel::chooseMade(const QString& instruction) {
  if (!reading_) return;
  const auto collective = reading_->explained.collective_named(instruction.toStdString());
  Chosen chosen;
  chosen.made = {instruction};
  chosen.sources = set_of(reading_->explained.sources_of(instruction.toStdString()));
  chosen.shown = first_by_line(chosen.sources, *source_);
  if (collective) chosen.collective = static_cast<int>(*collective);
  choose(chosen);
  tellClock(instruction);
}

void HloPanel::chooseCollective(int collective) {
  if (!reading_ || collective < 0) return;
  const ModuleCollective& c = reading_->explained.collectives[static_cast<size_t>(collective)];
  chooseMade(QString::fromStdString(c.origin.name));
}

void HloPanel::choose(const Chosen& chosen) {
  chosen_ = chosen;
  source_->mark(chosen.sources);
  made_->mark(chosen.made);
  if (!source_->hasFocus()) source_->reveal(first_by_line(chosen.sources, *source_));
  tables_->selectCollective(chosen.collective);
  QString lines = first_by_line(chosen.made, *made_);
  if (reading_ && chosen.collective >= 0) {
    const ModuleCollective& c = reading_->explained.collectives[static_cast<size_t>(chosen.collective)];
    tables_->setWhy(QString::fromStdString(why(c)));
    lines = QString::fromStdString(c.origin.name);
  } else {
    tables_->setWhy("");
  }
  if (!made_->hasFocus()) made_->reveal(lines);
  if (!reading_ || chosen.shown.isEmpty()) {
    sharding_->setArray(std::nullopt, "", {});
  } else {
    const std::string line =
        source_->document()->findBlockByNumber(source_->lineOf(chosen.shown)).text().toStdString();
    const auto span = sharding_on(line);
    QStringList origin;
    for (const std::string& reason : reading_->explained.reasons(chosen.shown.toStdString()))
      origin << QString::fromStdString(reason);
    sharding_->setArray(arrayOf(chosen.shown),
                        span ? QString::fromStdString(line.substr(span->begin, span->end - span->begin)) : "",
                        origin);
  }
  drawLinks();
}

std::optional<ShardedArray> HloPanel::arrayOf(const QString& source) const {
  const ExplainedModule& explained = reading_->explained;
  const Instruction* i = explained.find(source.toStdString());
  if (i == nullptr || i->shape.is_tuple) return std::nullopt;
  ShardedArray out;
  out.name = i->name;
  const Program* program = explained.program();
  out.mesh = program != nullptr ? program->mesh : explained.module.mesh;
  out.type = name(i->shape.type);
  out.dims = i->shape.dims;
  out.sharding = explained.sharding_of(i->name);
  return out;
}

// Faint lines for what is in sight, strong ones for what is chosen, wherever it is.
void HloPanel::drawLinks() {
  if (!reading_) return links_->setLinks({});
  std::vector<LineLink> links;
  const auto add = [&](const std::string& left, const std::string& right, bool chosen) {
    const int from = source_->lineOf(QString::fromStdString(left));
    const int to = made_->lineOf(QString::fromStdString(right));
    if (from < 0 || to < 0) return;
    links.push_back({left, right, source_->middleOf(from), made_->middleOf(to), chosen});
  };
  const auto [first, last] = source_->visibleLines();
  const auto [first_made, last_made] = made_->visibleLines();
  for (int line = first; line <= last; ++line) {
    const QString source = source_->instructionAt(line);
    if (source.isEmpty()) continue;
    for (const std::string& each : reading_->explained.directly_made_for(source.toStdString())) {
      const int to = made_->lineOf(QString::fromStdString(each));
      if (to >= first_made && to <= last_made) add(source.toStdString(), each, false);
    }
  }
  for (const QString& source : chosen_.sources) {
    for (const std::string& each : reading_->explained.made_for(source.toStdString())) {
      if (std::ssize(links) > kMostChosenLinks * 2) break;
      if (chosen_.made.contains(QString::fromStdString(each))) add(source.toStdString(), each, true);
    }
  }
  links_->setLinks(std::move(links));
}

QStringList HloPanel::wordsOfSource(const QString& instruction) const {
  if (!reading_) return {};
  const auto array = arrayOf(instruction);
  QStringList out;
  if (array) out << instruction + ": " + QString::fromStdString(sharding_words(*array));
  for (const std::string& reason : reading_->explained.reasons(instruction.toStdString()))
    out << QString::fromStdString(reason);
  return out;
}

QStringList HloPanel::wordsOfMade(const QString& instruction) const {
  if (!reading_) return {};
  QStringList out;
  for (const ModuleCollective& c : reading_->explained.collectives)
    if (c.origin.name == instruction.toStdString()) out << QString::fromStdString(why(c));
  for (const std::string& source : reading_->explained.sources_of(instruction.toStdString()))
    out << "for " + QString::fromStdString(source);
  return out;
}

// The run's instruction of that name becomes the selection of timeline, ring and grid.
void HloPanel::tellClock(const QString& made) {
  const ShownRunPtr& shown = bench_.clock().shown();
  if (telling_ || !run_id_ || !shown || shown->run->id != run_id_) return;
  const Program& program = shown->run->program;
  for (int32_t k = 0; k < program.instruction_count(); ++k) {
    if (program.by_global_index(k).name != made.toStdString()) continue;
    telling_ = true;
    bench_.clock().select({.kind = ItemId::Kind::instruction, .instruction = k});
    telling_ = false;
    return;
  }
}

void HloPanel::followClock() {
  const ShownRunPtr& shown = bench_.clock().shown();
  if (telling_ || !reading_ || !run_id_ || !shown || shown->run->id != run_id_) return;
  const int32_t selected = bench_.clock().selection().selected.instruction;
  if (selected < 0) return;
  const std::string& in_run = shown->run->program.by_global_index(selected).name;
  const auto collective = reading_->explained.collective_named(in_run);
  const QString made =
      QString::fromStdString(collective ? reading_->explained.collectives[*collective].origin.name : in_run);
  if (chosen_.made == QSet<QString>{made} || made_->lineOf(made) < 0) return;
  telling_ = true;
  chooseMade(made);
  telling_ = false;
}

}  // namespace shardscope
