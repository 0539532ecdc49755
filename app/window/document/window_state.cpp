// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/window_state.h"

#include <QJsonArray>
#include <QJsonDocument>

#include "engine/request/request_json.h"

namespace shardscope {
namespace {

QString experiment_text(const Experiment& experiment) {
  return QString::fromStdString(request_parts_text(experiment, {}));
}

Result<Experiment> read_experiment(const QJsonValue& value) {
  TRY(RequestParts parts, parse_request_parts(value.toString().toStdString()));
  return std::move(parts.experiment);
}

QJsonValue json(const std::optional<int64_t>& id) {
  return id ? QJsonValue(static_cast<qint64>(*id)) : QJsonValue();
}

std::optional<int64_t> read_id(const QJsonValue& value) {
  return value.isDouble() ? std::optional<int64_t>(value.toInteger()) : std::nullopt;
}

QJsonObject json(const Selection& selection) {
  const ItemId& item = selection.selected;
  QJsonObject out{{"time", static_cast<qint64>(selection.time)},
                  {"item", QJsonArray{static_cast<int>(item.kind), item.device, item.instruction, item.event,
                                      item.lane, item.index}}};
  if (selection.range)
    out["range"] =
        QJsonArray{static_cast<qint64>(selection.range->start), static_cast<qint64>(selection.range->end)};
  return out;
}

Selection read_selection(const QJsonObject& in) {
  Selection out;
  out.time = in["time"].toInteger();
  const QJsonArray item = in["item"].toArray();
  const int kind = item.at(0).toInt();
  if (item.size() == 6 && kind >= 0 && kind <= static_cast<int>(ItemId::Kind::candidate))
    out.selected = {static_cast<ItemId::Kind>(kind),
                    item[1].toInt(),
                    item[2].toInt(),
                    item[3].toInt(),
                    item[4].toInt(),
                    item[5].toInt()};
  if (const QJsonArray range = in["range"].toArray(); range.size() == 2)
    out.range = TimeRange{range[0].toInteger(), range[1].toInteger()};
  return out;
}

}  // namespace

QByteArray text(const WindowState& state) {
  QJsonArray current, skipped, others, hidden;
  for (const int64_t id : state.hidden) hidden.append(static_cast<qint64>(id));
  for (const int64_t id : state.others) others.append(static_cast<qint64>(id));
  for (const int64_t id : state.current) current.append(static_cast<qint64>(id));
  for (const SkippedRun& run : state.skipped)
    skipped.append(QJsonArray{QString::fromStdString(run.strategy), QString::fromStdString(run.reason)});
  QJsonObject out{{"experiment", experiment_text(state.experiment)},
                  {"file", state.file},
                  {"numerics", state.numerics},
                  {"current", current},
                  {"hidden", hidden},
                  {"skipped", skipped},
                  {"shown", json(state.shown)},
                  {"others", others},
                  {"selection", json(state.selection)},
                  {"parts", state.parts}};
  if (state.saved) {
    const bool same = *state.saved == state.experiment;
    out["saved"] = same ? QJsonValue(true) : QJsonValue(experiment_text(*state.saved));
  }
  return QJsonDocument(out).toJson(QJsonDocument::Compact);
}

Result<WindowState> read_state(const QByteArray& text) {
  const QJsonObject in = QJsonDocument::fromJson(text).object();
  if (!in.contains("experiment")) return invalid("this is not a state of a window");
  WindowState out;
  TRY(out.experiment, read_experiment(in["experiment"]));
  out.file = in["file"].toString();
  out.numerics = in["numerics"].toBool(true);
  if (in["saved"].isBool()) out.saved = out.experiment;
  if (in["saved"].isString()) {
    TRY(out.saved, read_experiment(in["saved"]));
  }
  for (const auto& id : in["current"].toArray()) out.current.push_back(id.toInteger());
  for (const auto& id : in["hidden"].toArray()) out.hidden.push_back(id.toInteger());
  for (const auto& run : in["skipped"].toArray())
    out.skipped.push_back(
        {run.toArray().at(0).toString().toStdString(), run.toArray().at(1).toString().toStdString()});
  out.shown = read_id(in["shown"]);
  for (const auto& id : in["others"].toArray()) out.others.push_back(id.toInteger());
  out.selection = read_selection(in["selection"].toObject());
  out.parts = in["parts"].toObject();
  return out;
}

}  // namespace shardscope
