// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_work.h"

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "engine/program/text/hlo_text.h"
#include "engine/session/proof/module_check.h"

namespace shardscope::inline window {
namespace {

constexpr int kPatienceMs = 250;

InstructionPlacesPtr places_of(const Program& module) {
  auto out = std::make_shared<InstructionPlaces>();
  for (const Computation& c : module.computations) {
    for (const Instruction& i : c.instructions) {
      if (i.line < 1) continue;
      out->lines.emplace(i.name, i.line - 1);
      out->names.emplace(i.line - 1, i.name);
    }
  }
  return out->lines.empty() ? nullptr : out;
}

}  // namespace

HloReader::HloReader(QObject* parent) : QObject(parent) {
  patience_.setSingleShot(true);
  patience_.setInterval(kPatienceMs);
  connect(&patience_, &QTimer::timeout, this, &HloReader::takesLong);
}

void HloReader::read(IndexedTextPtr text, const QString& name, const ExplainOptions& options) {
  busy_ = true;
  patience_.start();
  using Read = Result<HloReadingPtr>;
  const auto work = [this, text = std::move(text), name = name.toStdString(), options](std::stop_token stop,
                                                                                       auto post) -> Read {
    if (stop.stop_requested()) return cancelled();  // a newer text came while this one waited
    auto out = std::make_shared<HloReading>();
    out->options = options;
    ExplainOptions told = options;
    told.progress = [this, post](const Progress& p) {
      post([this, what = QString::fromStdString(p.what), fraction = p.fraction] {
        Q_EMIT progress(what, fraction);
      });
    };
    TRY(out->explained, explain_module(text->text(), name, told, stop));
    out->outline = outline_of(out->explained.module());
    out->places = places_of(out->explained.module());
    if (const Program* program = out->explained.program()) {
      std::string made = print_program(*program);
      if (static_cast<int64_t>(made.size()) > IndexedText::kMostBytes)
        made =
            "// " + say("{} of text are more than is shown: shardscope hlo partition writes them to a file",
                        format_bytes(static_cast<double>(made.size())));
      out->made = std::make_shared<const IndexedText>(std::move(made));
    }
    return HloReadingPtr(std::move(out));
  };
  work_.startReporting(work, [this](const Read& reading) {
    busy_ = false;
    patience_.stop();
    Q_EMIT finished(reading);
  });
}

void HloReader::letGo(HloReadingPtr reading) {
  if (reading == nullptr) return;
  gone_.start([reading = std::move(reading)](std::stop_token) { return true; }, [](bool) {});
}

void HloReader::cancel() {
  work_.cancel();
  patience_.stop();
  busy_ = false;
}

void HloProof::start(HloReadingPtr reading, ModuleRunOptions options) {
  busy_ = true;
  const auto workspace = options.workspace;
  work_.startReporting(
      [this, reading = std::move(reading), options = std::move(options)](std::stop_token stop,
                                                                         auto post) mutable {
        options.progress = [this, post](const Progress& p) {
          post([this, what = QString::fromStdString(p.what), fraction = p.fraction] {
            Q_EMIT progress(what, fraction);
          });
        };
        return execute_module(first_stage(reading->explained.stages), options, stop);
      },
      [this, reading, workspace](const Result<ModuleRun>& ran) {
        busy_ = false;
        Q_EMIT finished({reading, workspace, ran});
      });
}

void HloCheck::start(const HloReadingPtr& reading) {
  cancel();
  if (!reading || reading->explained.partitioned() == nullptr) return;
  busy_ = true;
  work_.start(
      [reading](std::stop_token stop) -> Result<ModuleNumbers> {
        const ExplainedModule& explained = reading->explained;
        ModuleRunOptions asked;
        asked.partition = reading->options.partition;
        asked.asked = reading->options.asked;
        TRY(PartitionOptions how, asked_partition(asked));
        return check_read_module({explained.partitioned(), explained.cut, how}, {}, stop);
      },
      [this, reading](const Result<ModuleNumbers>& proof) {
        busy_ = false;
        Q_EMIT finished(reading, proof);
      });
}

void HloCheck::cancel() {
  work_.cancel();
  busy_ = false;
}

void HloProof::cancel() {
  work_.cancel();
  busy_ = false;
}

}  // namespace shardscope::inline window
