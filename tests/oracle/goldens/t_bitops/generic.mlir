"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<16x64xui32>, tensor<16x64xui32>) -> tensor<16x64xui32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xui32>, %arg1: tensor<16x64xui32>):
    %0 = "stablehlo.constant"() <{value = dense<3> : tensor<ui32>}> : () -> tensor<ui32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<16x64xui32>
    %2 = "stablehlo.shift_left"(%arg0, %1) : (tensor<16x64xui32>, tensor<16x64xui32>) -> tensor<16x64xui32>
    %3 = "stablehlo.constant"() <{value = dense<2> : tensor<ui32>}> : () -> tensor<ui32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<ui32>) -> tensor<16x64xui32>
    %5 = "stablehlo.shift_right_logical"(%arg1, %4) : (tensor<16x64xui32>, tensor<16x64xui32>) -> tensor<16x64xui32>
    %6 = "stablehlo.or"(%2, %5) : (tensor<16x64xui32>, tensor<16x64xui32>) -> tensor<16x64xui32>
    %7 = "stablehlo.not"(%arg0) : (tensor<16x64xui32>) -> tensor<16x64xui32>
    %8 = "stablehlo.popcnt"(%arg1) : (tensor<16x64xui32>) -> tensor<16x64xui32>
    %9 = "stablehlo.count_leading_zeros"(%arg0) : (tensor<16x64xui32>) -> tensor<16x64xui32>
    %10 = "stablehlo.add"(%8, %9) : (tensor<16x64xui32>, tensor<16x64xui32>) -> tensor<16x64xui32>
    %11 = "stablehlo.and"(%7, %10) : (tensor<16x64xui32>, tensor<16x64xui32>) -> tensor<16x64xui32>
    %12 = "stablehlo.xor"(%6, %11) : (tensor<16x64xui32>, tensor<16x64xui32>) -> tensor<16x64xui32>
    "func.return"(%12) : (tensor<16x64xui32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
