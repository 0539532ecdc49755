"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}], function_type = (tensor<16x64xi1>, tensor<16x64xi1>) -> (tensor<16x64xi1>, tensor<16xi1>, tensor<64xi1>, tensor<16x64xi1>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xi1>, %arg1: tensor<16x64xi1>):
    %0 = "stablehlo.and"(%arg0, %arg1) : (tensor<16x64xi1>, tensor<16x64xi1>) -> tensor<16x64xi1>
    %1 = "stablehlo.constant"() <{value = dense<false> : tensor<i1>}> : () -> tensor<i1>
    %2 = "stablehlo.reduce"(%arg0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg4: tensor<i1>, %arg5: tensor<i1>):
      %7 = "stablehlo.or"(%arg4, %arg5) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%7) : (tensor<i1>) -> ()
    }) : (tensor<16x64xi1>, tensor<i1>) -> tensor<16xi1>
    %3 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %4 = "stablehlo.reduce"(%arg1, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      %6 = "stablehlo.and"(%arg2, %arg3) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      "stablehlo.return"(%6) : (tensor<i1>) -> ()
    }) : (tensor<16x64xi1>, tensor<i1>) -> tensor<64xi1>
    %5 = "stablehlo.xor"(%arg0, %arg1) : (tensor<16x64xi1>, tensor<16x64xi1>) -> tensor<16x64xi1>
    "func.return"(%0, %2, %4, %5) : (tensor<16x64xi1>, tensor<16xi1>, tensor<64xi1>, tensor<16x64xi1>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
