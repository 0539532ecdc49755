// SPDX-License-Identifier: Apache-2.0
#include "app/window/dialogs/preset_pictures.h"

#include "engine/session/note_values.h"
#include "engine/session/preset_catalogue.h"
#include "engine/session/session.h"
#include "views/draw/gui/painter.h"
#include "views/scene/story/now.h"

namespace shardscope::inline window {
namespace {

constexpr int64_t kMostEvents =
    50'000;  // of a run with more nothing is told, and the picture is as it begins

struct Sample {
  ShownRunPtr shown;
  QString notes;
};

const CataloguedPreset* preset_of(const QString& name) {
  for (const CataloguedPreset& each : preset_catalogue()) {
    if (each.name == name.toStdString()) return &each;
  }
  return nullptr;
}

}  // namespace

ShownRunPtr sample_run(const Experiment& experiment, std::stop_token stop) {
  ExecutionOptions options;
  options.numerics = false;
  options.most_events = kMostEvents;
  for (const RunRequest& request : requests_of(experiment)) {
    if (stop.stop_requested()) return nullptr;
    const auto run = execute(experiment, request, options, stop);
    if (!run.ok()) continue;
    const ShownRunPtr shown = show(*run);
    return (*run)->timeline.events.empty() ? shown : with_story(shown, stop);
  }
  return nullptr;
}

QImage picture_of(const ShownRun& shown, const Theme& theme, QSize size) {
  // Drawn twice as large, so that more of it is in the picture.
  const Canvas canvas{static_cast<float>(size.width()) * 2, static_cast<float>(size.height()) * 2, theme,
                      measure_text};
  Selection now;
  if (shown.story != nullptr)
    now.time = shown.story->beats()[static_cast<size_t>(telling_beat(*shown.story))].end;
  return to_image(layout_sharding_grid(shown.input(), {}, now, canvas), 0.5);
}

void PresetPictures::setLook(const Theme& theme, QSize size) {
  if (theme_.dark == theme.dark && theme_.scale == theme.scale && size_ == size) return;
  theme_ = theme;
  size_ = size;
  making_.cancel();
  made_.clear();
}

void PresetPictures::want(const QStringList& names) {
  wanted_.clear();
  for (const QString& name : names) {
    if (!has(name) && preset_of(name) != nullptr) wanted_ << name;
  }
  makeNext();
}

void PresetPictures::makeNext() {
  if (wanted_.isEmpty()) return;
  const QString name = wanted_.takeFirst();
  making_.start(
      [preset = preset_of(name)](std::stop_token stop) {
        return Sample{sample_run(preset->experiment, stop),
                      QString::fromStdString(evaluated_notes(preset->experiment).text)};
      },
      [this, name](const Sample& sample) {
        made_[name] = {sample.shown != nullptr ? picture_of(*sample.shown, theme_, size_) : QImage(),
                       sample.notes};
        Q_EMIT made(name);
        makeNext();
      });
}

}  // namespace shardscope::inline window
