"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"model"}]>}], function_type = (tensor<16x32xf32>, tensor<2x3x32x32xf32>) -> tensor<16x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg14: tensor<16x32xf32>, %arg15: tensor<2x3x32x32xf32>):
    %19 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %20:3 = "stablehlo.while"(%arg15, %19, %arg14) ({
    ^bb0(%arg19: tensor<2x3x32x32xf32>, %arg20: tensor<i32>, %arg21: tensor<16x32xf32>):
      %25 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
      %26 = "stablehlo.compare"(%arg20, %25) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%26) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg16: tensor<2x3x32x32xf32>, %arg17: tensor<i32>, %arg18: tensor<16x32xf32>):
      %21 = "func.call"(%arg16, %arg17) <{callee = @dynamic_index_in_dim}> : (tensor<2x3x32x32xf32>, tensor<i32>) -> tensor<3x32x32xf32>
      %22 = "func.call"(%arg18, %21) <{callee = @closed_call}> : (tensor<16x32xf32>, tensor<3x32x32xf32>) -> tensor<16x32xf32>
      %23 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %24 = "stablehlo.add"(%arg17, %23) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg16, %24, %22) : (tensor<2x3x32x32xf32>, tensor<i32>, tensor<16x32xf32>) -> ()
    }) : (tensor<2x3x32x32xf32>, tensor<i32>, tensor<16x32xf32>) -> (tensor<2x3x32x32xf32>, tensor<i32>, tensor<16x32xf32>)
    "func.return"(%20#2) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x3x32x32xf32>, tensor<i32>) -> tensor<3x32x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg12: tensor<2x3x32x32xf32>, %arg13: tensor<i32>):
    %14 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %15 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %16 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %17 = "stablehlo.dynamic_slice"(%arg12, %arg13, %14, %15, %16) <{slice_sizes = array<i64: 1, 3, 32, 32>}> : (tensor<2x3x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x32x32xf32>
    %18 = "stablehlo.reshape"(%17) : (tensor<1x3x32x32xf32>) -> tensor<3x32x32xf32>
    "func.return"(%18) : (tensor<3x32x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x32xf32>, tensor<3x32x32xf32>) -> tensor<16x32xf32>, res_attrs = [{}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<16x32xf32>, %arg5: tensor<3x32x32xf32>):
    %6 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %7:3 = "stablehlo.while"(%arg5, %6, %arg4) ({
    ^bb0(%arg9: tensor<3x32x32xf32>, %arg10: tensor<i32>, %arg11: tensor<16x32xf32>):
      %12 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %13 = "stablehlo.compare"(%arg10, %12) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%13) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg6: tensor<3x32x32xf32>, %arg7: tensor<i32>, %arg8: tensor<16x32xf32>):
      %8 = "func.call"(%arg6, %arg7) <{callee = @dynamic_index_in_dim_0}> : (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>
      %9 = "func.call"(%arg8, %8) <{callee = @closed_call_1}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
      %10 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %11 = "stablehlo.add"(%arg7, %10) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg6, %11, %9) : (tensor<3x32x32xf32>, tensor<i32>, tensor<16x32xf32>) -> ()
    }) : (tensor<3x32x32xf32>, tensor<i32>, tensor<16x32xf32>) -> (tensor<3x32x32xf32>, tensor<i32>, tensor<16x32xf32>)
    "func.return"(%7#2) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim_0", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<3x32x32xf32>, %arg3: tensor<i32>):
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %4 = "stablehlo.dynamic_slice"(%arg2, %arg3, %2, %3) <{slice_sizes = array<i64: 1, 32, 32>}> : (tensor<3x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x32xf32>
    %5 = "stablehlo.reshape"(%4) : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
    "func.return"(%5) : (tensor<32x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>, res_attrs = [{}], sym_name = "closed_call_1", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x32xf32>, %arg1: tensor<32x32xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %1 = "stablehlo.tanh"(%0) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%1) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
