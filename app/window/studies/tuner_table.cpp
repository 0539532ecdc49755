// SPDX-License-Identifier: Apache-2.0
// The tuner's candidates in words: table, tooltips, verdict, CSV.
#include <QHeaderView>
#include <algorithm>
#include <numeric>

#include "app/window/document/language.h"
#include "app/window/studies/tuner_panel.h"
#include "app/window/widgets/csv.h"
#include "app/window/widgets/fit_columns.h"
#include "engine/base/units.h"

namespace shardscope {
namespace {

enum TunerColumn { kMesh, kTotal, kPeak, kTraffic, kLatency, kPipeline, kPlan };

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
  table_->setHeaderLabels(
      {"mesh, layer"_tr, "time"_tr, "peak mem"_tr, "traffic"_tr, "latency"_tr, "pipeline"_tr, "plan"_tr});
  table_->setAccessibleName("Candidates of the tuner"_tr);
  table_->setToolTip("Double click or Enter: opens the row's product as an experiment and runs it"_tr);
  for (int c = kTotal; c < kPlan; ++c)
    table_->headerItem()->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
  table_->header()->setStretchLastSection(true);
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
      for (int c = kTotal; c < kPlan; ++c) (*it)->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
    }
    showBest();
  }
  fit_columns(*table_);
  reading_ = false;
}

void TunerPanel::addCandidate(int index) {
  const auto i = static_cast<size_t>(index);
  const TuneCandidate& c = result_->candidates[i];
  auto* row = new QTreeWidgetItem(table_);
  row->setText(kMesh, QString::fromStdString(c.mesh.text()));
  row->setText(kTotal, seconds_text(c.total_s));
  row->setText(kPeak, c.peak_bytes > 0 ? bytes_text(c.peak_bytes) : QString("–"));
  row->setText(kTraffic, seconds_text(c.traffic_s));
  row->setText(kLatency, seconds_text(c.latency_s));
  row->setText(kPipeline, seconds_text(c.pipeline_s));
  row->setText(kPlan, marks_of(*result_, i).join(", "));
  set_place(*row, index, -1);
  if (!c.fits) row->setForeground(kPeak, palette().brush(QPalette::BrightText));
  for (size_t l = 0; l < c.layers.size(); ++l) {
    auto* part = new QTreeWidgetItem(row);
    write_layer(*part, c.layers[l]);
    set_place(*part, index, static_cast<int>(l));
  }
  if (index != result_->best) return;
  QFont bold = table_->font();
  bold.setBold(true);
  for (int column = 0; column <= kPlan; ++column) row->setFont(column, bold);
  row->setExpanded(true);
}

void TunerPanel::showBest() {
  if (result_->best < 0) return;
  const TuneCandidate& best = result_->candidates[static_cast<size_t>(result_->best)];
  QStringList lines{"%1 chips: mesh %2, %3. %4."_tr.arg(result_->chips)
                        .arg(QString::fromStdString(best.mesh.text()), seconds_text(best.total_s),
                             plans_of(best).join("; "))};
  for (const std::string& text : result_->assumptions) lines << "≈ " + QString::fromStdString(text);
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
  return lines + plans_of(c) + marks_of(*result_, i);
}

QString TunerPanel::csv() const {
  QString out = "mesh,total_s,peak_bytes,traffic_s,latency_s,pipeline_s,front,fits,plan\n";
  for (const TuneCandidate& c : result_ ? result_->candidates : std::vector<TuneCandidate>{}) {
    out += csv_line({QString::fromStdString(c.mesh.text()), QString::number(c.total_s),
                     QString::number(c.peak_bytes), QString::number(c.traffic_s),
                     QString::number(c.latency_s), QString::number(c.pipeline_s), c.front ? "true" : "false",
                     c.fits ? "true" : "false", plans_of(c).join("; ")});
  }
  return out;
}

}  // namespace shardscope
