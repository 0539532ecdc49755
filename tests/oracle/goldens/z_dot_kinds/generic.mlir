"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}], function_type = (tensor<16x32xf32>, tensor<32x16xf32>) -> (tensor<f32>, tensor<32x16xf32>, tensor<4x4xf32>, tensor<16x16xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}, {jax.result_info = "result[2]"}, {jax.result_info = "result[3]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<16x32xf32>, %arg3: tensor<32x16xf32>):
    %6 = "stablehlo.slice"(%arg2) <{limit_indices = array<i64: 1, 32>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x32xf32>) -> tensor<1x32xf32>
    %7 = "stablehlo.reshape"(%6) : (tensor<1x32xf32>) -> tensor<32xf32>
    %8 = "stablehlo.slice"(%arg3) <{limit_indices = array<i64: 32, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<32x16xf32>) -> tensor<32x1xf32>
    %9 = "stablehlo.reshape"(%8) : (tensor<32x1xf32>) -> tensor<32xf32>
    %10 = "stablehlo.dot_general"(%7, %9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<32xf32>, tensor<32xf32>) -> tensor<f32>
    %11 = "stablehlo.slice"(%arg2) <{limit_indices = array<i64: 1, 32>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x32xf32>) -> tensor<1x32xf32>
    %12 = "stablehlo.reshape"(%11) : (tensor<1x32xf32>) -> tensor<32xf32>
    %13 = "stablehlo.slice"(%arg3) <{limit_indices = array<i64: 1, 16>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<32x16xf32>) -> tensor<1x16xf32>
    %14 = "stablehlo.reshape"(%13) : (tensor<1x16xf32>) -> tensor<16xf32>
    %15 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64: 0>}> : (tensor<32xf32>) -> tensor<32x1xf32>
    %16 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64: 1>}> : (tensor<16xf32>) -> tensor<1x16xf32>
    %17 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<32x1xf32>) -> tensor<32x16xf32>
    %18 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x16xf32>) -> tensor<32x16xf32>
    %19 = "stablehlo.multiply"(%17, %18) : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x16xf32>
    %20 = "stablehlo.slice"(%arg2) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x32xf32>) -> tensor<2x2xf32>
    %21 = "stablehlo.slice"(%arg3) <{limit_indices = array<i64: 2, 2>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<32x16xf32>) -> tensor<2x2xf32>
    %22 = "func.call"(%20, %21) <{callee = @kron}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x4xf32>
    %23 = "stablehlo.dot_general"(%arg2, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<16x32xf32>, tensor<32x16xf32>) -> tensor<16x16xf32>
    "func.return"(%10, %19, %22, %23) : (tensor<f32>, tensor<32x16xf32>, tensor<4x4xf32>, tensor<16x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x4xf32>, res_attrs = [{}], sym_name = "kron", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<2x2xf32>, %arg1: tensor<2x2xf32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<2x2xf32>) -> tensor<2x1x2x1xf32>
    %1 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 3>}> : (tensor<2x2xf32>) -> tensor<1x2x1x2xf32>
    %2 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<2x1x2x1xf32>) -> tensor<2x2x2x2xf32>
    %3 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<1x2x1x2xf32>) -> tensor<2x2x2x2xf32>
    %4 = "stablehlo.multiply"(%2, %3) : (tensor<2x2x2x2xf32>, tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
    %5 = "stablehlo.reshape"(%4) : (tensor<2x2x2x2xf32>) -> tensor<4x4xf32>
    "func.return"(%5) : (tensor<4x4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
