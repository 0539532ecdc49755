// SPDX-License-Identifier: Apache-2.0
// Any sizes of any kernel are a program or a refusal; one that is not broken shows no finding under any
// schedule but that a memory is too small, and the same schedule shows the same twice.
#include <cstring>

#include "engine/base/check.h"
#include "engine/kernels/catalogue/sizes.h"
#include "engine/kernels/machine/explore.h"
#include "engine/kernels/time/sweep.h"

namespace {
using namespace shardscope;

// The bytes of an input one behind the other; zeros behind the last.
class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  uint8_t next() { return at_ < size_ ? data_[at_++] : 0; }

 private:
  const uint8_t* data_;
  size_t size_, at_ = 0;
};

// Small ones mostly; now and then what no machine has.
int64_t size_of(Bytes& bytes) {
  const int64_t first = bytes.next();
  if (first < 224) return first % 33 - 1;
  int64_t out = 0;
  for (int i = 0; i < 8; ++i) out = static_cast<int64_t>((static_cast<uint64_t>(out) << 8U) | bytes.next());
  return out;
}

kernels::KernelOptions options_of(Bytes& bytes) {
  kernels::KernelOptions out;
  std::vector<MeshAxis> axes;
  const int rank = bytes.next() % 4;
  for (int a = 0; a < rank; ++a)
    axes.push_back({std::string(1, static_cast<char>('x' + a)), bytes.next() % 5, bytes.next() % 2 == 0});
  if (auto mesh = Mesh::make(axes); mesh.ok()) out.mesh = *mesh;
  constexpr ElementType kTypes[] = {ElementType::f32, ElementType::bf16, ElementType::f16, ElementType::s8};
  out.dtype = kTypes[bytes.next() % 4];
  for (const kernels::KernelSize& size : kernels::kernel_sizes())
    if (bytes.next() % 2 == 1) out.*size.field = size_of(bytes);
  if (bytes.next() % 4 == 1) out.vmem_limit = size_of(bytes);
  if (bytes.next() % 4 == 1) out.hbm_limit = size_of(bytes);
  if (bytes.next() % 4 == 1) out.semaphore_limit = size_of(bytes);
  return out;
}

// Of a memory that the input made too small: no fault of the kernel's.
bool is_too_small(FindingKind kind) {
  return kind == FindingKind::vmem_overflow || kind == FindingKind::hbm_overflow ||
         kind == FindingKind::smem_overflow || kind == FindingKind::semaphore_overflow;
}

bool is_small(const kernels::KernelOptions& o) {
  for (const kernels::KernelSize& size : kernels::kernel_sizes())
    if ((o.*size.field).value_or(0) > 64) return false;
  return o.mesh.device_count() <= 8;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)kernels::parse_kernel_axis({reinterpret_cast<const char*>(data), size});
  Bytes bytes(data, size);
  const auto& all = kernels::catalogue();
  const kernels::KernelEntry& entry = all[bytes.next() % all.size()];
  const kernels::KernelOptions options = options_of(bytes);
  const auto program = kernels::build_kernel(entry, options);
  if (!program.ok() || !is_small(options)) return 0;
  kernels::ExploreOptions how;
  how.schedules = 4;
  how.seed = bytes.next();
  const Workers one(1);
  const auto run = kernels::explore(entry, *program, how, one, {});
  CHECK(run.ok(), entry.id, run.ok() ? "" : run.error().text());
  for (const KernelFindingCount& found : run->findings)
    CHECK(entry.broken || is_too_small(found.finding.kind), entry.id, found.finding.message);
  const auto again = kernels::explore(entry, *program, how, one, {});
  CHECK(again.ok() && again->findings.size() == run->findings.size(), entry.id);
  return 0;
}
