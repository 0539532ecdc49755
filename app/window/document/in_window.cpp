// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/in_window.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr std::array kControls{
    NamedControl{"numerics", to_say("Check numerics")},
    NamedControl{"wrap", to_say("wrap in the table of axes")},
    NamedControl{"device-order", to_say("device order")},
    NamedControl{"slow-device", to_say("slow chip")},
    NamedControl{"slow-link", to_say("the speed of a link")},
    NamedControl{"link", to_say("links")},
    NamedControl{"hbm", to_say("HBM")},
    NamedControl{"op", to_say("zero cost")},
    NamedControl{"event", to_say("zero cost")},
    NamedControl{"over", to_say("the range")},
    NamedControl{"strategies", to_say("the ticked strategies")},
    NamedControl{"measured", to_say("the trace")},
    NamedControl{"run", to_say("the run")},
    NamedControl{"runs", to_say("the selected runs")},
    NamedControl{"hlo", to_say("the module")},
    NamedControl{"k", to_say("the lengths")},
    NamedControl{"ring", to_say("devices")},
    NamedControl{"mesh", to_say("the mesh")},
    NamedControl{"strategy", to_say("the strategy")},
    NamedControl{"policy", to_say("the schedule's policy")},
    NamedControl{"reference"},
    NamedControl{"db"},
    NamedControl{"check"},
    NamedControl{"take"},
    NamedControl{"trip-count"},
    NamedControl{"custom-call"},
    NamedControl{"arg"},
    NamedControl{"json"},
    NamedControl{"allow-short"},
    NamedControl{"results"},
    NamedControl{"language"},
    NamedControl{"xla-flag"},
};

const NamedControl* named_control(const QString& option) {
  const auto* found = std::ranges::find_if(
      kControls, [&](const NamedControl& each) { return option == QLatin1String(each.option); });
  return found == kControls.end() ? nullptr : found;
}

// `value` with the blank before it, where the option was to be said.
QString control(const QString& option, bool say, const QString& value) {
  const NamedControl* named = named_control(option);
  if (named != nullptr && named->name == nullptr)
    return (say ? "on the command line say --%1"_tr : "the command line's --%1"_tr).arg(option) + value;
  const QString name = named == nullptr ? option : spoken(named->name);
  return say ? "set %1 to %2"_tr.arg(name, value.trimmed()) : name + value;
}

}  // namespace

std::span<const NamedControl> named_controls() {
  return kControls;
}

QString in_window(const std::string& text) {
  static const QRegularExpression kOption("(\\bsay )?(?<![\\w-])--([a-z][a-z-]*)( [a-z0-9_.]+)?");
  const QString from = QString::fromStdString(text);
  QString out;
  qsizetype at = 0;
  for (auto found = kOption.globalMatch(from); found.hasNext();) {
    const QRegularExpressionMatch match = found.next();
    out += from.mid(at, match.capturedStart() - at);
    out += control(match.captured(2), match.hasCaptured(1), match.captured(3));
    at = match.capturedEnd();
  }
  return out + from.mid(at);
}

}  // namespace shardscope::inline window
