"builtin.module"() <{sym_name = "jit__lambda"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}], function_type = (tensor<16x64xf32>) -> tensor<16x64xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<16x64xf32>):
    %0 = "stablehlo.floor"(%arg0) : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %1 = "stablehlo.constant"() <{value = dense<0.693147182> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<16x64xf32>
    %3 = "stablehlo.multiply"(%2, %0) : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
    %4 = "stablehlo.exponential"(%3) : (tensor<16x64xf32>) -> tensor<16x64xf32>
    %5 = "stablehlo.convert"(%4) : (tensor<16x64xf32>) -> tensor<16x64xf8E8M0FNU>
    %6 = "stablehlo.convert"(%5) : (tensor<16x64xf8E8M0FNU>) -> tensor<16x64xf32>
    "func.return"(%6) : (tensor<16x64xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
