"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}], function_type = (tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<16x32xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xf32>):
    %0 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 0>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %1 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 16, 64>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<16x64xf32>) -> tensor<16x32xf32>
    %2 = "stablehlo.reverse"(%1) <{dimensions = array<i64: 1>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%0, %2) : (tensor<16x64xf32>, tensor<16x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
