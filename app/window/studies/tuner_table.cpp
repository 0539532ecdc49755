// SPDX-License-Identifier: Apache-2.0
// The tuner's candidates in words: table, tooltips, verdict, CSV.
#include <QHeaderView>
#include <algorithm>
#include <numeric>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/studies/tuner_panel.h"
#include "app/window/widgets/csv.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/inked_item.h"
#include "app/window/widgets/table_columns.h"
#include "engine/base/units.h"

namespace shardscope::inline window {
namespace {

enum TunerColumn { kMesh, kTotal, kUsed, kPeak, kPlan, kTraffic, kLatency, kPipeline, kColumns };

QString seconds_text(double s) {
  return QString::fromStdString(format_seconds(s));
}

QString bytes_text(int64_t bytes) {
  return QString::fromStdString(format_bytes(static_cast<double>(bytes)));
}

// The layer, and which of its products when it has several.
QString product_text(const TuneLayerChoice& layer) {
  QString text = QString::fromStdString(layer.layer);
  if (layer.pass == TunePass::forward) return text;
  return layer.pass == TunePass::data_gradient ? "%1, data gradient"_tr.arg(text)
                                               : "%1, weight gradient"_tr.arg(text);
}

QString plan_text(const TuneLayerChoice& layer) {
  QString text = QString::fromStdString(layer.dataflow.empty() ? layer.strategy : layer.dataflow);
  if (layer.transpose) text += " of Xᵀ"_tr;
  if (layer.slices > 1) text += ", %1 slices"_tr.arg(layer.slices);
  return text;
}

QStringList marks_of(const TuneResult& result, size_t i) {
  const TuneCandidate& c = result.candidates[i];
  QStringList marks;
  if (static_cast<int32_t>(i) == result.best) marks << "chosen"_tr;
  if (c.front) marks << "on the best front"_tr;
  if (!c.fits) marks << "does not fit the chip's memory"_tr;
  return marks;
}

QStringList plans_of(const TuneCandidate& candidate) {
  QStringList plans;
  for (const TuneLayerChoice& layer : candidate.layers)
    plans << product_text(layer) + ": " + plan_text(layer);
  return plans;
}

// How often each way of multiplying is taken: "4 × OS, 8 slices; 8 × LS".
QString ways_text(const TuneCandidate& candidate) {
  QStringList ways, out;
  for (const TuneLayerChoice& layer : candidate.layers) ways << plan_text(layer);
  QStringList each = ways;
  each.removeDuplicates();
  for (const QString& way : each) out << "%1 × %2"_tr.arg(ways.count(way)).arg(way);
  return out.join("; ");
}

// What tells a candidate from the one above it on the same mesh; of the first of a mesh what it does.
QString plan_words(const TuneResult& result, size_t place) {
  const TuneCandidate& own = result.candidates[place];
  const TuneCandidate* other = fastest_alike(result, place);
  if (other == nullptr) return ways_text(own);
  QStringList out;
  for (const size_t l : differing_layers(own, *other))
    out << "%1 %2 instead of %3"_tr.arg(product_text(own.layers[l]), plan_text(own.layers[l]),
                                        plan_text(other->layers[l]));
  const qsizetype more = out.size() - 1;
  return more < 1 ? out.join("") : "%1, and %2 more"_tr.arg(out.front()).arg(more);
}

// Which candidate a row stands for, and which of its layers; -1: the whole of it.
void set_place(QTreeWidgetItem& row, int candidate, int layer) {
  row.setData(0, Qt::UserRole, candidate);
  row.setData(0, Qt::UserRole + 1, layer);
}

void write_layer(QTreeWidgetItem& row, const TuneLayerChoice& layer) {
  row.setText(kMesh, product_text(layer));
  row.setText(kTotal, layer.total_s > 0 ? seconds_text(layer.total_s) : QString());
  if (layer.peak_bytes > 0) row.setText(kPeak, bytes_text(layer.peak_bytes));
  row.setText(kPlan, plan_text(layer));
  row.setToolTip(kPlan, QString("%1, m=%2 k=%3 n=%4")
                            .arg(QString::fromStdString(layer.strategy))
                            .arg(layer.problem.m)
                            .arg(layer.problem.k)
                            .arg(layer.problem.n));
}

}  // namespace

void TunerPanel::prepareTable() {
  set_columns(*table_,
              {{"mesh, layer"_tr, "Below each mesh its products, in the order in which they run"_tr},
               {"time"_tr, "Of a step: all products and what is resharded between them"_tr},
               {"utilisation"_tr, "FLOPs of the products / (chips × peak × time); of a training step MFU"_tr},
               {"peak mem"_tr, "Of the fullest chip"_tr},
               {"plan"_tr, "Of a mesh that stands above with another plan: what differs"_tr},
               {"traffic"_tr, "Exposed communication and resharding"_tr},
               {"latency"_tr, "What of the critical paths is latency of links"_tr},
               {"pipeline"_tr, "The rest of the time"_tr}});
  table_->setAccessibleName("Candidates of the tuner"_tr);
  table_->setToolTip("Double click or Enter: opens the row's product as an experiment and runs it"_tr);
  for (int c = kTotal; c < kColumns; ++c)
    if (c != kPlan) table_->headerItem()->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
}

// Fastest first; below each mesh its layers.
void TunerPanel::fillTable() {
  reading_ = true;
  table_->clear();
  showVerdict({}, {});
  if (result_) {
    std::vector<size_t> order(result_->candidates.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, {}, [&](size_t i) { return result_->candidates[i].total_s; });
    for (const size_t i : order) addCandidate(static_cast<int>(i));
    for (QTreeWidgetItemIterator it(table_); *it != nullptr; ++it) {
      for (int c = kTotal; c < kColumns; ++c)
        if (c != kPlan) (*it)->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
    }
    showBest();
  }
  fit_columns(*table_);
  reading_ = false;
}

void TunerPanel::addCandidate(int index) {
  const auto i = static_cast<size_t>(index);
  const TuneCandidate& c = result_->candidates[i];
  auto* row = new InkedItem(table_);
  row->setText(kMesh, QString::fromStdString(c.mesh.text()));
  row->setText(kTotal, seconds_text(c.total_s));
  row->setText(kPeak, c.peak_bytes > 0 ? bytes_text(c.peak_bytes) : QString("–"));
  row->setText(kTraffic, seconds_text(c.traffic_s));
  row->setText(kLatency, seconds_text(c.latency_s));
  row->setText(kPipeline, seconds_text(c.pipeline_s));
  row->setText(kPlan, (marks_of(*result_, i) << plan_words(*result_, i)).join(", "));
  row->setToolTip(kPlan, plans_of(c).join('\n'));
  if (const auto used = utilisation(*result_, c))
    row->setText(kUsed, QString::fromStdString(format_percent(*used)));
  set_place(*row, index, -1);
  if (!c.fits) row->setInk(kPeak, QPalette::Active, QPalette::BrightText);
  for (size_t l = 0; l < c.layers.size(); ++l) {
    auto* part = new QTreeWidgetItem(row);
    write_layer(*part, c.layers[l]);
    set_place(*part, index, static_cast<int>(l));
  }
  if (index != result_->best) return;
  QFont bold = table_->font();
  bold.setBold(true);
  for (int column = 0; column < kColumns; ++column) row->setFont(column, bold);
  row->setExpanded(true);
}

void TunerPanel::showBest() {
  if (result_->best < 0) return;
  const TuneCandidate& best = result_->candidates[static_cast<size_t>(result_->best)];
  QStringList lines{"%1: mesh %2, %3. %4."_tr.arg(counted_tr(result_->chips, "chip"),
                                                  QString::fromStdString(best.mesh.text()),
                                                  seconds_text(best.total_s), plans_of(best).join("; "))};
  for (const std::string& text : result_->assumptions) lines << "≈ " + in_window(text);
  showVerdict(lines.front(), lines);
}

QStringList TunerPanel::words(const ItemId& item) const {
  if (!result_ || item.kind != ItemId::Kind::candidate || item.index < 0) return {};
  const size_t i = static_cast<size_t>(item.index);
  if (i >= result_->candidates.size()) return {};
  const TuneCandidate& c = result_->candidates[i];
  QStringList lines{QString::fromStdString(c.mesh.text()),
                    "%1 = traffic %2 + pipeline %3; latency %4"_tr.arg(
                        seconds_text(c.total_s), seconds_text(c.traffic_s), seconds_text(c.pipeline_s),
                        seconds_text(c.latency_s))};
  if (result_->cost == TuneCost::meshslice)
    lines[1] = "%1 = traffic %2 + latency %3"_tr.arg(seconds_text(c.total_s), seconds_text(c.traffic_s),
                                                     seconds_text(c.latency_s));
  if (c.peak_bytes > 0) lines << "peak "_tr + bytes_text(c.peak_bytes) + " a chip"_tr;
  if (c.places.nodes > 0) lines << QString::fromStdString(words_of(c.places));
  return lines + plans_of(c) + marks_of(*result_, i);
}

QString TunerPanel::csv() const {
  QString out = "mesh,total_s,peak_bytes,traffic_s,latency_s,pipeline_s,front,fits,plan,utilisation\n";
  for (const TuneCandidate& c : result_ ? result_->candidates : std::vector<TuneCandidate>{}) {
    out +=
        csv_line({QString::fromStdString(c.mesh.text()), QString::number(c.total_s),
                  QString::number(c.peak_bytes), QString::number(c.traffic_s), QString::number(c.latency_s),
                  QString::number(c.pipeline_s), c.front ? "true" : "false", c.fits ? "true" : "false",
                  plans_of(c).join("; "), QString::number(utilisation(*result_, c).value_or(0))});
  }
  return out;
}

}  // namespace shardscope::inline window
