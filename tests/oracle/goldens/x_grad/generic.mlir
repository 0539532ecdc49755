"builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}], function_type = (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>, res_attrs = [{jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x32xf32>, %arg1: tensor<32x64xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
    %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %2 = "stablehlo.tanh"(%1) : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %3 = "sdy.sharding_constraint"(%2) <{sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %4 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "sdy.sharding_constraint"(%4) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<f32>) -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x64xf32>
    %7 = "sdy.sharding_constraint"(%6) <{sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %8 = "stablehlo.subtract"(%7, %3) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %9 = "sdy.sharding_constraint"(%8) <{sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %10 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "sdy.sharding_constraint"(%10) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<f32>) -> tensor<f32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x64xf32>
    %13 = "sdy.sharding_constraint"(%12) <{sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %14 = "stablehlo.multiply"(%13, %9) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %15 = "sdy.sharding_constraint"(%14) <{sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %16 = "stablehlo.multiply"(%15, %3) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %17 = "sdy.sharding_constraint"(%16) <{sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %18 = "stablehlo.add"(%15, %17) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %19 = "sdy.sharding_constraint"(%18) <{sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %20 = "stablehlo.dot_general"(%19, %arg0) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x64xf32>, tensor<16x32xf32>) -> tensor<64x32xf32>
    %21 = "sdy.sharding_constraint"(%20) <{sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}> : (tensor<64x32xf32>) -> tensor<64x32xf32>
    %22 = "stablehlo.transpose"(%21) <{permutation = array<i64: 1, 0>}> : (tensor<64x32xf32>) -> tensor<32x64xf32>
    %23 = "sdy.sharding_constraint"(%22) <{sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}> : (tensor<32x64xf32>) -> tensor<32x64xf32>
    "func.return"(%23) : (tensor<32x64xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
