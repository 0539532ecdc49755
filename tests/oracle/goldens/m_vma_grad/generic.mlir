"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}], function_type = (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x32xf32>, %arg1: tensor<32x32xf32>):
    %0:3 = "sdy.manual_computation"(%arg0, %arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}]>, <@mesh, [{"model"}, {}]>]>, manual_axes = #sdy<manual_axes{"data", "model"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"data", "model"}, {}]>, <@mesh, [{"data", "model"}, {}]>, <@mesh, [{"data"}, {}]>]>}> ({
    ^bb0(%arg8: tensor<8x8xf32>, %arg9: tensor<8x32xf32>):
      %15 = "stablehlo.dot_general"(%arg8, %arg9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
      %16 = "stablehlo.tanh"(%15) : (tensor<8x32xf32>) -> tensor<8x32xf32>
      %17 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %18 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32xf32>
      %19 = "stablehlo.subtract"(%18, %16) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
      %20 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
        %21 = "stablehlo.add"(%arg10, %arg11) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%21) : (tensor<f32>) -> ()
      }) : (tensor<8x32xf32>) -> tensor<8x32xf32>
      "sdy.return"(%16, %19, %20) : (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) -> ()
    }) : (tensor<16x32xf32>, tensor<32x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<16x32xf32>)
    %1 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %3 = "stablehlo.multiply"(%2, %0#2) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %4 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x32xf32>
    %6 = "stablehlo.multiply"(%5, %3) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %7 = "sdy.manual_computation"(%6, %arg0, %0#0, %0#1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>, <@mesh, [{"data"}, {"model"}]>, <@mesh, [{"data", "model"}, {}]>, <@mesh, [{"data", "model"}, {}]>]>, manual_axes = #sdy<manual_axes{"data", "model"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"model"}, {}]>]>}> ({
    ^bb0(%arg2: tensor<8x32xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x32xf32>, %arg5: tensor<8x32xf32>):
      %8 = "stablehlo.multiply"(%arg2, %arg5) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
      %9 = "stablehlo.multiply"(%8, %arg4) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
      %10 = "stablehlo.add"(%8, %9) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
      %11 = "stablehlo.dot_general"(%10, %arg3) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<8x32xf32>, tensor<8x8xf32>) -> tensor<32x8xf32>
      %12 = "stablehlo.transpose"(%11) <{permutation = array<i64: 1, 0>}> : (tensor<32x8xf32>) -> tensor<8x32xf32>
      %13 = "stablehlo.all_reduce"(%12) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        %14 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%14) : (tensor<f32>) -> ()
      }) : (tensor<8x32xf32>) -> tensor<8x32xf32>
      "sdy.return"(%13) : (tensor<8x32xf32>) -> ()
    }) : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
    "func.return"(%7) : (tensor<32x32xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
