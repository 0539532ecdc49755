// SPDX-License-Identifier: Apache-2.0
#include "app/window/experiment/sharding_editor.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/axis_drag.h"
#include "app/window/widgets/form_parts.h"
#include "engine/session/session.h"
#include "engine/sharding/hlo_sharding.h"

namespace shardscope::inline window {
namespace {

constexpr std::array kArrayNames{"X", "W", "Y"};
constexpr std::array kShardingFields{"field.in-lhs", "field.in-rhs", "field.out-spec"};
constexpr std::array<std::array<const char*, 2>, 3> kDimNames{{{"m", "k"}, {"k", "n"}, {"m", "n"}}};

std::optional<PartitionSpec>& option_of(StrategyOptions& options, int array) {
  return array == 0 ? options.in_lhs : array == 1 ? options.in_rhs : options.out;
}

QString xla_text(const Mesh& mesh, const PartitionSpec& spec) {
  const auto sharding = NamedSharding::make(mesh, spec);
  return sharding.ok() ? QString::fromStdString(HloSharding::from(*sharding, 2).text()) : QString();
}

QString slot_text(const char* dim, const PartitionSpec& spec, size_t place) {
  QString text = QString("%1: ").arg(dim);
  if (place >= spec.dims.size() || spec.dims[place].empty()) return text + "–";
  QStringList axes;
  for (const std::string& axis : spec.dims[place]) axes << QString::fromStdString(axis);
  return text + axes.join(",");
}

}  // namespace

ShardingEditor::ShardingEditor(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      rows_{},
      chips_(new QHBoxLayout),
      error_(refusal_label(this)),
      readers_(form_label("", this)) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(6);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(2, 1);
  for (int i = 0; i < 3; ++i) {
    ArrayRow& row = rows_[static_cast<size_t>(i)];
    row.spec = new QLineEdit(this);
    row.xla = new QLineEdit(this);
    const QString array = kArrayNames[static_cast<size_t>(i)];
    for (QWidget* field : {row.spec, row.xla}) explained_by(field, kShardingFields[static_cast<size_t>(i)]);
    row.spec->setAccessibleName("Sharding of "_tr + array + " as P(...)"_tr);
    row.xla->setAccessibleName("Sharding of "_tr + array + " as XLA text"_tr);
    grid->addWidget(heading_label(array), 2 * i, 0);
    for (size_t dim = 0; dim < 2; ++dim) {
      auto* drop = new DimensionSlot(this);
      row.dims[dim] = drop;
      grid->addWidget(drop, 2 * i, 1 + static_cast<int>(dim));
      connect(drop, &DimensionSlot::axisDropped, this,
              [this, i, dim](const QString& axis) { dropAxis(i, static_cast<int>(dim), axis); });
      connect(drop, &DimensionSlot::cleared, this,
              [this, i, dim] { dropAxis(i, static_cast<int>(dim), ""); });
    }
    grid->addWidget(row.spec, 2 * i + 1, 1);
    grid->addWidget(row.xla, 2 * i + 1, 2);
    connect(row.spec, &QLineEdit::editingFinished, this, [this, i] { writeSpec(i); });
    connect(row.xla, &QLineEdit::editingFinished, this, [this, i] { writeXla(i); });
  }
  readers_->setWordWrap(true);
  QStringList names;
  for (const Strategy& s : strategies()) {
    if (std::find(s.options.begin(), s.options.end(), "in-lhs") != s.options.end()) {
      names << QString::fromUtf8(s.id.data(), static_cast<int>(s.id.size()));
    }
  }
  readers_->setText(names.isEmpty()
                        ? "No strategy plans for given shardings; each uses its own."_tr
                        : "Read by "_tr + names.join(", ") + "; the other strategies keep their own."_tr);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(chips_);
  layout->addLayout(grid);
  layout->addWidget(error_);
  layout->addWidget(readers_);
  connect(&document_, &ExperimentDocument::changed, this, &ShardingEditor::readDocument);
  readDocument();
}

std::optional<PartitionSpec> ShardingEditor::given(int array) const {
  for (RunRequest request : document_.experiment().runs) {
    if (const auto& spec = option_of(request.options, array)) return spec;
  }
  return std::nullopt;
}

PartitionSpec ShardingEditor::shownSpec(int array) const {
  if (const auto spec = given(array)) return *spec;
  if (!shown_) return {};
  const Program& program = shown_->run->program;
  const size_t most = kDimNames[0].size();  // arrays of other ranks are none of this problem's
  if (array == 2) {
    const bool ours = program.output && program.output->spec.dims.size() <= most;
    return ours ? program.output->spec : PartitionSpec{};
  }
  for (const ArrayInfo& input : program.inputs) {
    if (input.role != (array == 0 ? ArrayRole::lhs : ArrayRole::rhs)) continue;
    PartitionSpec spec = input.spec;
    if (spec.dims.size() > most) return {};
    if (input.transposed) {  // stored as W[n,k] or X[k,m]
      spec.dims.resize(2);
      std::swap(spec.dims[0], spec.dims[1]);
    }
    return spec;
  }
  return {};
}

void ShardingEditor::showRun(const ShownRunPtr& shown) {
  shown_ = shown;
  readDocument();
}

void ShardingEditor::readDocument() {
  const Mesh& mesh = document_.experiment().mesh;
  while (QLayoutItem* item = chips_->takeAt(0)) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
    delete item;
  }
  for (const MeshAxis& axis : mesh.axes())
    chips_->addWidget(new AxisChip(QString::fromStdString(axis.name), this));
  chips_->addStretch();
  for (int i = 0; i < 3; ++i) {
    const ArrayRow& row = rows_[static_cast<size_t>(i)];
    const auto own = given(i);
    const PartitionSpec spec = shownSpec(i);
    const bool known = own || shown_;
    row.spec->setText(own ? QString::fromStdString(own->text()) : QString());
    row.spec->setPlaceholderText(known ? QString::fromStdString(spec.text()) : "the strategy's"_tr);
    row.xla->setText(own ? xla_text(mesh, *own) : QString());
    row.xla->setPlaceholderText(known ? xla_text(mesh, spec) : "its XLA text"_tr);
    row.xla->setToolTip(row.xla->text().isEmpty() ? row.xla->placeholderText() : row.xla->text());
    for (QLineEdit* edit : {row.spec, row.xla}) {
      edit->setCursorPosition(0);
      mark_invalid(edit, false);
    }
    for (size_t dim = 0; dim < 2; ++dim) {
      row.dims[dim]->setText(slot_text(kDimNames[static_cast<size_t>(i)][dim], spec, dim));
    }
  }
  error_->clear();
  error_->hide();
}

void ShardingEditor::refuse(QLineEdit* field, const QString& reason) {
  if (field != nullptr) mark_invalid(field, true);
  error_->setText(reason);
  error_->show();
}

void ShardingEditor::writeSpec(int array) {
  QLineEdit* field = rows_[static_cast<size_t>(array)].spec;
  if (!field->isModified()) return;
  field->setModified(false);
  if (field->text().trimmed().isEmpty()) return set(array, std::nullopt);
  const auto spec = PartitionSpec::parse(field->text().toStdString());
  if (!spec.ok()) return refuse(field, in_window(spec.error()));
  const auto sharding = NamedSharding::make(document_.experiment().mesh, *spec);
  if (!sharding.ok()) return refuse(field, in_window(sharding.error()));
  set(array, *spec);
}

void ShardingEditor::writeXla(int array) {
  QLineEdit* field = rows_[static_cast<size_t>(array)].xla;
  if (!field->isModified()) return;
  field->setModified(false);
  if (field->text().trimmed().isEmpty()) return set(array, std::nullopt);
  const auto hlo = HloSharding::parse(field->text().toStdString());
  if (!hlo.ok()) return refuse(field, in_window(hlo.error()));
  const auto named = hlo->to_named(document_.experiment().mesh);
  if (!named.ok()) return refuse(field, in_window(named.error()));
  set(array, named->spec());
}

void ShardingEditor::dropAxis(int array, int dim, const QString& axis) {
  PartitionSpec spec = shownSpec(array);
  spec.dims.resize(2);
  const std::string name = axis.toStdString();
  for (auto& axes : spec.dims) std::erase(axes, name);  // an axis splits one dimension only
  auto& axes = spec.dims[static_cast<size_t>(dim)];
  if (name.empty()) {
    axes.clear();
  } else {
    axes.push_back(name);
  }
  set(array, spec);
}

void ShardingEditor::set(int array, const std::optional<PartitionSpec>& spec) {
  Experiment e = document_.experiment();
  e.runs = requests_of(e);
  for (RunRequest& request : e.runs) option_of(request.options, array) = spec;
  document_.change(e, "sharding of %1"_tr.arg(kArrayNames[static_cast<size_t>(array)]));
  readDocument();
}

}  // namespace shardscope::inline window
