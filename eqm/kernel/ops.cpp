#include "eqm/kernel/ops.h"

#include "eqm/base/error.h"
#include "eqm/kernel/attention.h"
#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/image_rows.h"
#include "eqm/kernel/linear_with.h"
#include "eqm/kernel/norm.h"
#include "eqm/kernel/plain.h"
#include "eqm/kernel/products.h"

namespace eqm::kernel {
namespace {

// Whether a linear map of rows of `depth` numbers, on the device of `like`, goes the fused way.
// However few the rows are: each is then the same number for number in any batch.
bool fused_map_of(const LinearMap& map, const Tensor& like, int64_t depth) {
  return fused_products({&like, &map.weight, &map.bias}) && map.weight.is_contiguous() &&
         map.weight.dim() == 2 && map.weight.size(1) == depth &&
         (!map.bias.defined() || map.bias.sizes() == Shape{map.weight.size(0)});
}

bool fused_map(const LinearMap& map, const Tensor& x) {
  return x.numel() > 0 && fused_map_of(map, x, x.size(-1));
}

// The same where something follows the map.
bool fused_map_with_bias(const LinearMap& map, const Tensor& x) {
  return fused_map(map, x) && map.bias.defined() && map.bias.is_contiguous();
}

// Whether x [B, T, K] has a row for each of h [B, T, D].
bool rows_match(const Tensor& h, const Tensor& x) {
  return x.dim() == 3 && x.size(0) == h.size(0) && x.size(1) == h.size(1);
}

Shape with_width(const Tensor& x, int64_t width) {
  Shape shape = x.sizes().vec();
  shape.back() = width;
  return shape;
}

// Whether h is [B, T, D] and each of the others [B, D], as the fused path reads them.
bool fused_rows(const Tensor& h, std::initializer_list<const Tensor*> per_image) {
  bool fits = fused({&h}) && fused(per_image) && h.dim() == 3 && h.numel() > 0 && h.is_contiguous();
  for (const Tensor* rows : per_image) {
    fits = fits && rows_are_contiguous(*rows) && rows->size(0) == h.size(0) &&
           rows->size(1) == h.size(2);
  }
  return fits;
}

}  // namespace

Tensor linear(const Tensor& x, const LinearMap& map) {
  if (!fused_map(map, x)) return plain::linear(x, map.weight, map.bias);
  return gemm_nt(as_matrix(x), map.weight, map.bias, map.packed)
      .view(with_width(x, map.weight.size(0)));
}

Tensor linear_gelu(const Tensor& x, const LinearMap& map) {
  if (!fused_map_with_bias(map, x)) return plain::linear_gelu(x, map.weight, map.bias);
  return fused_linear_gelu(as_matrix(x), map).view(with_width(x, map.weight.size(0)));
}

Tensor layer_norm_modulate(const Tensor& h, const Tensor& shift, const Tensor& scale) {
  return branch_off(h, shift, scale).into;
}

Branch branch_off(const Tensor& h, const Tensor& shift, const Tensor& scale) {
  if (fused_rows(h, {&shift, &scale})) return fused_branch_off(h, shift, scale);
  return {plain::layer_norm_modulate(h, shift, scale), h};
}

Tensor attention(const Tensor& qkv, int64_t heads) {
  if (heads < 1)
    throw Error(ErrorKind::usage, "attention needs at least one head", "raise {heads}");
  const bool fits = fused({&qkv}) && qkv.is_contiguous() && qkv.numel() > 0 && qkv.dim() == 3 &&
                    qkv.size(2) % (3 * heads) == 0;
  return fits ? fused_attention(qkv, heads) : plain::attention(qkv, heads);
}

Tensor gated_residual(const Tensor& h, const Tensor& branch, const Tensor& gate) {
  const bool fits = fused_rows(h, {&gate}) && fused({&branch}) && branch.is_contiguous() &&
                    branch.sizes() == h.sizes();
  return fits ? fused_gated_residual(h, branch, gate) : plain::gated_residual(h, branch, gate);
}

Tensor linear_gated(const Tensor& h, const Tensor& x, const LinearMap& map, const Tensor& gate) {
  const bool fits = fused_rows(h, {&gate}) && rows_match(h, x) && fused_map_with_bias(map, x) &&
                    map.weight.size(0) == h.size(2) && x.is_contiguous();
  if (fits) return fused_linear_gated(h, x, map, gate);
  return gated_residual(h, linear(x, map), gate);
}

Tensor mlp_gated(const Tensor& h, const Tensor& x, const LinearMap& first, const LinearMap& second,
                 const Tensor& gate) {
  const bool fits =
      fused_rows(h, {&gate}) && rows_match(h, x) && x.is_contiguous() &&
      fused_map_with_bias(first, x) && fused_map_of(second, h, first.weight.size(0)) &&
      second.weight.size(0) == h.size(2) && second.bias.defined() && second.bias.is_contiguous();
  if (fits) return fused_mlp_gated(h, x, first, second, gate);
  return linear_gated(h, linear_gelu(x, first), second, gate);
}

Tensor patchify(const Tensor& image, int64_t patch) {
  const int64_t batch = image.size(0), channels = image.size(1);
  const int64_t rows = image.size(2) / patch, columns = image.size(3) / patch;
  return image.reshape({batch, channels, rows, patch, columns, patch})
      .permute({0, 2, 4, 1, 3, 5})
      .reshape({batch, rows * columns, channels * patch * patch});
}

Tensor unpatchify(const Tensor& tokens, int64_t patch, int64_t channels) {
  const int64_t batch = tokens.size(0), grid = grid_of(tokens.size(1));
  return tokens.reshape({batch, grid, grid, patch, patch, channels})
      .permute({0, 5, 1, 3, 2, 4})
      .reshape({batch, channels, grid * patch, grid * patch});
}

Tensor linear_image(const Tensor& x, const LinearMap& map, int64_t patch, int64_t channels) {
  const bool fits = x.dim() == 3 && grid_of(x.size(1)) * grid_of(x.size(1)) == x.size(1) &&
                    map.weight.size(0) == patch * patch * channels && x.is_contiguous() &&
                    fused_map_with_bias(map, x);
  if (fits) return fused_linear_image(x, map, patch, channels);
  return unpatchify(linear(x, map), patch, channels);
}

}  // namespace eqm::kernel
