// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_choice.h"

#include <QStringList>

#include "app/window/document/in_window.h"
#include "app/window/document/language.h"
#include "engine/base/text.h"
#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/text/entry.h"

namespace shardscope::inline window {

kernels::Schedule schedule_of(const KernelChoice& choice) {
  if (choice.policy) return {*choice.policy, choice.seed};
  return kernels::schedule_of(choice.seed);
}

Result<kernels::KernelEntry> entry_of(const KernelChoice& choice) {
  return choice.text.empty() ? kernels::find_kernel(choice.kernel)
                             : kernels::kernel_from_text(choice.text, "");
}

Result<Mesh> parse_kernel_mesh(const QString& text, const kernels::KernelEntry& entry) {
  const std::string plain = text.trimmed().toStdString();
  if (entry.axes == 0) return Mesh();
  if (plain.empty()) return kernels::default_mesh(entry);
  if (const auto ring = parse_int(plain)) return Mesh::make({{"x", *ring, true}});
  return Mesh::parse(plain);
}

QString kernel_mesh_text(const Mesh& mesh) {
  if (mesh.rank() == 0) return {};
  if (mesh.rank() == 1 && mesh.axes()[0].name == "x") return QString::number(mesh.axis_size(0));
  return QString::fromStdString(mesh.text());
}

QString choice_text(const KernelChoice& choice) {
  const kernels::KernelOptions& o = choice.options;
  QStringList parts{"kernel=%1"_tr.arg(QString::fromStdString(choice.kernel)),
                    "mesh=%1"_tr.arg(kernel_mesh_text(o.mesh)), "dtype=%1"_tr.arg(name(o.dtype)),
                    "vmem=%1"_tr.arg(o.vmem_limit), "seed=%1"_tr.arg(choice.seed)};
  if (choice.policy) parts << "policy=%1"_tr.arg(kernels::name(*choice.policy));
  if (!choice.hardware.empty()) parts << "hardware=" + QString::fromStdString(choice.hardware);
  for (const kernels::KernelSize& size : kernels::kernel_sizes()) {
    if (o.*size.field) parts << QString("%1=%2").arg(QString::fromStdString(size.name)).arg(*(o.*size.field));
  }
  return parts.join(';');
}

std::optional<KernelChoice> parse_choice(const QString& text) {
  KernelChoice out;
  QString mesh;
  for (const QString& part : text.split(';', Qt::SkipEmptyParts)) {
    const QString key = part.section('=', 0, 0), value = part.section('=', 1);
    const std::string plain = value.toStdString();
    if (key == "kernel") out.kernel = plain;
    if (key == "mesh") mesh = value;
    if (key == "hardware") out.hardware = plain;
    if (key == "seed") out.seed = value.toULongLong();
    if (key == "vmem" && value.toLongLong() > 0) out.options.vmem_limit = value.toLongLong();
    if (key == "dtype") out.options.dtype = parse_element_type(plain).value_or(ElementType::f32);
    if (key == "policy") {
      const auto policy = kernels::parse_policy(plain);
      if (policy.ok()) out.policy = *policy;
    }
    for (const kernels::KernelSize& size : kernels::kernel_sizes()) {
      if (key.toStdString() == size.name && value.toLongLong() > 0)
        out.options.*size.field = value.toLongLong();
    }
  }
  const auto entry = kernels::find_kernel(out.kernel);
  if (!entry.ok()) return std::nullopt;
  const auto read = parse_kernel_mesh(mesh, *entry);
  if (!read.ok()) return std::nullopt;
  out.options.mesh = *read;
  return out;
}

Result<ShownKernelPtr> show_kernel(const KernelChoice& choice) {
  auto out = std::make_shared<ShownKernel>();
  out->choice = choice;
  TRY(out->entry, entry_of(choice));
  TRY(const Hardware hardware, find_hardware(choice.hardware));
  out->options = choice.options;
  if (!out->options.hbm_limit && hardware.memory.hbm_bytes)
    out->options.hbm_limit = static_cast<int64_t>(*hardware.memory.hbm_bytes);
  TRY(kernels::KernelProgram program, build_kernel(out->entry, out->options));
  out->layout = program.layout;
  Result<KernelTime> time = time_kernel(program, hardware, choice.wraps);
  if (time.ok()) {
    out->time = *std::move(time);
  } else {
    out->no_time = in_window(time.error()).toStdString();
  }
  if (!out->entry.mended.empty()) {
    TRY(const kernels::KernelEntry mended, kernels::find_kernel(out->entry.mended));
    const auto twin = build_kernel(mended, out->options);
    if (twin.ok()) out->twin = twin->layout;
  }
  const Result<void> fits = kernels::KernelReplay::fits(program);
  if (fits.ok()) {
    out->replay = std::make_shared<const kernels::KernelReplay>(out->entry, std::move(program),
                                                                schedule_of(choice), kKernelInputSeed);
  } else {
    out->no_replay = in_window(fits.error()).toStdString();
  }
  return ShownKernelPtr(std::move(out));
}

}  // namespace shardscope::inline window
