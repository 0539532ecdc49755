// eigh, by JAX 0.10.2 for TPUs; the results are those on a CPU
// argument 0 = [[[6.35,-0.22,-1.93],[-0.22,4.15,0.07],[-1.93,0.07,5.68]],[[5.42,0.98,1.77],[0.98,5.06,2.16],[1.77,2.16,8.8]],[[5.2,-0.77,-0.36],[-0.77,6.23,1.29],[-0.36,1.29,7.69]],[[6.38,-1.94,0.87],[-1.94,7.47,0.16],[0.87,0.16,6.41]]]
// result 0 = [[4.0001054,4.1941566,7.985737],[4.0370836,4.666252,10.576666],[4.7473373,5.7830725,8.589592],[4.5648627,6.6902103,9.004928]]
// result 1 = [[[0.56501406,0.3095695,-0.7648042],[0.53657293,-0.84202147,0.055579126],[0.6267759,0.44177637,0.64186084]],[[0.22401102,-0.9038519,-0.36451435],[-0.9162021,-0.067796886,-0.39493942],[0.33225393,0.42243963,-0.8432984]],[[0.8235201,-0.5284785,-0.20621647],[0.549684,0.6535233,0.52034116],[-0.14022182,-0.5418653,0.8286858]],[[0.75188017,-0.22275293,-0.6205301],[0.52412057,-0.36903355,0.76753616],[-0.39996728,-0.9023277,-0.1607197]]]
module @jit_eigh attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> (tensor<4x3xf32> {jax.result_info = "result.eigenvalues"}, tensor<4x3x3xf32> {jax.result_info = "result.eigenvectors"}) {
    %0:2 = call @eigh(%arg0) : (tensor<4x3x3xf32>) -> (tensor<4x3xf32>, tensor<4x3x3xf32>)
    return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x3x3xf32>
  }
  func.func private @eigh(%arg0: tensor<4x3x3xf32>) -> (tensor<4x3xf32>, tensor<4x3x3xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<4x3x3xf32>) -> tensor<4x3x3xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x3x3xf32>
    %4:2 = stablehlo.custom_call @Eigh(%3) {backend_config = "1,1,100,1e-6"} : (tensor<4x3x3xf32>) -> (tensor<4x3x3xf32>, tensor<4x3xf32>)
    return %4#1, %4#0 : tensor<4x3xf32>, tensor<4x3x3xf32>
  }
}
