// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_form.h"

#include <QHBoxLayout>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "app/window/widgets/flow_layout.h"
#include "engine/base/text.h"

namespace shardscope::inline window {
namespace {

constexpr std::array kKernelTypes{ElementType::f32, ElementType::bf16, ElementType::f16};
constexpr std::array kPolicies{kernels::Policy::random, kernels::Policy::slow_device,
                               kernels::Policy::dma_early, kernels::Policy::dma_late,
                               kernels::Policy::reordered};
constexpr double kMebibyte = 1048576;

// A label never leaves its field's side.
QWidget* kernel_field(const QString& text, QWidget* field) {
  auto* pair = new QWidget(field->parentWidget());
  auto* label = new QLabel(text, pair);
  label->setProperty("role", "muted");
  label->setBuddy(field);
  auto* line = new QHBoxLayout(pair);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(4);
  line->addWidget(label);
  line->addWidget(field);
  return pair;
}

FlowLayout* form_line(QWidget* parent) {
  auto* line = new FlowLayout(parent);
  line->setContentsMargins(8, 4, 8, 0);
  return line;
}

}  // namespace

KernelForm::KernelForm(ExperimentDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      kernel_(new QComboBox(this)),
      policy_(new QComboBox(this)),
      dtype_(new QComboBox(this)),
      hardware_(new QComboBox(this)),
      mesh_(new QLineEdit(this)),
      vmem_(new QLineEdit(this)),
      seed_(new QSpinBox(this)),
      more_(new QToolButton(this)),
      problem_(new QLabel(this)),
      second_(nullptr) {
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);  // as high as its lines need
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  problem_->setProperty("role", "warning");
  problem_->setWordWrap(true);
  problem_->setContentsMargins(8, 2, 8, 0);
  problem_->hide();
  auto* lines = new QVBoxLayout(this);
  lines->setContentsMargins(0, 2, 0, 4);
  lines->setSpacing(0);
  lines->addWidget(makeFirstLine());
  second_ = makeSecondLine();
  lines->addWidget(second_);
  lines->addWidget(problem_);
  second_->hide();
  connect(more_, &QToolButton::toggled, second_, &QWidget::setVisible);
  connect(&document_, &ExperimentDocument::changed, this, &KernelForm::readDocument);
  readDocument();
}

QWidget* KernelForm::makeFirstLine() {
  for (const kernels::KernelEntry& entry : kernels::catalogue()) {
    const QString id = QString::fromStdString(entry.id);
    kernel_->addItem(
        QString("%1%2: %3").arg(entry.broken ? "✗ " : "", id, QString::fromStdString(entry.title)), id);
    const QString lesson =
        entry.broken ? "\nBroken, as a lesson; mended by %1"_tr.arg(QString::fromStdString(entry.mended))
                     : QString();
    kernel_->setItemData(kernel_->count() - 1, QString::fromStdString(entry.title) + lesson, Qt::ToolTipRole);
  }
  kernel_->setAccessibleName("Kernel"_tr);
  kernel_->setToolTip("What every device runs; ✗ marks the broken ones, which stay as lessons"_tr);
  kernel_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  kernel_->setMinimumContentsLength(56);
  mesh_->setPlaceholderText("one"_tr);
  mesh_->setAccessibleName("Devices of the kernel"_tr);
  mesh_->setToolTip("A number: a ring of so many devices; or axes, as in x=2,y=2"_tr);
  policy_->addItem("mixed"_tr);
  for (const kernels::Policy policy : kPolicies) policy_->addItem(kernels::name(policy));
  policy_->setAccessibleName("Policy of the schedule"_tr);
  policy_->setToolTip(
      "Who moves next. mixed: the seed picks one of the others\nrandom: devices and copies of random speeds\n"
      "slow_device: one device moves only when nobody else can\ndma_early, dma_late: copies as soon, as late "
      "as "
      "they can\nreordered: younger copies overtake older ones"_tr);
  seed_->setRange(0, std::numeric_limits<int>::max());
  seed_->setAccessibleName("Seed of the schedule"_tr);
  seed_->setToolTip("The same seed gives the same schedule, always"_tr);
  more_->setText("Sizes and chip"_tr);
  more_->setCheckable(true);
  more_->setProperty("role", "small");
  more_->setToolTip(
      "Show the sizes that this kernel reads, its types, its vmem limit and the chip it is timed on"_tr);
  auto* line = new QWidget(this);
  FlowLayout* row = form_line(line);
  row->addWidget(kernel_);
  row->addWidget(kernel_field("devices"_tr, mesh_));
  row->addWidget(kernel_field("schedule"_tr, policy_));
  row->addWidget(kernel_field("seed"_tr, seed_));
  row->addWidget(more_);
  first_ = row;
  connect(kernel_, &QComboBox::currentIndexChanged, this, &KernelForm::readFields);
  connect(policy_, &QComboBox::currentIndexChanged, this, &KernelForm::readFields);
  connect(seed_, &QSpinBox::valueChanged, this, &KernelForm::readFields);
  connect(mesh_, &QLineEdit::editingFinished, this, &KernelForm::readFields);
  return line;
}

QWidget* KernelForm::makeSecondLine() {
  auto* line = new QWidget(this);
  FlowLayout* row = form_line(line);
  for (const kernels::KernelSize& size : kernels::kernel_sizes()) {
    auto* field = new QLineEdit(line);
    field->setObjectName(QString::fromStdString(size.name));
    field->setAccessibleName("Kernel size "_tr + field->objectName());
    field->setPlaceholderText("own"_tr);
    field->setToolTip("Empty: the kernel's own, small enough for thousands of schedules"_tr);
    row->addWidget(kernel_field(field->objectName(), field));
    sizes_.emplace_back(size, field);
    connect(field, &QLineEdit::editingFinished, this, &KernelForm::readFields);
  }
  for (const ElementType type : kKernelTypes) dtype_->addItem(name(type));
  dtype_->setAccessibleName("Type of the kernel's arrays"_tr);
  vmem_->setAccessibleName("Limit of vmem in MiB"_tr);
  vmem_->setToolTip("What a kernel may take of vmem, in MiB; more is a finding"_tr);
  hardware_->setAccessibleName("Hardware of the kernel"_tr);
  hardware_->setToolTip("The chip that the kernel is timed on"_tr);
  hardware_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  hardware_->setMinimumContentsLength(14);
  row->addWidget(kernel_field("dtype"_tr, dtype_));
  row->addWidget(kernel_field("vmem MiB"_tr, vmem_));
  row->addWidget(kernel_field("chip"_tr, hardware_));
  connect(dtype_, &QComboBox::currentIndexChanged, this, &KernelForm::readFields);
  connect(hardware_, &QComboBox::currentIndexChanged, this, &KernelForm::readFields);
  connect(vmem_, &QLineEdit::editingFinished, this, &KernelForm::readFields);
  return line;
}

void KernelForm::addButton(QWidget* button) {
  first_->addWidget(button);
}

QLineEdit* KernelForm::size(const QString& name) const {
  const auto found = std::find_if(sizes_.begin(), sizes_.end(),
                                  [&](const auto& each) { return each.second->objectName() == name; });
  return found == sizes_.end() ? nullptr : found->second;
}

// The chip follows the experiment until another one is picked here.
void KernelForm::readDocument() {
  const bool follows = hardware_->currentIndex() <= 0;
  const QString chosen = hardware_->currentData().toString();
  const QString own = QString::fromStdString(document_.experiment().hardware);
  showing_ = true;
  hardware_->clear();
  hardware_->addItem("the experiment's: "_tr + own.section('/', -1), own);
  for (const std::string& name : hardware_preset_names())
    hardware_->addItem(QString::fromStdString(name), QString::fromStdString(name));
  if (!follows) hardware_->setCurrentIndex(std::max(hardware_->findData(chosen), 0));
  showing_ = false;
  if (!choice_.kernel.empty()) readFields();
}

Result<KernelChoice> KernelForm::read() const {
  KernelChoice out;
  out.kernel = kernel_->currentData().toString().toStdString();
  if (out.kernel.empty()) {  // the editor's
    out.kernel = choice_.kernel;
    out.text = choice_.text;
  }
  TRY(const kernels::KernelEntry entry, entry_of(out));
  TRY(out.options.mesh, parse_kernel_mesh(mesh_->text(), entry));
  // The same devices under another number of axes: a ring's number means nothing to a grid.
  out.options.mesh = kernels::mesh_for(entry, out.options.mesh);
  out.options.dtype = kKernelTypes[static_cast<size_t>(std::max(0, dtype_->currentIndex()))];
  if (policy_->currentIndex() > 0) out.policy = kPolicies[static_cast<size_t>(policy_->currentIndex() - 1)];
  out.seed = static_cast<uint64_t>(seed_->value());
  out.hardware = hardware_->currentData().toString().toStdString();
  bool ok = false;
  const double mebibytes = vmem_->text().trimmed().toDouble(&ok);
  if (!ok || !(mebibytes > 0 && mebibytes < 1e6))
    return invalid(say("the vmem limit is '{}', expected MiB above 0", vmem_->text().toStdString()));
  out.options.vmem_limit = std::max<int64_t>(1, std::llround(mebibytes * kMebibyte));
  const auto read_by = kernels::sizes_read(entry);
  for (const auto& [size, field] : sizes_) {
    const std::string text = field->text().trimmed().toStdString();
    const bool used = std::ranges::count(read_by, size.name, &kernels::KernelSize::name) > 0;
    if (text.empty() || !used) continue;
    const auto value = parse_int(text);
    if (!value || *value < 1)
      return invalid(say("{} is '{}', expected a whole number above 0, or nothing", size.name, text));
    out.options.*size.field = *value;
  }
  return out;
}

void KernelForm::fitFields() {
  const int letter = fontMetrics().averageCharWidth();
  mesh_->setFixedWidth(14 * letter);
  vmem_->setFixedWidth(9 * letter);
  for (const auto& [size, field] : sizes_) field->setFixedWidth(9 * letter);
}

void KernelForm::readFields() {
  if (showing_) return;
  const Result<KernelChoice> typed = read();
  if (!typed.ok()) {
    setProblem(in_window(typed.error()));
    unreadable_ = true;
    return;
  }
  if (unreadable_) setProblem({});
  if (*typed == choice_) return;
  setChoice(*typed);
  Q_EMIT changed();
}

void KernelForm::setChoice(const KernelChoice& choice) {
  choice_ = choice;
  showing_ = true;
  const QString own;  // the last one, while a text of the editor is shown
  if (const int place = kernel_->findData(own); place >= 0) kernel_->removeItem(place);
  if (!choice.text.empty())
    kernel_->addItem("your text: %1"_tr.arg(QString::fromStdString(choice.kernel)), own);
  const QString shown = choice.text.empty() ? QString::fromStdString(choice.kernel) : own;
  kernel_->setCurrentIndex(std::max(0, kernel_->findData(shown)));
  mesh_->setText(kernel_mesh_text(choice.options.mesh));
  const auto policy = std::find(kPolicies.begin(), kPolicies.end(), choice.policy);
  policy_->setCurrentIndex(policy == kPolicies.end() ? 0 : static_cast<int>(policy - kPolicies.begin()) + 1);
  seed_->setValue(static_cast<int>(std::min<uint64_t>(choice.seed, std::numeric_limits<int>::max())));
  const auto type = std::find(kKernelTypes.begin(), kKernelTypes.end(), choice.options.dtype);
  dtype_->setCurrentIndex(type == kKernelTypes.end() ? 0 : static_cast<int>(type - kKernelTypes.begin()));
  vmem_->setText(QString::number(static_cast<double>(choice.options.vmem_limit) / kMebibyte));
  if (choice.hardware.empty()) choice_.hardware = hardware_->currentData().toString().toStdString();
  if (hardware_->currentData().toString().toStdString() != choice_.hardware)
    hardware_->setCurrentIndex(std::max(0, hardware_->findData(QString::fromStdString(choice_.hardware))));
  for (const auto& [size, field] : sizes_) {
    const auto& value = choice.options.*size.field;
    field->setText(value ? QString::number(*value) : QString());
  }
  showSizes();
  showing_ = false;
  setProblem({});
}

// Those that the kernel reads.
void KernelForm::showSizes() {
  const auto entry = entry_of(choice_);
  if (!entry.ok()) return;
  mesh_->setEnabled(entry->axes > 0);
  const auto read_by = kernels::sizes_read(*entry);
  for (const auto& [size, field] : sizes_) {
    const bool used = std::ranges::count(read_by, size.name, &kernels::KernelSize::name) > 0;
    field->parentWidget()->setVisible(used);
  }
}

void KernelForm::setProblem(const QString& text) {
  unreadable_ = false;
  problem_->setText(text);
  problem_->setVisible(!text.isEmpty());
  if (!text.isEmpty()) more_->setChecked(true);
}

}  // namespace shardscope::inline window
