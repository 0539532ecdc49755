// SPDX-License-Identifier: Apache-2.0
// jax.shard_map over 4 devices, as jax.jit(f).lower(x, w).as_text() prints it: every device multiplies by the
// shard of w that it holds and passes it on (ppermute), four times.
module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["ring"=4]>
  func.func public @main(%arg0: tensor<16x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"ring"}, {}]>}, %arg1: tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"ring"}]>}) -> (tensor<16x12xi32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"ring"}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"ring"}, {}]>, <@mesh, [{}, {"ring"}]>] out_shardings=[<@mesh, [{"ring"}, {}]>] manual_axes={"ring"} (%arg2: tensor<4x8xi32>, %arg3: tensor<8x3xi32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x12xi32>
      %3:4 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2, %iterArg_1 = %arg3, %iterArg_2 = %2) : tensor<i32>, tensor<4x8xi32>, tensor<8x3xi32>, tensor<4x12xi32>
      cond {
        %c_3 = stablehlo.constant dense<4> : tensor<i32>
        %4 = stablehlo.compare  LT, %iterArg, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %4 : tensor<i1>
      } do {
        %c_3 = stablehlo.constant dense<1> : tensor<i32>
        %4 = stablehlo.add %iterArg, %c_3 : tensor<i32>
        %5 = stablehlo.dot_general %iterArg_0, %iterArg_1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xi32>, tensor<8x3xi32>) -> tensor<4x3xi32> loc(#loc1)
        %6 = stablehlo.partition_id : tensor<ui32>
        %7 = stablehlo.convert %6 : (tensor<ui32>) -> tensor<i32>
        %8 = stablehlo.add %7, %iterArg : tensor<i32>
        %c_4 = stablehlo.constant dense<4> : tensor<i32>
        %9 = stablehlo.remainder %8, %c_4 : tensor<i32>
        %c_5 = stablehlo.constant dense<3> : tensor<i32>
        %10 = stablehlo.multiply %9, %c_5 : tensor<i32>
        %c_6 = stablehlo.constant dense<0> : tensor<i32>
        %11 = stablehlo.dynamic_update_slice %iterArg_2, %5, %c_6, %10 : (tensor<4x12xi32>, tensor<4x3xi32>, tensor<i32>, tensor<i32>) -> tensor<4x12xi32>
        %12 = "stablehlo.collective_permute"(%iterArg_1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2]]> : tensor<4x2xi64>}> : (tensor<8x3xi32>) -> tensor<8x3xi32> loc(#loc2)
        stablehlo.return %4, %iterArg_0, %12, %11 : tensor<i32>, tensor<4x8xi32>, tensor<8x3xi32>, tensor<4x12xi32>
      }
      sdy.return %3#3 : tensor<4x12xi32>
    } : (tensor<16x8xi32>, tensor<8x12xi32>) -> tensor<16x12xi32>
    %1 = stablehlo.negate %0 : tensor<16x12xi32>
    return %1 : tensor<16x12xi32>
  }
}
#loc1 = loc("jit(f)/shard_map/while/body/dot_general"("ring.py":14:10))
#loc2 = loc("jit(f)/shard_map/while/body/ppermute"("ring.py":15:10))
