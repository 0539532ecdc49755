// MLP, sdy
module @jit_mlp attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
 sdy.mesh @m = <["d"=2, "m"=2]>
 func.func public @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"d"}, {}]>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"m"}]>}, %arg2: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@m, [{"m"}, {?}]>}) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
 %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
 %cst = stablehlo.constant dense<0.0> : tensor<8x6xf32>
 %1 = stablehlo.maximum %0, %cst : tensor<8x6xf32>
 %2 = sdy.sharding_constraint %1 <@m, [{"d"}, {"m"}]> : tensor<8x6xf32>
 %3 = stablehlo.dot_general %2, %arg2, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>
 return %3 : tensor<8x4xf32>
 }
}
