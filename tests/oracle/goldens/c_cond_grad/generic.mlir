"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, []>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}], function_type = (tensor<i1>, tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<i1>, %arg1: tensor<16x32xf32>, %arg2: tensor<32x32xf32>):
    %0 = "stablehlo.convert"(%arg0) : (tensor<i1>) -> tensor<i32>
    %1:3 = "stablehlo.case"(%0) ({
      %20 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %21 = "stablehlo.broadcast_in_dim"(%20) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
      %22 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %23 = "stablehlo.broadcast_in_dim"(%22) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
      "stablehlo.return"(%arg1, %21, %23) : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) -> ()
    }, {
      %15 = "stablehlo.dot_general"(%arg1, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
      %16 = "stablehlo.tanh"(%15) : (tensor<16x32xf32>) -> tensor<16x32xf32>
      %17 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
      %19 = "stablehlo.subtract"(%18, %16) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
      "stablehlo.return"(%arg1, %16, %19) : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) -> ()
    }) : (tensor<i32>) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>)
    %2 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %3 = "stablehlo.broadcast_in_dim"(%2) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %4 = "stablehlo.case"(%0) ({
      %10 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
      %12 = "stablehlo.multiply"(%3, %11) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
      %13 = "stablehlo.dot_general"(%12, %1#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
      %14 = "stablehlo.transpose"(%13) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
      "stablehlo.return"(%14) : (tensor<32x32xf32>) -> ()
    }, {
      %5 = "stablehlo.multiply"(%3, %1#2) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
      %6 = "stablehlo.multiply"(%5, %1#1) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
      %7 = "stablehlo.add"(%5, %6) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
      %8 = "stablehlo.dot_general"(%7, %1#0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
      %9 = "stablehlo.transpose"(%8) <{permutation = array<i64: 1, 0>}> : (tensor<32x32xf32>) -> tensor<32x32xf32>
      "stablehlo.return"(%9) : (tensor<32x32xf32>) -> ()
    }) : (tensor<i32>) -> tensor<32x32xf32>
    "func.return"(%4) : (tensor<32x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
