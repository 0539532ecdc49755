"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}], function_type = (tensor<16x32xf32>, tensor<3x32x32xf32>) -> tensor<16x32xf32>, res_attrs = [{jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg4: tensor<16x32xf32>, %arg5: tensor<3x32x32xf32>):
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11:3 = "stablehlo.while"(%arg5, %10, %arg4) ({
    ^bb0(%arg9: tensor<3x32x32xf32>, %arg10: tensor<i32>, %arg11: tensor<16x32xf32>):
      %21 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
      %22 = "sdy.sharding_constraint"(%arg10) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
      %23 = "sdy.sharding_constraint"(%21) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
      %24 = "stablehlo.compare"(%22, %23) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%24) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg6: tensor<3x32x32xf32>, %arg7: tensor<i32>, %arg8: tensor<16x32xf32>):
      %14 = "func.call"(%arg6, %arg7) <{callee = @dynamic_index_in_dim}> : (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>
      %15 = "func.call"(%arg8, %14) <{callee = @closed_call}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
      %16 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %17 = "sdy.sharding_constraint"(%arg7) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
      %18 = "sdy.sharding_constraint"(%16) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
      %19 = "stablehlo.add"(%17, %18) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      %20 = "sdy.sharding_constraint"(%19) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg6, %20, %15) : (tensor<3x32x32xf32>, tensor<i32>, tensor<16x32xf32>) -> ()
    }) : (tensor<3x32x32xf32>, tensor<i32>, tensor<16x32xf32>) -> (tensor<3x32x32xf32>, tensor<i32>, tensor<16x32xf32>)
    %12 = "sdy.sharding_constraint"(%11#1) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
    %13 = "sdy.sharding_constraint"(%11#2) <{sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%13) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x32x32xf32>, tensor<i32>) -> tensor<32x32xf32>, res_attrs = [{}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg2: tensor<3x32x32xf32>, %arg3: tensor<i32>):
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.dynamic_slice"(%arg2, %arg3, %4, %5) <{slice_sizes = array<i64: 1, 32, 32>}> : (tensor<3x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x32xf32>
    %7 = "sdy.sharding_constraint"(%6) <{sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}> : (tensor<1x32x32xf32>) -> tensor<1x32x32xf32>
    %8 = "stablehlo.reshape"(%7) : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
    %9 = "sdy.sharding_constraint"(%8) <{sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
    "func.return"(%9) : (tensor<32x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>, res_attrs = [{}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x32xf32>, %arg1: tensor<32x32xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %2 = "stablehlo.tanh"(%1) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %3 = "sdy.sharding_constraint"(%2) <{sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}> : (tensor<16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%3) : (tensor<16x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
