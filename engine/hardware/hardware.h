// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/element_type.h"
#include "engine/base/result.h"
#include "engine/hardware/compile_as.h"
#include "engine/mesh/mesh.h"

namespace shardscope::inline hardware {

enum class Topology { torus, line, full, switch_, two_level };
const char* name(Topology topology);  // "torus", "two-level"

// What collectives of one kind take where they were measured on groups of one size (none: of any): a launch,
// a time a step, a rate of what the busiest port sends and a ramp between small and large arrays. What is
// empty stays as the links say.
struct LinkOp {
  struct Ramp {  // c·S^gamma seconds more for S bytes
    double c = 0, gamma = 1;
    bool operator==(const Ramp&) const = default;
  };
  // A message as a library sends it: in parts, each by a channel of its own. A chip's channels are shared out
  // among its peers, one each at least; they are doubled until no part is larger than `bytes`. More peers
  // than channels wait for one another.
  struct Parts {
    int64_t channels = 32;
    double bytes = 16 << 20;
    double bytes_per_s = 1;                        // of one channel; all together as the row says
    std::optional<double> one_peer_bytes_per_s{};  // where no chip has another peer: pairs, one-way messages
    double launch_s = 0;                           // besides the row's
    // Messages of so many bytes at most go another way: the row's launch and this rate of a channel.
    double small_bytes = 0, small_bytes_per_s = 1;
    double hidden_s = 0;  // of what is sent so much goes beside the row's launch
    bool operator==(const Parts&) const = default;
  };
  std::string kind{};  // HLO's opcode: "all-reduce"
  std::optional<int64_t> group{};
  std::optional<double> launch_s{}, step_s{};
  std::optional<double> bytes_per_s{};  // as measured: no efficiency on top
  std::optional<Ramp> ramp{};
  bool in_switch = false;  // the switch adds: a port sends the array once and its own n-th part of the sum
  std::optional<Parts> parts{};  // of permutes and all-to-alls
  // Of a measured torus, whose points say along which of its axes they went: only for those points, since
  // where a mesh lies on the torus no run says.
  std::optional<int64_t> axis{};
  bool operator==(const LinkOp&) const = default;
};

// Products of some types by a library that takes the fastest of its tiles: m × n of the result with k at a
// time, dealt to the chip's units in waves. k itself is dealt out too where that is faster.
struct ProductTiles {
  struct Tile {
    std::array<int64_t, 3> size{};  // m, n, k
    double share = 1;               // of `efficiency`, inside of it
    bool operator==(const Tile&) const = default;
  };
  std::vector<ElementType> types;
  std::vector<Tile> tiles;
  int64_t units = 1;
  double efficiency = 1;                     // of the peak
  double hbm_efficiency = 1;                 // of the memory's bandwidth
  std::optional<double> unit_bytes_per_s{};  // what one unit draws of the memory at most
  double launch_s = 0;
  double wave_s = 0;  // of each wave, filling and emptying
  double step_s = 0;  // of each step through k: what is asked of the cache comes so much later
  // Elements of the result that a unit holds at once, in at most 4 tiles: those fill, empty and step through
  // k together. None: one tile.
  std::optional<double> unit_elements{};
  double split_s = 0;  // once, to add up the parts of k
  // What all units together write their tiles with at the end of each wave, before the next one begins.
  std::optional<double> write_bytes_per_s{};
  // At which the sides of all tiles come to the units through the cache, more often than from memory.
  std::optional<double> cache_bytes_per_s{};
  // Neither arithmetic nor traffic hides the other whole: together they take
  // (compute^mixing + memory^mixing)^(1/mixing). None: the longer of them.
  std::optional<double> mixing{};
  // Of the efficiency, where rows are no multiple of 16 bytes and a slow kernel has to do.
  double unaligned_share = 1;
  bool operator==(const ProductTiles&) const = default;
};

// Work of one kind that is no product of HLO: what it reaches of the memory's bandwidth, or of the peak.
struct WorkRate {
  std::string kind{};  // see work_kinds
  double launch_s = 0;
  double hbm_efficiency = 1;
  std::optional<double> efficiency{};  // of the peak: attention
  bool operator==(const WorkRate&) const = default;
};

// A chip, its memory and its links. Every number carries its unit in its name; one that nobody published is
// empty and never guessed. `sources` says where each came from, by the TOML key ("compute.peak_flops_per_s").
struct Hardware {
  std::string name;
  std::string title;  // optional display name, else empty
  Topology topology = Topology::torus;
  // Whose programs it runs: what modules are timed as made by. None: backend's compiler_of derives it.
  std::optional<CompileAs> compiler{};

  struct Compute {
    std::map<ElementType, double> peak_flops_per_s;
    std::optional<double> tf32_flops_per_s;  // of f32 whose factors are rounded to TF32; none: it cannot
    double efficiency = 1;
    double launch_overhead_s = 0;
    int64_t mxu_rows = 1, mxu_cols = 1;
    double elementwise_launch_s = 0;           // of what is no product and no collective
    std::optional<double> vector_flops_per_s;  // none: elementwise work is its traffic
    // Products are dealt in tiles of m × n to the units, wave after wave; within one k goes by tile[2].
    std::optional<std::array<int64_t, 3>> tile;
    std::optional<int64_t> units;
    bool operator==(const Compute&) const = default;
  } compute;
  struct Memory {
    std::optional<double> hbm_bytes;
    std::optional<double> hbm_bytes_per_s;
    double hbm_efficiency = 1;
    std::optional<double> fast_bytes;
    bool operator==(const Memory&) const = default;
  } memory;
  struct Link {
    std::optional<double> bytes_per_s;  // one link, one direction
    std::optional<double> latency_s;    // per hop (α)
    double efficiency = 1;
    double launch_overhead_s = 0;  // per collective
    int64_t links_per_axis = 2;
    // Into how many slices hierarchical collectives cut an array, so that levels overlap.
    int64_t level_slices = 1;
    std::vector<LinkOp> ops;  // no two of one kind, group and axis
    bool operator==(const Link&) const = default;
  } link;
  struct Overlap {
    double sync_s = 0;  // once per round in which a collective runs beside a product
    // The kinds of collectives that run beside compute; none: all.
    std::optional<std::vector<std::string>> ops;
    bool operator==(const Overlap&) const = default;
  } overlap;
  // Measurements that the numbers were fitted to.
  struct Calibrated {
    std::string source, date;
    int64_t points = 0;
    std::optional<double> train_error, test_error;  // means of |predicted / measured − 1|
    // Sizes that were measured, by "product" (flops), "elementwise" and kinds of collectives (bytes).
    std::map<std::string, std::array<double, 2>> range;
    bool operator==(const Calibrated&) const = default;
  };
  // Of programs, whose kernels follow one another, beside one kernel alone.
  struct Programs {
    // A kernel alone, measured with its launch, takes so much longer than in a program, where most of the
    // launch is done while the kernel before still runs. All other launches of a chip are those in a program.
    double alone_launch_s = 0;
    double scratch_s = 0;  // a library's product with scratch memory zeroes that first
    // Of the speed of one product alone, what products keep where nothing but them runs: they draw more power
    // than the chip may, so that its clock falls. From `sustained_from` of the time on it begins to.
    double sustained = 1, sustained_from = 0;
    bool operator==(const Programs&) const = default;
  } programs;
  std::optional<Calibrated> calibration;
  std::vector<ProductTiles> products;  // no type twice; others as `compute` says
  std::vector<WorkRate> work;          // no kind twice; others as `compute` and `memory` say
  // Of chips whose collectives are NCCL's: what NCCL's own model of them goes by.
  struct Nccl {
    std::string generation{};   // "ampere", "hopper" or "blackwell"
    std::string cpu = "intel";  // of the node: "intel", "amd" or "arm"
    bool operator==(const Nccl&) const = default;
  };
  std::optional<Nccl> nccl;
  // two-level only
  std::optional<int64_t> node_devices;
  std::optional<double> network_bytes_per_s, network_latency_s;
  std::optional<double> network_efficiency;  // of network_bytes_per_s; none: link.efficiency
  // The chip's own limits: axes and chips of its largest torus (warning beyond), and of what a mesh axis must
  // be a multiple for its links to close to a ring (none given: every axis does).
  std::optional<int64_t> torus_axes;
  std::optional<int64_t> torus_chips;
  std::optional<int64_t> torus_wrap_multiple_of;

  std::map<std::string, std::string> sources;
  bool operator==(const Hardware&) const = default;
};

// The peak that a dtype is timed with: its own, or the next listed one (f64→f32→bf16, s32→f32→bf16,
// f16→bf16). `assumption` says so in a sentence when it is another's. Where a precision is asked for, f32 as
// XLA's compilers multiply it: on TPUs in 1, 3 or 6 products of bf16, on chips that have it in TF32 unless
// for the highest.
struct Peak {
  double flops_per_s = 0;
  ElementType type = ElementType::f32;
  std::string assumption;
  double passes = 1;  // products of `type` that one takes (in_passes); of complex numbers four
};
Result<Peak> peak_for(const Hardware& hardware, const Multiplied& how);  // error names the missing field
Result<Peak> peak_for(const Hardware& hardware, ElementType dtype);

// Kinds of work that may have a rate of their own: copy, transpose, reduce, softmax, layernorm, gelu, add,
// attention, host copies; and kernels that a compiler makes of several operations: "fused", and "fused-rows"
// of those that keep whole rows on the chip.
const std::vector<std::string>& work_kinds();
const WorkRate* work_rate(const Hardware& hardware, std::string_view kind);
const ProductTiles* product_tiles(const Hardware& hardware, ElementType type);  // null: none

// The row of link.ops for a collective on a group of that many devices: one of its kind and group before one
// of its kind; null: none. With an axis of a torus only a row of that axis.
const LinkOp* link_op(const Hardware& hardware, std::string_view kind, int64_t group,
                      std::optional<int64_t> axis = std::nullopt);
// "link.op.all-reduce.8", "link.op.all-reduce", "link.op.all-gather.axis0": with ".step_s" behind it a
// number's key.
std::string key_of(const LinkOp& op);

// Whether the links of a mesh axis of `size` devices close to a ring on this chip, and the mesh with its axes
// so.
bool axis_wraps(const Hardware& hardware, int64_t size);
Mesh with_chip_wraps(const Mesh& mesh, const Hardware& hardware);

Result<Hardware> parse_hardware(std::string_view toml, std::string_view file_name);
std::string hardware_toml(const Hardware& hardware);  // parse_hardware reads it back, equal

// Compiled-in presets (presets/hardware/*.toml), by name; find also takes the path of a file.
std::vector<std::string> hardware_preset_names();
Result<Hardware> find_hardware(std::string_view name_or_path);

}  // namespace shardscope::inline hardware
