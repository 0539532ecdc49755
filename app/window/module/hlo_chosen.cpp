// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_chosen.h"

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

QSet<QString> set_of(const std::vector<std::string>& names) {
  QSet<QString> out;
  for (const std::string& name : names) out.insert(QString::fromStdString(name));
  return out;
}

}  // namespace

QString first_by_line(const QSet<QString>& names, const InstructionLines& view) {
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

HloChosen chosen_by_source(const ExplainedModule& explained, const QString& instruction) {
  HloChosen out;
  out.sources = {instruction};
  out.made = set_of(explained.made_for(instruction.toStdString()));
  out.shown = instruction;
  for (size_t k = explained.collectives.size(); k-- > 0;)
    if (out.made.contains(QString::fromStdString(explained.collectives[k].origin.name)))
      out.collective = static_cast<int>(k);
  return out;
}

HloChosen chosen_by_made(const ExplainedModule& explained, const QString& instruction,
                         const InstructionLines& source) {
  HloChosen out;
  out.made = {instruction};
  out.sources = set_of(explained.sources_of(instruction.toStdString()));
  out.shown = first_by_line(out.sources, source);
  if (const auto collective = explained.collective_named(instruction.toStdString()))
    out.collective = static_cast<int>(*collective);
  return out;
}

Mesh mesh_of(const ExplainedModule& explained) {
  const Program* program = explained.program();
  return program != nullptr ? program->mesh : explained.module().mesh;
}

std::optional<ShardedArray> array_of(const ExplainedModule& explained, const QString& source) {
  const Instruction* i = explained.find(source.toStdString());
  if (i == nullptr || i->shape.is_tuple) return std::nullopt;
  ShardedArray out;
  out.name = display_name(*i);
  out.mesh = mesh_of(explained);
  out.type = name(i->shape.type);
  out.dims = i->shape.dims;
  out.sharding = explained.sharding_of(i->name);
  if (explained.partitioned() != nullptr || explained.failure) return out;
  // It came partitioned: dims are one device's. A parameter's sharding says what they are a part of.
  const bool tiled = out.sharding && out.sharding->kind == HloSharding::Kind::tiled &&
                     out.sharding->data_rank() == out.dims.size();
  if (tiled && i->opcode == Opcode::parameter) {
    for (size_t d = 0; d < out.dims.size(); ++d) out.dims[d] *= out.sharding->tiles.dims[d];
    return out;
  }
  out.holds = explained.same.contains(i->name) ? ShardedArray::Holds::same : ShardedArray::Holds::own;
  return out;
}

QStringList words_of_source(const ExplainedModule& explained, const QString& instruction) {
  QStringList out;
  if (const auto array = array_of(explained, instruction))
    out << QString::fromStdString(array->name + ": " + sharding_words(*array));
  for (const std::string& reason : explained.reasons(instruction.toStdString()))
    out << QString::fromStdString(reason);
  return out;
}

QStringList words_of_made(const ExplainedModule& explained, const QString& instruction) {
  QStringList out;
  for (const ModuleCollective& c : explained.collectives)
    if (c.origin.name == instruction.toStdString()) out << QString::fromStdString(explained.reason(c));
  for (const std::string& source : explained.sources_of(instruction.toStdString()))
    out << "for "_tr + QString::fromStdString(explained.display_name(source));
  return out;
}

}  // namespace shardscope::inline window
