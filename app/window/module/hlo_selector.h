// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "app/window/document/clock.h"
#include "app/window/module/hlo_chosen.h"
#include "app/window/module/hlo_outline.h"
#include "app/window/module/hlo_sharding_box.h"
#include "app/window/module/hlo_stages.h"
#include "app/window/module/hlo_tables.h"
#include "app/window/module/hlo_texts.h"

namespace shardscope::inline window {

// The HLO dock's one selection: lines of both texts, the collective's row, the drawn sharding and, once the
// module ran, the instruction that timeline, ring and grid show.
class HloSelector : public QObject {
  Q_OBJECT
 public:
  struct Parts {
    HloTexts* texts;
    HloStages* stages;
    HloTables* tables;
    HloShardingBox* sharding;
    HloOutline* outline;
    Clock* clock;
  };
  explicit HloSelector(const Parts& parts, QObject* parent = nullptr);

  // Chooses in it what was chosen before, when it is still there; null: none.
  void setReading(std::shared_ptr<const HloReading> reading);
  const QString& shown() const { return chosen_.shown; }
  void keep(const QString& instruction) { chosen_.shown = instruction; }  // chosen by the next reading
  void chooseSource(const QString& instruction);
  void chooseMade(const QString& instruction);
  void chooseCollective(int collective);

 private:
  void choose(const HloChosen& chosen);
  void drawSharding();
  bool showsOurRun() const;
  void tellClock(const QString& made);
  void followClock();

  Parts parts_;
  std::shared_ptr<const HloReading> reading_;
  HloChosen chosen_;
  bool telling_ = false;
};

}  // namespace shardscope::inline window
