"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xi1>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}, {jax.result_info = "result[4]"}, {jax.result_info = "result[5]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg5: tensor<16x16xf32>):
    %8 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x16xf32>
    %10 = "stablehlo.add"(%arg5, %9) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %11 = "chlo.next_after"(%arg5, %10) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %12 = "stablehlo.constant"() <{value = dense<4.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x16xf32>
    %14 = "stablehlo.multiply"(%arg5, %13) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %15 = "func.call"(%14) <{callee = @round}> : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %16 = "stablehlo.round_nearest_afz"(%arg5) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %17 = "func.call"(%arg5) <{callee = @trunc}> : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %18 = "stablehlo.ceil"(%arg5) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %19 = "stablehlo.is_finite"(%arg5) : (tensor<16x16xf32>) -> tensor<16x16xi1>
    "func.return"(%11, %15, %16, %17, %18, %19) : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xi1>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x16xf32>) -> tensor<16x16xf32>, res_attrs = [{}], sym_name = "round", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<16x16xf32>):
    %7 = "stablehlo.round_nearest_even"(%arg4) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    "func.return"(%7) : (tensor<16x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<16x16xf32>) -> tensor<16x16xf32>, res_attrs = [{}], sym_name = "trunc", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<16x16xf32>):
    %1 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x16xf32>
    %3 = "stablehlo.compare"(%arg3, %2) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xi1>
    %4 = "stablehlo.ceil"(%arg3) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %5 = "stablehlo.floor"(%arg3) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %6 = "func.call"(%3, %4, %5) <{callee = @_where}> : (tensor<16x16xi1>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    "func.return"(%6) : (tensor<16x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<16x16xi1>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>, res_attrs = [{}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x16xi1>, %arg1: tensor<16x16xf32>, %arg2: tensor<16x16xf32>):
    %0 = "stablehlo.select"(%arg0, %arg1, %arg2) : (tensor<16x16xi1>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    "func.return"(%0) : (tensor<16x16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
