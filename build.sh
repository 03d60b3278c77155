#!/usr/bin/env bash
# Builds glassformer. One function a product; `./build.sh help` lists them.
set -euo pipefail
cd "$(dirname "$0")"

EMCC=${EMCC:-emcc}
CLANG=${CLANG:-clang}
C_FLAGS=(-std=gnu11 -ffp-contract=off -Wall -Wextra -Werror)
C_SOURCES=(src/c/*.c src/c/*/*.c)

sizes() {
  for file in "$@"; do
    printf '%-28s %8d bytes  %7d gzipped\n' "$file" "$(wc -c <"$file")" "$(gzip -9c "$file" | wc -c)"
  done
}

# Is $1 there and newer than everything else given?
fresh() {
  local target=$1
  shift
  [ -e "$target" ] && [ -z "$(find "$@" -newer "$target" -print -quit)" ]
}

# The kernels as WebAssembly SIMD: dist/glassformer.wasm, without generated JavaScript. ---------------------------------
wasm() {
  fresh dist/glassformer.wasm src/c build.sh && return
  mkdir -p dist
  "$EMCC" -O3 -msimd128 "${C_FLAGS[@]}" --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB \
    "${C_SOURCES[@]}" -o dist/glassformer.wasm
  sizes dist/glassformer.wasm
}

"$@"
