// SPDX-License-Identifier: Apache-2.0
#include "engine/hardware/hardware.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "engine/hardware/chip_numbers.h"
#include "engine/hardware/overrides.h"

namespace shardscope::hardware_test {
namespace {

std::string error_of(const std::string& toml) {
  const auto hardware = parse_hardware(toml, "chip.toml");
  return hardware.ok() ? "no error" : hardware.error().text();
}

TEST(HardwareFile, every_preset_reads_prints_and_reads_back_equal) {
  const auto names = hardware_preset_names();
  for (const char* wanted : {"tpu-v3", "tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e", "tpu-v7x", "a100", "h100",
                             "h200", "b200", "gb200", "mi210", "mi300x", "cpu-host"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), wanted), names.end()) << wanted;
  }
  for (const std::string& name : names) {
    const auto hardware = find_hardware(name);
    ASSERT_TRUE(hardware.ok()) << hardware.error().text();
    EXPECT_EQ(hardware->name, name);
    EXPECT_EQ(*parse_hardware(hardware_toml(*hardware), "again.toml"), *hardware) << name;
  }
}

TEST(HardwareFile, every_number_of_a_preset_has_a_source) {
  for (const std::string& name : hardware_preset_names()) {
    const Hardware h = *find_hardware(name);
    const auto sourced = [&](const char* key) {
      return h.sources.count(key) == 1 && !h.sources.at(key).empty();
    };
    EXPECT_TRUE(h.compute.peak_flops_per_s.empty() || sourced("compute.peak_flops_per_s")) << name;
    EXPECT_TRUE(h.compute.efficiency == 1 || sourced("compute.efficiency")) << name;
    EXPECT_TRUE(h.compute.mxu_rows == 1 || sourced("compute.mxu")) << name;
    EXPECT_TRUE(!h.memory.hbm_bytes || sourced("memory.hbm_bytes")) << name;
    EXPECT_TRUE(!h.memory.hbm_bytes_per_s || sourced("memory.hbm_bytes_per_s")) << name;
    EXPECT_TRUE(h.memory.hbm_efficiency == 1 || sourced("memory.hbm_efficiency")) << name;
    EXPECT_TRUE(!h.memory.fast_bytes || sourced("memory.fast_bytes")) << name;
    EXPECT_TRUE(!h.link.bytes_per_s || sourced("link.bytes_per_s")) << name;
    EXPECT_TRUE(!h.link.latency_s || sourced("link.latency_s")) << name;
    EXPECT_TRUE(h.link.efficiency == 1 || sourced("link.efficiency")) << name;
    EXPECT_TRUE(!h.torus_axes || sourced("torus_axes")) << name;
    EXPECT_TRUE(!h.torus_chips || sourced("torus_chips")) << name;
    EXPECT_TRUE(!h.torus_wrap_multiple_of || sourced("torus_wrap_multiple_of")) << name;
    EXPECT_TRUE(h.compute.launch_overhead_s == 0 || sourced("compute.launch_overhead_s")) << name;
  }
}

TEST(HardwareFile, v5e_has_its_published_numbers) {
  const Hardware h = *find_hardware("tpu-v5e");
  EXPECT_EQ(h.compute.peak_flops_per_s.at(ElementType::bf16), 197e12);
  EXPECT_EQ(h.compute.peak_flops_per_s.count(ElementType::f32), 0u);
  EXPECT_EQ(h.compute.efficiency, 0.90);
  EXPECT_EQ(h.compute.mxu_rows, 128);
  EXPECT_EQ(h.memory.hbm_bytes, 16e9);
  EXPECT_EQ(h.memory.hbm_bytes_per_s, 819e9);
  EXPECT_EQ(h.memory.hbm_efficiency, 0.85);
  EXPECT_EQ(h.memory.fast_bytes, 134217728);
  EXPECT_EQ(h.link.bytes_per_s, 45e9);
  EXPECT_EQ(h.link.latency_s, 1e-6);
  EXPECT_EQ(h.link.efficiency, 1);
  EXPECT_EQ(h.topology, Topology::torus);
}

// Dense peaks, HBM, one link in one direction; 0: not published.
TEST(HardwareFile, presets_have_the_published_numbers) {
  constexpr double kGiB = 1 << 30;
  struct Row {
    const char* name;
    double bf16, s8, hbm_bytes, hbm_per_s, link_per_s;
    Topology topology;
    int64_t wrap_multiple_of;
  };
  const Row rows[] = {
      {"tpu-v3", 123e12, 0, 32 * kGiB, 900e9, 100e9, Topology::torus, 0},
      {"tpu-v4", 275e12, 275e12, 32 * kGiB, 1228e9, 45e9, Topology::torus, 4},
      {"tpu-v5e", 197e12, 393e12, 16e9, 819e9, 45e9, Topology::torus, 16},
      {"tpu-v5p", 459e12, 918e12, 95e9, 2765e9, 90e9, Topology::torus, 0},
      {"tpu-v6e", 918e12, 1836e12, 32e9, 1640e9, 90e9, Topology::torus, 16},
      {"tpu-v7x", 2307e12, 0, 192 * kGiB, 7380e9, 0, Topology::torus, 0},
      {"a100", 312e12, 624e12, 80e9, 2039e9, 300e9, Topology::switch_, 0},
      {"h100", 989e12, 1979e12, 80e9, 3350e9, 450e9, Topology::switch_, 0},
      {"h200", 989e12, 1979e12, 141e9, 4800e9, 450e9, Topology::switch_, 0},
      {"b200", 2250e12, 4500e12, 192e9, 8000e9, 900e9, Topology::switch_, 0},
      {"gb200", 2500e12, 5000e12, 186e9, 8000e9, 900e9, Topology::switch_, 0},
      {"mi210", 181e12, 181e12, 64e9, 1638.4e9, 0, Topology::full, 0},
      {"mi300x", 1307.4e12, 2614.9e12, 192e9, 5300e9, 64e9, Topology::full, 0},
  };
  for (const Row& row : rows) {
    const Hardware h = *find_hardware(row.name);
    const auto peak = [&](ElementType type) {
      const auto found = h.compute.peak_flops_per_s.find(type);
      return found == h.compute.peak_flops_per_s.end() ? 0 : found->second;
    };
    EXPECT_EQ(peak(ElementType::bf16), row.bf16) << row.name;
    EXPECT_EQ(peak(ElementType::s8), row.s8) << row.name;
    EXPECT_EQ(h.memory.hbm_bytes, row.hbm_bytes) << row.name;
    EXPECT_EQ(h.memory.hbm_bytes_per_s, row.hbm_per_s) << row.name;
    EXPECT_EQ(h.link.bytes_per_s.value_or(0), row.link_per_s) << row.name;
    EXPECT_EQ(h.topology, row.topology) << row.name;
    EXPECT_EQ(h.torus_wrap_multiple_of.value_or(0), row.wrap_multiple_of) << row.name;
  }
  EXPECT_EQ(find_hardware("a100")->compute.launch_overhead_s, 29.32e-6) << "fitted";
}

// NVLink's latency and the rate of its collectives are nobody's figures: fitted ones say so and by what.
TEST(HardwareFile, fitted_figures_of_links_are_marked_and_named) {
  for (const char* name : {"a100", "h100", "h200", "b200", "gb200"}) {
    const Hardware h = *find_hardware(name);
    EXPECT_GT(h.link.latency_s.value_or(0), 1e-6) << name;
    EXPECT_GT(h.link.launch_overhead_s, 1e-6) << name;
    EXPECT_LT(h.link.efficiency, 0.9) << name;
    for (const char* key : {"link.latency_s", "link.efficiency", "link.launch_overhead_s"}) {
      EXPECT_TRUE(h.sources.at(key).starts_with("≈ ")) << name << ' ' << key;
      EXPECT_NE(h.sources.at(key).find("measure"), std::string::npos) << name << ' ' << key;
    }
  }
}

// v4: multiples of 4; v5e and v6e: 16; no rule: every axis.
TEST(ChipWraps, follow_the_rule_of_the_chip) {
  const Mesh mesh = *Mesh::parse("a=4,b=6,c=16");
  const auto wraps = [&](const char* name) {
    std::vector<bool> out;
    const Mesh wrapped = with_chip_wraps(mesh, *find_hardware(name));
    for (const MeshAxis& axis : wrapped.axes()) out.push_back(axis.wrap);
    return out;
  };
  EXPECT_EQ(wraps("tpu-v4"), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(wraps("tpu-v5e"), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(wraps("tpu-v3"), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(wraps("a100"), (std::vector<bool>{true, true, true}));
}

TEST(Overrides, read_print_and_name_mistakes) {
  EXPECT_EQ(*parse_device_override(" 3 = 0.5 "), (DeviceOverride{3, 0.5}));
  EXPECT_EQ(*parse_link_override("0-1=0"), (LinkOverride{0, 1, 0}));
  EXPECT_EQ(text(DeviceOverride{3, 0.5}), "3=0.5");
  EXPECT_EQ(*parse_link_override(text(LinkOverride{7, 12, 0.1})), (LinkOverride{7, 12, 0.1}));
  EXPECT_EQ(parse_device_override("3").error().text(),
            "'3' names no speed; slow device; write chip=speed, as in 3=0.5");
  for (const char* wrong : {"3=0", "3=-1", "3=inf", "x=1", "-1=1", "=1", "3=", ""}) {
    EXPECT_FALSE(parse_device_override(wrong).ok()) << wrong;
  }
  for (const char* wrong : {"0=1", "0-1", "0-1=-1", "0-x=1", "0-=1", "-1=1", "0-1=nan", ""}) {
    EXPECT_FALSE(parse_link_override(wrong).ok()) << wrong;
  }
}

TEST(HardwareFile, only_name_and_topology_are_required) {
  const auto h = parse_hardware("name = \"x\"\ntopology = \"line\"\n", "x.toml");
  ASSERT_TRUE(h.ok());
  EXPECT_EQ(h->compute.efficiency, 1);
  EXPECT_EQ(h->compute.mxu_rows, 1);
  EXPECT_EQ(h->link.links_per_axis, 2);
  EXPECT_FALSE(h->link.bytes_per_s);
  EXPECT_EQ(error_of("topology = \"line\"\n"), "'name' is missing; chip.toml:1:1");
}

constexpr const char* kMeasured = R"(name = 'x'
topology = 'two-level'
[compute]
elementwise_launch_s = 3e-6
vector_flops_per_s = 60e12
tile = [128, 256, 64]
units = 132
[link]
level_slices = 4
[[link.op]]
kind = 'all-reduce'
launch_s = 30e-6
[[link.op]]
kind = "all-reduce"
group = 8
launch_s = 25e-6
step_s = 1.5e-6
bytes_per_s = 402e9
ramp = { c = 2e-9, gamma = 0.5 }
in_switch = true
[overlap]
sync_s = 6e-6
ops = ["all-gather", 'collective-permute']
[calibration]
source = 'measured.csv'
points = 151
date = '2026-01-01'
train_error = 0.05
test_error = 0.08
range = { product = [1e6, 1e12], all-reduce = [1024, 2147483648] }
)";

TEST(HardwareFile, what_was_measured_reads_prints_and_reads_back_equal) {
  const auto h = parse_hardware(kMeasured, "x.toml");
  ASSERT_TRUE(h.ok()) << h.error().text();
  EXPECT_EQ(h->compute.elementwise_launch_s, 3e-6);
  EXPECT_EQ(h->compute.vector_flops_per_s, 60e12);
  EXPECT_EQ(h->compute.tile, (std::array<int64_t, 3>{128, 256, 64}));
  EXPECT_EQ(h->compute.units, 132);
  EXPECT_EQ(h->link.level_slices, 4);
  EXPECT_EQ(h->link.ops[1], (LinkOp{.kind = "all-reduce",
                                    .group = 8,
                                    .launch_s = 25e-6,
                                    .step_s = 1.5e-6,
                                    .bytes_per_s = 402e9,
                                    .ramp = LinkOp::Ramp{2e-9, 0.5},
                                    .in_switch = true}));
  EXPECT_EQ(h->overlap.sync_s, 6e-6);
  EXPECT_EQ(h->overlap.ops, (std::vector<std::string>{"all-gather", "collective-permute"}));
  EXPECT_EQ(h->calibration->points, 151);
  EXPECT_EQ(h->calibration->test_error, 0.08);
  EXPECT_EQ(h->calibration->range.at("all-reduce")[1], 2147483648);
  const auto again = parse_hardware(hardware_toml(*h), "y.toml");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(*again, *h);
}

TEST(HardwareFile, a_collective_takes_the_row_of_its_group_before_that_of_its_kind) {
  const Hardware h = *parse_hardware(kMeasured, "x.toml");
  EXPECT_EQ(link_op(h, "all-reduce", 8), &h.link.ops[1]);
  EXPECT_EQ(link_op(h, "all-reduce", 4), &h.link.ops[0]);
  EXPECT_EQ(link_op(h, "all-gather", 8), nullptr);
  EXPECT_EQ(key_of(h.link.ops[1]), "link.op.all-reduce.8");
  EXPECT_EQ(key_of(h.link.ops[0]), "link.op.all-reduce");
}

TEST(HardwareFile, mistakes_in_what_was_measured_name_their_place) {
  const std::string head = "name = 'x'\ntopology = 'switch'\n";
  const std::string op = head + "[[link.op]]\nkind = 'all-gather'\n";
  EXPECT_EQ(error_of(head + "[compute]\ntile = [128, 0, 64]\n"),
            "'tile' must be three positive sizes, got [128, 0, 64]; chip.toml:4:8; "
            "write it as [m, n, k], as in [128, 256, 64]");
  EXPECT_EQ(error_of(head + "[compute]\nunits = 0\n"), "'units' must be at least 1, got 0; chip.toml:4:9");
  EXPECT_EQ(error_of(head + "[[link.op]]\nkind = 'all-gathr'\n"),
            "unknown kind 'all-gathr'; chip.toml:4:8; did you mean 'all-gather'?");
  EXPECT_EQ(error_of(head + "[[link.op]]\ngroup = 8\n").substr(0, 34), "'kind' is missing; chip.toml:3:1; ");
  EXPECT_EQ(error_of(op + "bytes_per_s = 0\n"),
            "'bytes_per_s' must be a positive number, got 0; chip.toml:5:15");
  EXPECT_EQ(error_of(op + "ramp = { c = 1e-9 }\n"),
            "'ramp' has no gamma; chip.toml:5:8; write it as { c = 2e-9, gamma = 0.5 }");
  EXPECT_EQ(error_of(op + "ramp = { c = 1e-9, gamma = 2 }\n"),
            "'gamma' must be more than 0 and at most 1, got 2; chip.toml:5:28");
  EXPECT_EQ(error_of(op + "in_switch = true\n"),
            "'in_switch' goes with all-reduce, this is all-gather; chip.toml:5:13");
  EXPECT_EQ(error_of(op + "lunch_s = 1\n"), "unknown key 'lunch_s'; chip.toml:5:1; did you mean 'launch_s'?");
  EXPECT_EQ(error_of(op + "[[link.op]]\nkind = 'all-gather'\n").substr(0, 35),
            "link.op.all-gather stands twice; ch");
  EXPECT_EQ(error_of(head + "[overlap]\nops = ['dot']\n").substr(0, 18), "unknown kind 'dot'");
  EXPECT_EQ(error_of(head + "[calibration]\nrange = { product = [2, 1] }\n"),
            "the range of 'product' must be two sizes, the smaller one first; chip.toml:4:21; "
            "write it as [1e3, 1e9]");
}

TEST(ChipNumbers, measured_collectives_have_rows_that_read_and_write_them) {
  const Hardware h = *parse_hardware(kMeasured, "x.toml");
  std::vector<std::string> keys;
  for (const ChipNumber& number : chip_numbers(h)) {
    keys.push_back(number.key);
    Hardware changed = h;
    const auto value = number.get(h);
    if (!value) continue;
    number.set(changed, *value / 2);
    EXPECT_EQ(number.get(changed), number.whole ? std::floor(*value / 2) : *value / 2) << number.key;
    number.set(changed, *value);
    EXPECT_EQ(changed, h) << number.key;
  }
  for (const char* key : {"link.op.all-reduce.8.step_s", "link.op.all-reduce.8.ramp.gamma",
                          "link.op.all-reduce.launch_s", "overlap.sync_s", "compute.tile", "compute.units"})
    EXPECT_EQ(std::ranges::count(keys, key), std::string_view(key) == "compute.tile" ? 3 : 1) << key;
  for (const ChipNumber& number : chip_numbers(Hardware{}))
    EXPECT_EQ(number.key.find("link.op"), std::string::npos);
}

TEST(HardwareFile, every_preset_names_its_compiler) {
  for (const std::string& name : hardware_preset_names()) {
    const Hardware chip = find_hardware(name).value();
    const CompileAs is = name.starts_with("tpu-") ? CompileAs::xla_tpu
                         : name == "cpu-host"     ? CompileAs::xla_cpu
                                                  : CompileAs::xla_gpu;
    EXPECT_EQ(chip.compiler, std::optional(is)) << name;
  }
  const auto wrong = parse_hardware("name = 'c'\ntopology = 'switch'\ncompiler = 'gcc'\n", "c.toml");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().text(),
            "'compiler' must be one of none, xla-gpu, xla-tpu, xla-cpu, got 'gcc'; c.toml:3:12");
}

TEST(HardwareFile, numbers_may_be_integers_or_floats) {
  const auto h = parse_hardware(
      "name='x'\ntopology='two-level'\n[memory]\nhbm_bytes = 16\n[node]\ndevices = 8\n"
      "[network]\nbytes_per_s = 5e10\nlatency_s = 1e-5\n",
      "x.toml");
  ASSERT_TRUE(h.ok()) << h.error().text();
  EXPECT_EQ(h->memory.hbm_bytes, 16.0);
  EXPECT_EQ(h->node_devices, 8);
  EXPECT_EQ(h->network_bytes_per_s, 5e10);
  EXPECT_EQ(*parse_hardware(hardware_toml(*h), "y.toml"), *h);
}

TEST(HardwareFile, mistakes_name_their_place) {
  const std::string head = "name = 'x'\ntopology = 'torus'\n";
  EXPECT_EQ(error_of("name = 'x'\ntopology = 'ring'\n"),
            "unknown topology 'ring'; chip.toml:2:12; use torus, line, full, switch, two-level");
  EXPECT_EQ(error_of(head + "[link]\nbytes_per_s = '45e9'\n"),
            "'bytes_per_s' must be a number, got a string; chip.toml:4:15");
  EXPECT_EQ(error_of(head + "[link]\nbytes_per_s = -1\n"),
            "'bytes_per_s' must be a positive number, got -1; chip.toml:4:15");
  EXPECT_EQ(error_of(head + "[link]\nlatency_s = -1e-6\n"),
            "'latency_s' must be zero or a positive number, got -1e-06; chip.toml:4:13");
  EXPECT_EQ(error_of(head + "[memory]\nhbm_bytes = inf\n"),
            "'hbm_bytes' must be a positive number, got inf; chip.toml:4:13");
  EXPECT_EQ(error_of(head + "[memory]\nhbm_bytes = nan\n"),
            "'hbm_bytes' must be a positive number, got nan; chip.toml:4:13");
  EXPECT_EQ(error_of(head + "[compute]\nefficiency = 1.5\n"),
            "'efficiency' must be more than 0 and at most 1, got 1.5; chip.toml:4:14");
  EXPECT_EQ(error_of(head + "[compute]\nmxu = [128]\n"),
            "'mxu' must be two positive sizes, got [128]; chip.toml:4:7; write it as [128, 128]");
  EXPECT_EQ(error_of(head + "[compute]\npeak_flops_per_s = { bf17 = 1 }\n").substr(0, 20),
            "unknown dtype 'bf17'");
  EXPECT_EQ(error_of(head + "[link]\nlatancy_s = 1e-6\n"),
            "unknown key 'latancy_s'; chip.toml:4:1; did you mean 'latency_s'?");
  EXPECT_EQ(error_of(head + "[node]\ndevices = 8\n"),
            "[node] goes with topology \"two-level\" or \"switch\", this is \"torus\"; chip.toml:3:1");
  EXPECT_NE(error_of(head + "[link\n").find("chip.toml:3:"), std::string::npos);
}

TEST(HardwareFile, a_cut_or_damaged_file_is_an_error_and_never_more) {
  const std::string good = hardware_toml(*find_hardware("tpu-v5e"));
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    text[random() % text.size()] = static_cast<char>(random() % 256);
    if (random() % 4 == 0) text.resize(random() % text.size());
    const auto hardware = parse_hardware(text, "x.toml");
    if (hardware.ok()) {
      EXPECT_FALSE(hardware->name.empty());
    } else {
      EXPECT_NE(hardware.error().where.find("x.toml:"), std::string::npos);
    }
  }
}

TEST(FindHardware, a_name_a_path_or_the_nearest_name) {
  EXPECT_EQ(find_hardware("tpu-v5").error().text().substr(0, 27), "unknown hardware 'tpu-v5'; ");
  EXPECT_NE(find_hardware("tpu-v5ee").error().fix.find("did you mean 'tpu-v5e'?"), std::string::npos);
  EXPECT_NE(find_hardware("zzzzzzzz").error().fix.find("tpu-v6e"), std::string::npos);
  EXPECT_EQ(find_hardware("zzzzzzzz").error().kind, ErrorKind::invalid);
  EXPECT_EQ(find_hardware("/nowhere/x.toml").error().kind, ErrorKind::io);
  EXPECT_EQ(find_hardware("/tmp/").error().kind, ErrorKind::io);
  const std::string path = testing::TempDir() + "/my_chip.toml";
  std::ofstream(path) << "name = 'mine'\ntopology = 'full'\n";
  EXPECT_EQ(find_hardware(path)->name, "mine");
}

}  // namespace
}  // namespace shardscope::hardware_test
