"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}], function_type = (tensor<16x64xf32>) -> (tensor<32x64xf32>, tensor<16x128xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xf32>):
    %0 = "stablehlo.reshape"(%arg0) : (tensor<16x64xf32>) -> tensor<1x16x1x64xf32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x16x1x64xf32>) -> tensor<2x16x1x64xf32>
    %2 = "stablehlo.reshape"(%1) : (tensor<2x16x1x64xf32>) -> tensor<32x64xf32>
    %3 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<16x64xf32>) -> tensor<16x64x2xf32>
    %4 = "stablehlo.reshape"(%3) : (tensor<16x64x2xf32>) -> tensor<16x128xf32>
    "func.return"(%2, %4) : (tensor<32x64xf32>, tensor<16x128xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
