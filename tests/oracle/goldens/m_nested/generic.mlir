"builtin.module"() <{sym_name = "jit_outer"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=4, "y"=2]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}, {name = "y", size = 2 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}], function_type = (tensor<16x8xf32>) -> tensor<16x4xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x8xf32>):
    %0 = "sdy.manual_computation"(%arg0) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>}> ({
    ^bb0(%arg1: tensor<4x8xf32>):
      %1 = "sdy.manual_computation"(%arg1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {"y", ?}]>]>, manual_axes = #sdy<manual_axes{"y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>}> ({
      ^bb0(%arg2: tensor<4x4xf32>):
        %15 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
          %16 = "stablehlo.add"(%arg3, %arg4) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%16) : (tensor<f32>) -> ()
        }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
        "sdy.return"(%15) : (tensor<4x4xf32>) -> ()
      }) : (tensor<4x8xf32>) -> tensor<4x4xf32>
      %2 = "sdy.manual_computation"() <{in_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy<manual_axes{"y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, []>]>}> ({
        %9 = "stablehlo.constant"() <{value = dense<2> : tensor<ui32>}> : () -> tensor<ui32>
        %10 = "stablehlo.constant"() <{value = dense<4> : tensor<ui32>}> : () -> tensor<ui32>
        %11 = "stablehlo.partition_id"() : () -> tensor<ui32>
        %12 = "stablehlo.divide"(%11, %9) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
        %13 = "stablehlo.remainder"(%12, %10) : (tensor<ui32>, tensor<ui32>) -> tensor<ui32>
        %14 = "stablehlo.convert"(%13) : (tensor<ui32>) -> tensor<i32>
        "sdy.return"(%14) : (tensor<i32>) -> ()
      }) : () -> tensor<i32>
      %3 = "stablehlo.convert"(%2) : (tensor<i32>) -> tensor<f32>
      %4 = "sdy.sharding_constraint"(%3) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<f32>) -> tensor<f32>
      %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x4xf32>
      %6 = "sdy.sharding_constraint"(%5) <{sharding = #sdy.sharding<@mesh, [{?}, {?}]>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %7 = "stablehlo.multiply"(%1, %6) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %8 = "sdy.sharding_constraint"(%7) <{sharding = #sdy.sharding<@mesh, [{?}, {?}]>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      "sdy.return"(%8) : (tensor<4x4xf32>) -> ()
    }) : (tensor<16x8xf32>) -> tensor<16x4xf32>
    "func.return"(%0) : (tensor<16x4xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
