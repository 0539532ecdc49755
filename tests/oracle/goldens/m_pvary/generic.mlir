"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}], function_type = (tensor<16x8xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<16x8xf32>, %arg2: tensor<2x8xf32>):
    %2 = "sdy.manual_computation"(%arg1, %arg2) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>]>, manual_axes = #sdy<manual_axes{"x"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>}> ({
    ^bb0(%arg3: tensor<2x8xf32>, %arg4: tensor<2x8xf32>):
      %3 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %4:2 = "stablehlo.while"(%3, %arg4) ({
      ^bb0(%arg7: tensor<i32>, %arg8: tensor<2x8xf32>):
        %9 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
        %10 = "stablehlo.compare"(%arg7, %9) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.return"(%10) : (tensor<i1>) -> ()
      }, {
      ^bb0(%arg5: tensor<i32>, %arg6: tensor<2x8xf32>):
        %6 = "func.call"(%arg6) <{callee = @closed_call}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
        %7 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
        %8 = "stablehlo.add"(%arg5, %7) : (tensor<i32>, tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%8, %6) : (tensor<i32>, tensor<2x8xf32>) -> ()
      }) : (tensor<i32>, tensor<2x8xf32>) -> (tensor<i32>, tensor<2x8xf32>)
      %5 = "stablehlo.add"(%4#1, %arg3) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
      "sdy.return"(%5) : (tensor<2x8xf32>) -> ()
    }) : (tensor<16x8xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
    "func.return"(%2) : (tensor<16x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x8xf32>) -> tensor<2x8xf32>, res_attrs = [{}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<2x8xf32>):
    %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 0]]> : tensor<8x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %1 = "stablehlo.add"(%arg0, %0) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    "func.return"(%1) : (tensor<2x8xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
