// approximate_top_k, by JAX 0.10.2
// argument 0 = [[-0.36,1.2,1.4,0.32,0.41,-0.49,-0.91,-0.9,-1.,0.93,-0.06,0.13,-0.64,-1.09,-1.2,-0.84],[0.6,0.02,-0.46,-0.24,-1.43,1.23,-1.22,0.04,2.14,-2.55,-1.41,-0.72,0.12,-1.71,-0.24,-0.03],[0.17,-2.39,0.65,1.6,0.44,-0.72,-0.61,-2.65,0.48,1.5,0.65,-2.98,-0.43,-0.1,-0.48,1.03],[-1.74,-0.72,0.6,0.99,0.17,1.06,0.52,-1.06,1.29,-0.51,-1.63,0.44,1.81,0.96,1.,0.19]]
// result 0 = [[1.4,1.2,0.93],[2.14,1.23,0.6],[1.6,1.5,1.03],[1.81,1.29,1.06]]
// result 1 = [[2,1,9],[8,5,0],[3,9,15],[12,8,5]]
module @jit_approximate_top_k attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @top_k_gt_f32_comparator(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i32>) -> tensor<i1> {
    %0 = stablehlo.compare GT, %arg0, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }
  func.func public @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x3xf32> {jax.result_info = "result[0]"}, tensor<4x3xi32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.iota dim = 1 : tensor<4x16xi32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1:2 = stablehlo.custom_call @ApproxTopK(%arg0, %0, %cst, %c) {backend_config = "", called_computations = [@top_k_gt_f32_comparator], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.949999988 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 3 : i64}} : (tensor<4x16xf32>, tensor<4x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<4x3xf32>, tensor<4x3xi32>)
    return %1#0, %1#1 : tensor<4x3xf32>, tensor<4x3xi32>
  }
}
