// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/window_state.h"

#include <QJsonArray>
#include <QJsonDocument>

#include "engine/request/request_json.h"

namespace shardscope::inline window {
namespace {

QString experiment_text(const Experiment& experiment) {
  return QString::fromStdString(request_parts_text(experiment, {}));
}

Result<Experiment> read_experiment(const QJsonValue& value) {
  TRY(RequestParts parts, parse_request_parts(value.toString().toStdString()));
  return std::move(parts.experiment);
}

QJsonArray json(const std::vector<int64_t>& ids) {
  QJsonArray out;
  for (const int64_t id : ids) out.append(static_cast<qint64>(id));
  return out;
}

std::vector<int64_t> read_ids(const QJsonValue& value) {
  std::vector<int64_t> out;
  for (const auto& id : value.toArray()) out.push_back(id.toInteger());
  return out;
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

ShownState read_shown(const QJsonObject& in) {
  ShownState out{{}, read_selection(in["selection"].toObject())};
  if (in["shown"].isDouble()) out.runs.push_back(in["shown"].toInteger());
  for (const int64_t id : read_ids(in["others"])) out.runs.push_back(id);
  return out;
}

void put_shown(QJsonObject& out, const ShownState& shown) {
  const bool any = !shown.runs.empty();
  out["shown"] = any ? QJsonValue(static_cast<qint64>(shown.runs.front())) : QJsonValue();
  out["others"] = json(any ? std::vector<int64_t>(shown.runs.begin() + 1, shown.runs.end()) : shown.runs);
  out["selection"] = json(shown.selection);
}

QByteArray text(const WindowState& state) {
  QJsonArray skipped;
  for (const SkippedRun& run : state.skipped)
    skipped.append(QJsonArray{QString::fromStdString(run.strategy), QString::fromStdString(run.reason)});
  QJsonObject out{{"experiment", experiment_text(state.experiment)},
                  {"file", state.file},
                  {"numerics", state.numerics},
                  {"current", json(state.current)},
                  {"hidden", json(state.hidden)},
                  {"skipped", skipped},
                  {"parts", state.parts}};
  put_shown(out, state.shown);
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
  out.current = read_ids(in["current"]);
  out.hidden = read_ids(in["hidden"]);
  for (const auto& run : in["skipped"].toArray())
    out.skipped.push_back(
        {run.toArray().at(0).toString().toStdString(), run.toArray().at(1).toString().toStdString()});
  out.shown = read_shown(in);
  out.parts = in["parts"].toObject();
  return out;
}

}  // namespace shardscope::inline window
