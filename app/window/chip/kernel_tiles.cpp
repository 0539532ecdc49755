// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_tiles.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <numeric>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/open_rows.h"
#include "app/window/widgets/table_columns.h"
#include "app/window/widgets/table_copy.h"
#include "engine/base/units.h"
#include "engine/kernels/catalogue/sizes.h"

namespace shardscope::inline window {
namespace {

constexpr std::array kTileNames{"bm", "bk", "bn"};

bool reads_tiles(const kernels::KernelEntry& entry) {
  const auto sizes = kernels::sizes_read(entry);
  return std::any_of(sizes.begin(), sizes.end(), [](const auto& size) { return size.name == "bm"; });
}

KernelChoice without_tile(KernelChoice choice) {
  choice.options.bm.reset();
  choice.options.bk.reset();
  choice.options.bn.reset();
  choice.seed = 0;
  choice.policy.reset();
  return choice;
}

QString verdict(const kernels::KernelPointResult& point) {
  if (!point.error.empty()) return QString::fromStdString(point.error);
  return point.fits_vmem ? "fits" : "does not fit vmem"_tr;
}

}  // namespace

KernelTiles::KernelTiles(KernelPlayer& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      job_(new JobBar("Time the tiles"_tr, this)),
      table_(new QTreeWidget(this)) {
  auto* line = new QHBoxLayout;
  line->setContentsMargins(8, 6, 8, 0);
  line->setSpacing(6);
  for (const char* name : kTileNames) {
    auto* field = new QLineEdit("128,256,512", this);
    field->setAccessibleName("Values of %1"_tr.arg(name));
    field->setToolTip("Sizes to try, with commas between them; nothing: as it is"_tr);
    auto* label = new QLabel(name, this);
    label->setProperty("role", "muted");
    label->setBuddy(field);
    line->addWidget(label);
    line->addWidget(field, 1);
    values_.push_back(field);
    connect(field, &QLineEdit::returnPressed, this, &KernelTiles::run);
  }
  auto* jobs = new QHBoxLayout;
  jobs->setContentsMargins(8, 4, 8, 6);
  jobs->addWidget(job_);
  set_columns(*table_, {{"tile", "Sizes of the kernel's tile"_tr},
                        {"time"_tr, "Simulated time of the kernel with this tile"_tr},
                        {"vmem"_tr, "Bytes of vmem that its buffers take"_tr},
                        {"verdict"_tr, "Whether it runs, or why not"_tr},
                        {"bound"_tr, "What the time is spent on most"_tr},
                        {"matrix unit"_tr, "Part of the time that the matrix unit is busy"_tr}});
  offer_copy(table_);
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  table_->setAlternatingRowColors(true);
  table_->setAccessibleName("Tiles by time"_tr);
  table_->setToolTip("Double click or Enter: the kernel takes this tile"_tr);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(line);
  layout->addLayout(jobs);
  layout->addWidget(table_, 1);
  connect(job_, &JobBar::startRequested, this, &KernelTiles::run);
  connect(job_, &JobBar::cancelRequested, this, [this] { work_.stop(); });
  open_rows(table_, [this](QTreeWidgetItem* item) { open(item); });
  connect(&player_, &KernelPlayer::kernelChanged, this, &KernelTiles::readPlayer);
  readPlayer();
}

void KernelTiles::readPlayer() {
  const ShownKernelPtr& shown = player_.shown();
  const bool tiled = shown && reads_tiles(shown->entry);
  for (QLineEdit* field : values_) field->setEnabled(tiled);
  // Times of another kernel, or on other sizes, say nothing any more.
  if (shown && without_tile(shown->choice) != without_tile(timed_)) {
    if (job_->busy()) work_.cancel();
    points_.clear();
    fill();
    job_->end("");
  }
  if (job_->busy()) return;
  job_->startButton()->setEnabled(tiled);
  if (shown && !tiled) job_->end("%1 has no tiles"_tr.arg(QString::fromStdString(shown->entry.id)));
  if (shown && !tiled) job_->startButton()->setEnabled(false);
  if (tiled && points_.empty()) job_->end("");
}

Result<std::vector<kernels::KernelAxis>> KernelTiles::axes() const {
  std::vector<kernels::KernelAxis> out;
  for (size_t i = 0; i < values_.size(); ++i) {
    const std::string text = values_[i]->text().trimmed().toStdString();
    if (text.empty()) continue;
    TRY(kernels::KernelAxis axis, kernels::parse_kernel_axis(std::string(kTileNames[i]) + "=" + text));
    out.push_back(std::move(axis));
  }
  if (out.empty()) return invalid(said("no sizes are given"), "", said("write 128,256,512"));
  return out;
}

void KernelTiles::run() {
  const ShownKernelPtr shown = player_.shown();
  if (job_->busy() || !shown || !reads_tiles(shown->entry)) return;
  auto over = axes();
  if (!over.ok()) return job_->end(in_window(over.error()), true);
  const auto hardware = find_hardware(shown->choice.hardware);
  if (!hardware.ok()) return job_->end(in_window(hardware.error()), true);
  axes_ = *over;
  points_.clear();
  timed_ = shown->choice;
  job_->begin();
  fill();
  // The first axis value by value, so that one can see how far it is and stop.
  work_.startReporting(
      [this, shown, hardware = *hardware, axes = axes_](std::stop_token stop, auto post) {
        std::vector<kernels::KernelPointResult> done;
        for (size_t i = 0; i < axes[0].values.size() && !stop.stop_requested(); ++i) {
          std::vector<kernels::KernelAxis> here = axes;
          here[0].values = {axes[0].values[i]};
          const auto more = sweep_kernel(shown->entry, shown->options, here, hardware, stop);
          if (!more.ok()) break;
          done.insert(done.end(), more->begin(), more->end());
          const double part = static_cast<double>(i + 1) / static_cast<double>(axes[0].values.size());
          post(
              [this, count = std::ssize(done), part] { job_->setProgress(counted_tr(count, "tile"), part); });
        }
        return done;
      },
      [this](const std::vector<kernels::KernelPointResult>& done) {
        points_ = done;
        fill();
        const auto fit =
            std::count_if(done.begin(), done.end(), [](const auto& p) { return p.time.has_value(); });
        job_->end("%1 of %2 tiles fit and were timed"_tr.arg(fit).arg(done.size()));
      });
}

void KernelTiles::fill() {
  table_->clear();
  std::vector<size_t> order(points_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto key = [&](size_t i) { return points_[i].time ? points_[i].time->total : INT64_MAX; };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  QStringList names;
  for (const kernels::KernelAxis& axis : axes_) names << QString::fromStdString(axis.name);
  table_->headerItem()->setText(0, names.join(" × "));
  for (const size_t i : order) {
    const kernels::KernelPointResult& point = points_[i];
    QStringList tile;
    for (const int64_t value : point.values) tile << QString::number(value);
    QStringList cells{tile.join(" × "), "",
                      QString::fromStdString(format_bytes(static_cast<double>(point.vmem_bytes))),
                      verdict(point)};
    if (point.time) {
      cells[1] = QString::fromStdString(format_picoseconds(point.time->total));
      cells << QString::fromStdString(point.time->roofline.bound)
            << QString("%1 %").arg(100 * point.time->roofline.mxu_utilisation, 0, 'f', 0);
    }
    auto* item = new QTreeWidgetItem(table_, cells);
    item->setData(0, Qt::UserRole, static_cast<int>(i));
    item->setTextAlignment(1, Qt::AlignRight);
    item->setTextAlignment(2, Qt::AlignRight);
    item->setTextAlignment(5, Qt::AlignRight);
    if (i == order.front() && point.time) {
      QFont bold = table_->font();
      bold.setBold(true);
      for (int c = 0; c < 2; ++c) item->setFont(c, bold);
    }
  }
  fit_columns(*table_);
}

void KernelTiles::open(const QTreeWidgetItem* item) {
  if (item == nullptr) return;
  const kernels::KernelPointResult& point = points_[item->data(0, Qt::UserRole).toUInt()];
  KernelChoice taken = timed_;
  for (size_t a = 0; a < axes_.size(); ++a) {
    for (const kernels::KernelSize& size : kernels::kernel_sizes()) {
      if (size.name == axes_[a].name) taken.options.*size.field = point.values[a];
    }
  }
  Q_EMIT tileWanted(taken);
}

}  // namespace shardscope::inline window
