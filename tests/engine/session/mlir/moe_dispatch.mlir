// MoE dispatch, %p = slot in expert
!t = tensor<8x2xf32>
!i = tensor<8x1xi32>
!b = tensor<12x2xf32>
!e = tensor<4x3x2xf32>
sdy.mesh @m = <["e"=4]>
func.func @main(%x: !t, %r: tensor<2x4xf32>, %p: !i, %w: tensor<4x2x2xf32>) -> !e {
 %cst = stablehlo.constant dense<0.0> : !b
 %c = stablehlo.constant dense<3> : !i
 %0 = stablehlo.dot_general %x, %r, contracting_dims = [1] x [0] : (!t, tensor<2x4xf32>) -> tensor<8x4xf32>
 %v, %k = chlo.top_k(%0, k = 1) : tensor<8x4xf32> -> (tensor<8x1xf32>, !i)
 %1 = stablehlo.multiply %k, %c : !i
 %2 = stablehlo.add %1, %p : !i
 %3 = "stablehlo.scatter"(%cst, %2, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
 ^bb0(%a: tensor<f32>, %b: tensor<f32>):
  stablehlo.return %b : tensor<f32>
 }) : (!b, !i, !t) -> !b
 %4 = stablehlo.reshape %3 : (!b) -> !e
 %5 = sdy.sharding_constraint %4 <@m, [{"e"}, {}, {}]> : !e
 %6 = stablehlo.dot_general %5, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (!e, tensor<4x2x2xf32>) -> !e
 return %6 : !e
}
