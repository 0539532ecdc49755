"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}], function_type = (tensor<6x16x32xf32>, tensor<32x32xf32>) -> tensor<6x16x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<6x16x32xf32>, %arg8: tensor<32x32xf32>):
    %10 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x16x32xf32>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13:4 = "stablehlo.while"(%arg7, %arg8, %12, %11) ({
    ^bb0(%arg13: tensor<6x16x32xf32>, %arg14: tensor<32x32xf32>, %arg15: tensor<i32>, %arg16: tensor<6x16x32xf32>):
      %19 = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
      %20 = "stablehlo.compare"(%arg15, %19) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%20) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg9: tensor<6x16x32xf32>, %arg10: tensor<32x32xf32>, %arg11: tensor<i32>, %arg12: tensor<6x16x32xf32>):
      %14 = "func.call"(%arg9, %arg11) <{callee = @dynamic_index_in_dim}> : (tensor<6x16x32xf32>, tensor<i32>) -> tensor<16x32xf32>
      %15 = "func.call"(%arg10, %14) <{callee = @closed_call}> : (tensor<32x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
      %16 = "func.call"(%arg12, %15, %arg11) <{callee = @dynamic_update_index_in_dim}> : (tensor<6x16x32xf32>, tensor<16x32xf32>, tensor<i32>) -> tensor<6x16x32xf32>
      %17 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %18 = "stablehlo.add"(%arg11, %17) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg9, %arg10, %18, %16) : (tensor<6x16x32xf32>, tensor<32x32xf32>, tensor<i32>, tensor<6x16x32xf32>) -> ()
    }) : (tensor<6x16x32xf32>, tensor<32x32xf32>, tensor<i32>, tensor<6x16x32xf32>) -> (tensor<6x16x32xf32>, tensor<32x32xf32>, tensor<i32>, tensor<6x16x32xf32>)
    "func.return"(%13#3) : (tensor<6x16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<6x16x32xf32>, tensor<i32>) -> tensor<16x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg5: tensor<6x16x32xf32>, %arg6: tensor<i32>):
    %6 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %7 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %8 = "stablehlo.dynamic_slice"(%arg5, %arg6, %6, %7) <{slice_sizes = array<i64: 1, 16, 32>}> : (tensor<6x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x32xf32>
    %9 = "stablehlo.reshape"(%8) : (tensor<1x16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%9) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<32x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>, res_attrs = [{}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<32x32xf32>, %arg4: tensor<16x32xf32>):
    %4 = "stablehlo.dot_general"(%arg4, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %5 = "stablehlo.tanh"(%4) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%5) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}], function_type = (tensor<6x16x32xf32>, tensor<16x32xf32>, tensor<i32>) -> tensor<6x16x32xf32>, res_attrs = [{}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<6x16x32xf32>, %arg1: tensor<16x32xf32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<16x32xf32>) -> tensor<1x16x32xf32>
    %1 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2, %1, %2) : (tensor<6x16x32xf32>, tensor<1x16x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x16x32xf32>
    "func.return"(%3) : (tensor<6x16x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
