// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_summary.h"

#include <QStringList>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

QString before_and_now(const QString& what, const QString& before, const QString& now) {
  return what + ' ' + (before == now ? now : before + " → " + now);
}

QString size_text(double bytes) {
  return QString::fromStdString(format_bytes(bytes));
}

QString total_text(const HloSummary& s) {
  return s.total ? QString::fromStdString(format_picoseconds(*s.total)) : QString("–");
}

}  // namespace

HloSummary summary_of(const ExplainedModule& explained) {
  HloSummary out;
  out.collectives = static_cast<int64_t>(explained.collectives.size());
  out.bytes_sent = explained.bytes_sent();
  out.peak_bytes = explained.peak_bytes;
  if (explained.timed) out.total = explained.timed->timeline.total;
  return out;
}

QString summary_text(const HloSummary& now, const std::optional<HloSummary>& before) {
  const HloSummary& was = before ? *before : now;
  return QStringList{
      before_and_now("collectives"_tr, QString::number(was.collectives), QString::number(now.collectives)),
      before_and_now("sent by a device"_tr, size_text(was.bytes_sent), size_text(now.bytes_sent)),
      before_and_now("memory of a device"_tr, size_text(static_cast<double>(was.peak_bytes)),
                     size_text(static_cast<double>(now.peak_bytes))),
      before_and_now("time"_tr, total_text(was), total_text(now))}
      .join(" · ");
}

QString numbers_text(const NumericsReport& n, int64_t devices) {
  const QString reference = QString::fromStdString(n.reference);
  const qsizetype part = reference.indexOf(", as far as");
  const QString so_far = part < 0 ? QString() : reference.mid(part);
  QString text;
  if (!n.checked && !n.reason.empty()) {
    text = "Not proved: "_tr + in_window(n.reason);
  } else if (!n.checked) {
    text = "Executed on every device; nothing to compare with: the module was already partitioned"_tr;
    for (const std::string& w : n.warnings)
      if (w.find("as far as") != std::string::npos) text = "Not all of it: "_tr + QString::fromStdString(w);
  } else if (n.allclose && n.check == ProofSize::shrunk) {
    text = "On %1, %2"_tr.arg(counted_tr(devices, "device"), in_window(n.reason));
  } else if (n.allclose && n.array.empty()) {
    text = "Proved on %1: equal bit for bit to the module on one%2"_tr.arg(counted_tr(devices, "device"),
                                                                           so_far);
  } else if (n.allclose) {
    text = "Proved on %1: %2 equals %3 within rounding, at most %4 apart"_tr
               .arg(counted_tr(devices, "device"), QString::fromStdString(n.array), reference)
               .arg(n.max_abs);
  } else if (n.array.empty()) {
    text = "Differs from "_tr + reference;
  } else {
    QStringList place;
    for (const int64_t i : n.worst_index) place << QString::number(i);
    text = "Differs from %1: %2[%3] is %4, not %5; %6 % of the values are off"_tr
               .arg(reference, QString::fromStdString(n.array), place.join(','))
               .arg(n.worst_value)
               .arg(n.worst_reference)
               .arg(n.percent_bad);
  }
  if (n.checked)
    for (const std::string& w : n.warnings) text += "; " + QString::fromStdString(w);
  return text;
}

QString proof_text(const Run& run) {
  return numbers_text(run.numerics, run.mesh.device_count()) +
         " (%1 simulated)"_tr.arg(QString::fromStdString(format_picoseconds(run.timeline.total)));
}

}  // namespace shardscope::inline window
