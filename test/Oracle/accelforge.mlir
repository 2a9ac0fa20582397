// GPT-3 175B on a TPU v4i, prefill, through the front door: layer, machine and
// mapping from files. Numbers are those of test/Oracle/Inputs/accelforge; every
// row of every case is compared in unittests/Core/Cost/AccelForgeModelTest.cpp.

// The mapping names inputs as the reference does, the function by number.
// RUN: sed -e 's/I_in/%%arg0/;s/\bWQ\b/%%arg1/;s/\bWK\b/%%arg2/;s/\bWV\b/%%arg3/;s/\bWZ\b/%%arg4/;s/\bWFFA\b/%%arg5/;s/\bWFFB\b/%%arg6/' %S/Inputs/accelforge/gpt3-prefill-fused.mapping > %t.mapping
// RUN: sed -e 's/I_in/%%arg0/;s/\bWQ\b/%%arg1/;s/\bWK\b/%%arg2/;s/\bWV\b/%%arg3/;s/\bWZ\b/%%arg4/;s/\bWFFA\b/%%arg5/;s/\bWFFB\b/%%arg6/' %S/Inputs/accelforge/gpt3-prefill-unfused.mapping > %t-unfused.mapping

// RUN: transfusion-compare %s --arch=tpu-v4i --model=accelforge --mapping=%t.mapping --skip-first-read-of-each-copy --format=csv | FileCheck %s --check-prefix=FUSED
// FUSED: gpt3,tpu-v4i,accelforge,{{.*}},0.05633058{{[0-9]*}},1.17513003e+12,,,3925868544,
// RUN: transfusion-compare %s --arch=tpu-v4i --model=accelforge --mapping=%t-unfused.mapping --format=csv | FileCheck %s --check-prefix=UNFUSED
// UNFUSED: gpt3,tpu-v4i,accelforge,{{.*}},0.0595009{{[0-9]*}},1.33580878e+12,,,7952400384,

// Per Einsum, and with the reads of partial sums that the reference leaves out.
// RUN: transfusion-compare %s --arch=tpu-v4i --model=accelforge --mapping=%t.mapping | FileCheck %s --check-prefix=TEXT
// TEXT: @gpt3 on @tpu-v4i   model accelforge
// TEXT: einsum {{.*}}unit {{.*}}latency s {{.*}}energy J {{.*}}dram MB {{.*}}gbuf MB {{.*}}lbuf MB {{.*}}reg MB {{.*}}limited by
// TEXT-NEXT: I {{.*}}vec1d {{.*}}8.197e-05 {{.*}}dram
// TEXT-NEXT: V {{.*}}mac2d {{.*}}0.004494 {{.*}}0.09037 {{.*}}302/50.33 {{.*}}805.3/0 {{.*}}mac2d
// TEXT: AV {{.*}}mac2d {{.*}}50.33/0 {{.*}}855.6/100.7 {{.*}}mac2d
// TEXT: FFB {{.*}}0.01798 {{.*}}0.3682

// RUN: transfusion-compare %s --arch=tpu-v4i --model=accelforge --mapping=%t.mapping --format=json | %python -c "import json,sys; e = json.load(sys.stdin)['einsums']; assert len(e) == 10; av = e[6]; assert av['einsum'] == 'AV' and sum(t['read_bytes'] for t in av['tensors'] if t['memory'] == 'gbuf') == av['memories'][1]['read_bytes'] == 855638016"

// Without a mapping one is searched, of each Einsum alone.
// RUN: transfusion-compare %s --arch=tpu-v4i --model=accelforge --evaluations=8 | FileCheck %s --check-prefix=SEARCHED
// SEARCHED: @gpt3 on @tpu-v4i   model accelforge
// SEARCHED-NEXT: policy
// SEARCHED-NEXT: unfused {{.*[0-9]}}
// SEARCHED-NEXT: einsum
// SEARCHED-NEXT: I vec1d 0 0 0/0
// SEARCHED: FFB {{.*}}mac2d
// RUN: not transfusion-compare %s --arch=tpu-v4i --model=accelforge --policies=flat 2>&1 | FileCheck %s --check-prefix=POLICY
// POLICY: error: model accelforge maps each Einsum alone
// POLICY: note: choose --policies=unfused, or give a --mapping=FILE of your own
// RUN: not transfusion-compare %s --arch=tpu-v4i --model=accelforge --policies=unfused --mapping=%t.mapping 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: a mapping is of no policy
// RUN: sed -e 's/by 768/by 769/' %t.mapping > %t-bad.mapping
// RUN: not transfusion-compare %s --arch=tpu-v4i --model=accelforge --mapping=%t-bad.mapping 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: bad.mapping:{{[0-9]+}}:3: error: tiles of 769 do not divide the 3072 points of rank 'g' that are left here
// BAD: note: this model is for tiles that divide what they cut
// RUN: not transfusion-compare %s --arch=tpu-v4i --mapping=%t.mapping 2>&1 | FileCheck %s --check-prefix=WHERE
// RUN: not transfusion-compare %s --arch=tpu-v4i --skip-first-read-of-each-copy 2>&1 | FileCheck %s --check-prefix=SKIP
// WHERE: error: --mapping is for one model only
// WHERE: note: add --model=accelforge, or leave it out
// SKIP: error: --skip-first-read-of-each-copy is for one model only
// SKIP: note: add --model=accelforge, or leave it out
// RUN: not transfusion-compare %s --arch=tpu-v4i 2>&1 | FileCheck %s --check-prefix=LEVELS
// LEVELS: error: {{.*}}schedules use one (A02 schedulable)

func.func @gpt3(%x: tensor<2048x12288xbf16>, %wq: tensor<12288x96x128xbf16>, %wk: tensor<12288x96x128xbf16>, %wv: tensor<12288x96x128xbf16>, %wz: tensor<96x128x12288xbf16>, %w1: tensor<12288x49152xbf16>, %w2: tensor<49152x12288xbf16>) -> tensor<12288x2048xbf16> {
  %r = einsum.cascade ranks(h = 96, e = 128, f = 128, d = 12288, g = 12288, c = 49152, j = 12288, m = 2048, p = 2048) {
    %I = einsum.map_reduce "I" [m,d] from %x[m,d] : (tensor<2048x12288xbf16>) -> tensor<2048x12288xbf16>
    %V = einsum.map_reduce "V" [h,e,m] from %I[m,d], %wv[d,h,e] map arith.mulf reduce add over [d] : (tensor<2048x12288xbf16>, tensor<12288x96x128xbf16>) -> tensor<96x128x2048xbf16>
    %K = einsum.map_reduce "K" [h,e,m] from %I[m,d], %wk[d,h,e] map arith.mulf reduce add over [d] : (tensor<2048x12288xbf16>, tensor<12288x96x128xbf16>) -> tensor<96x128x2048xbf16>
    %Q = einsum.map_reduce "Q" [h,e,m] from %I[m,d], %wq[d,h,e] map arith.mulf reduce add over [d] : (tensor<2048x12288xbf16>, tensor<12288x96x128xbf16>) -> tensor<96x128x2048xbf16>
    %QK = einsum.map_reduce "QK" [h,m,p] from %Q[h,e,m], %K[h,e,p] map arith.mulf reduce add over [e] : (tensor<96x128x2048xbf16>, tensor<96x128x2048xbf16>) -> tensor<96x2048x2048xbf16>
    %S = einsum.map_reduce "QK_softmax" [h,m,p] from %QK[h,m,p] map math.exp : (tensor<96x2048x2048xbf16>) -> tensor<96x2048x2048xbf16>
    %AV = einsum.map_reduce "AV" [h,f,m] from %S[h,m,p], %V[h,f,p] map arith.mulf reduce add over [p] : (tensor<96x2048x2048xbf16>, tensor<96x128x2048xbf16>) -> tensor<96x128x2048xbf16>
    %Z = einsum.map_reduce "Z" [g,m] from %AV[h,f,m], %wz[h,f,g] map arith.mulf reduce add over [h,f] : (tensor<96x128x2048xbf16>, tensor<96x128x12288xbf16>) -> tensor<12288x2048xbf16>
    %FFA = einsum.map_reduce "FFA" [c,m] from %Z[g,m], %w1[g,c] map arith.mulf reduce add over [g] : (tensor<12288x2048xbf16>, tensor<12288x49152xbf16>) -> tensor<49152x2048xbf16>
    %FFB = einsum.map_reduce "FFB" [j,m] from %FFA[c,m], %w2[c,j] map arith.mulf reduce add over [c] : (tensor<49152x2048xbf16>, tensor<49152x12288xbf16>) -> tensor<12288x2048xbf16>
    einsum.yield %FFB : tensor<12288x2048xbf16>
  } -> tensor<12288x2048xbf16>
  return %r : tensor<12288x2048xbf16>
}
