"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}], function_type = (tensor<16x32xf32>, tensor<4x32x32xf32>) -> tensor<16x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg4: tensor<16x32xf32>, %arg5: tensor<4x32x32xf32>):
    %7 = "stablehlo.reshape"(%arg5) : (tensor<4x32x32xf32>) -> tensor<2x2x32x32xf32>
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9:3 = "stablehlo.while"(%7, %8, %arg4) ({
    ^bb0(%arg9: tensor<2x2x32x32xf32>, %arg10: tensor<i32>, %arg11: tensor<16x32xf32>):
      %19 = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
      %20 = "stablehlo.compare"(%arg10, %19) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%20) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg6: tensor<2x2x32x32xf32>, %arg7: tensor<i32>, %arg8: tensor<16x32xf32>):
      %10 = "func.call"(%arg6, %arg7) <{callee = @dynamic_index_in_dim}> : (tensor<2x2x32x32xf32>, tensor<i32>) -> tensor<2x32x32xf32>
      %11 = "stablehlo.slice"(%10) <{limit_indices = array<i64: 1, 32, 32>, start_indices = array<i64: 0, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<2x32x32xf32>) -> tensor<1x32x32xf32>
      %12 = "stablehlo.reshape"(%11) : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %13 = "func.call"(%arg8, %12) <{callee = @closed_call}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
      %14 = "stablehlo.slice"(%10) <{limit_indices = array<i64: 2, 32, 32>, start_indices = array<i64: 1, 0, 0>, strides = array<i64: 1, 1, 1>}> : (tensor<2x32x32xf32>) -> tensor<1x32x32xf32>
      %15 = "stablehlo.reshape"(%14) : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
      %16 = "func.call"(%13, %15) <{callee = @closed_call}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
      %17 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %18 = "stablehlo.add"(%arg7, %17) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg6, %18, %16) : (tensor<2x2x32x32xf32>, tensor<i32>, tensor<16x32xf32>) -> ()
    }) : (tensor<2x2x32x32xf32>, tensor<i32>, tensor<16x32xf32>) -> (tensor<2x2x32x32xf32>, tensor<i32>, tensor<16x32xf32>)
    "func.return"(%9#2) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x2x32x32xf32>, tensor<i32>) -> tensor<2x32x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<2x2x32x32xf32>, %arg3: tensor<i32>):
    %2 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %3 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5 = "stablehlo.dynamic_slice"(%arg2, %arg3, %2, %3, %4) <{slice_sizes = array<i64: 1, 2, 32, 32>}> : (tensor<2x2x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x32x32xf32>
    %6 = "stablehlo.reshape"(%5) : (tensor<1x2x32x32xf32>) -> tensor<2x32x32xf32>
    "func.return"(%6) : (tensor<2x32x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>, res_attrs = [{}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x32xf32>, %arg1: tensor<32x32xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %1 = "stablehlo.tanh"(%0) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%1) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
