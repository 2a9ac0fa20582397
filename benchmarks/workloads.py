"""Writes one layer of a published workload as named ops.

    python3 benchmarks/workloads.py MODEL TOKENS     (for example BERT 1K)

The sizes of the TransFusion paper: batch 64, bf16, self-attention without a
mask, output projection, residuals and norms. `Llama3` is its sizes only.
"""
import sys

# width, heads, width of a head, hidden width, activation
MODELS = {
    "BERT": (768, 12, 64, 3072, "gelu"),
    "TrXL": (1024, 16, 64, 4096, "relu"),
    "T5": (512, 8, 64, 2048, "relu"),
    "XLM": (2048, 16, 128, 8192, "gelu"),
    "Llama3": (4096, 32, 128, 14336, "silu"),
}
BATCH = 64


def tokens(text):
    scale = {"K": 1 << 10, "M": 1 << 20}.get(text[-1].upper(), 1)
    return int(text.rstrip("KMkm")) * scale


def layer(model, length):
    d, h, e, s, activation = MODELS[model]
    n = tokens(length)

    def t(*shape):
        return "tensor<" + "x".join(map(str, shape)) + "xbf16>"

    x, heads, w, v = t(BATCH, n, d), t(BATCH, h, n, e), t(d, d), t(d)
    w1, w2 = t(d, s), t(s, d)
    return f"""// One layer of {model}, {length} tokens: benchmarks/workloads.py
func.func @{model.lower()}_{length.lower()}(
    %x: {x}, %wq: {w}, %wk: {w}, %wv: {w}, %wo: {w}, %g1: {v}, %o1: {v},
    %w1: {w1}, %w2: {w2}, %g2: {v}, %o2: {v}) -> {x} {{
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv heads {h}
      : ({x}, {w}, {w}, {w}) -> ({heads}, {heads}, {heads})
  %a = einsum.mha %q, %k, %v scale {e ** -0.5!r} : ({heads}, {heads}, {heads}) -> {x}
  %o = einsum.linear %a, %wo : ({x}, {w}) -> {x}
  %r1 = einsum.add %x, %o : {x}
  %n1 = einsum.layer_norm %r1, %g1, %o1 eps 1.0e-5 : ({x}, {v}, {v}) -> {x}
  %f = einsum.ffn %n1, %w1, %w2 activation {activation} : ({x}, {w1}, {w2}) -> {x}
  %r2 = einsum.add %n1, %f : {x}
  %n2 = einsum.layer_norm %r2, %g2, %o2 eps 1.0e-5 : ({x}, {v}, {v}) -> {x}
  return %n2 : {x}
}}
"""


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in MODELS:
        sys.exit(f"usage: workloads.py {'|'.join(MODELS)} TOKENS")
    print(layer(sys.argv[1], sys.argv[2]), end="")
