"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}], function_type = (tensor<4x16x64xf32>) -> tensor<4x8x16x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4x16x64xf32>):
    %0 = "stablehlo.reshape"(%arg0) : (tensor<4x16x64xf32>) -> tensor<4x16x8x8xf32>
    %1 = "stablehlo.transpose"(%0) <{permutation = array<i64: 0, 2, 1, 3>}> : (tensor<4x16x8x8xf32>) -> tensor<4x8x16x8xf32>
    "func.return"(%1) : (tensor<4x8x16x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
