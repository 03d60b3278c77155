// Files, texts, models, traces: everything else: what is written often and wrongly, and what the library says to it.
import { load } from '../../src/js/index.js'
import { FAMILIES } from '../../src/js/models/families/index.js'
import { file, gf, disposed, lin, nn, seq, expectMessages, x } from './expect_messages.js'

expectMessages([
  [() => load().tensor([1]), 'this is a promise, not yet its result; write const gf = await load()'],
  [() => load(2), 'load: options must be an object with threads, wasm, blocks, relaxed, got 2; write { threads: 2 }'],
  [() => gf.models.load({ 'config.json': '{"model_type":"mamba"}' }),
    `config.json: model_type must be one of ${FAMILIES.map(({ type }) => type).join(', ')}, got "mamba"`],
  [() => gf.models.load('./gpt2'),
    'models: files must be an object of file contents by name or the address of a folder that begins with https://, ' +
    'got "./gpt2"'],
  [() => gf.models.load({}),
    "models: files must be an object of file contents by name, such as { 'config.json': text, " +
    "'model.safetensors': blob }, got an empty object; read each file first with await readFile(path)"],
  [() => gf.models.load({ 'config.json': './gpt2/config.json' }),
    'models: config.json must be the contents of the file, got "./gpt2/config.json", which looks like a ' +
    'path; read the file first, with await readFile(path) or fetch'],
  [() => gf.text.tokenizer('{}'),
    "tokenizer: files must be an object of file contents by name, such as { 'tokenizer.json': text }, got " +
    '"{}"'],
  [() => gf.text.trainBPE('abc', { vocabSize: 10 }),
    'trainBPE: vocabSize must be at least 256, for 256 bytes and the specials, got 10'],
  [() => new gf.text.Vocab('a b'), 'Vocab: lists must be an array of arrays of strings, got "a b"'],
  [() => gf.manualSeed('42'), 'manualSeed: seed must be an integer, got "42"'],
  [() => gf.manualSeed(2 ** 63),
    'manualSeed: seed must be a bigint from 2^53 on, such as 2n ** 63n, got 9223372036854776000'],
  [() => gf.noGrad(), 'noGrad: fn must be a function, got undefined; write gf.noGrad(() => …)'],
  [() => gf.tidy(async () => x),
    'tidy: fn must not be async; tensors made after its first await would be missed, so await before'],
  [() => lin.loadStateDict(gf.loadSafetensors(file)),
    'loadStateDict: Linear does not fit: this is the result of loadSafetensors; write ' +
    'loadSafetensors(bytes).tensors'],
  [() => gf.loadSafetensors('model.safetensors'),
    "loadSafetensors: bytes must be a file's contents (a Uint8Array, an ArrayBuffer or a Blob), or an " +
    'object of such by name, got "model.safetensors"; write readFileSync(path), or await response.arrayBuffer()'],
  [() => disposed.add(1), 'add: a was disposed, by dispose() or by the end of its gf.tidy; tensors that gf.tidy returns are kept'],
  [() => gf.trace(() => lin.forward(x)).trace.get('linear'),
    'trace: no tensor is called "linear"; there are bias, input, weight, output'],
  [() => gf.trace(() => lin.forward(x)).trace.get('blocks.0.attn.hook_pattern'),
    'trace: no tensor is called "blocks.0.attn.hook_pattern"; there are output, input, weight, bias; ' +
    "gf.interpret.hookNames translates TransformerLens's names"],
  [() => gf.trace(() => lin.forward(x)).trace.explain('output', [1]),
    'explain: index must have one entry for each of the 2 axes of output [2, 2], got 1'],
  [() => gf.trace(() => lin.forward(x), { edits: [{ name: 'output', value: 1 }] }),
    'trace: edits[0].index must be an array with an integer, null (all) or [from, to], to not ' +
    'included, for each axis, such as [0, null], got undefined'],
  [() => gf.trace(() => lin.forward(x), { edits: [{ name: 'linear', index: [0, 0], value: 1 }] }),
    'trace: edits name tensors that were not computed: linear; there are bias, input, weight, output'],
  [() => gf.decoding.generate(lin, 'hello'),
    'generate: ids must be an array of ids, or an array of such arrays, got "hello"; write tokenizer.encode(text).ids'],
  [() => gf.decoding.generate(lin, [0], { max_new_tokens: 3 }),
    'generate: there is no option "max_new_tokens", only maxNewTokens, end, temperature, topK, topP, minP, ' +
    'repetitionPenalty, noRepeatNgramSize, minNewTokens, seed, beams, lengthPenalty, numReturnSequences, stop, tokenizer, cache, onToken, stoppingCriteria, signal; ' +
    'max_new_tokens is spelled maxNewTokens here'],
  [() => gf.toOnnx(x), 'toOnnx: model must be a module, got a float32 tensor [2, 3]'],
  [() => gf.toOnnx(new nn.MultiheadAttention(4, 2), { query: seq, kye: seq }),
    'toOnnx: MultiheadAttention has no input "kye"; did you mean key? Its inputs are query, key, value'],
  [() => gf.toOnnx(new (class Pair extends nn.Module { forward(a, b) { return a.add(b) } })(), [[[1, 2]], [[3, 4]]]),
    'toOnnx: inputs is one nested list, which is one input, but forward of Pair takes 2; pass an object with ' +
    "one entry for each input, in the order of forward's parameters (the names are free), such as { source: …, target: … }"],
  [() => gf.hstack([x, x]), 'gf has no hstack; write gf.cat(tensors, 1), of vectors gf.cat(tensors)'],
  [() => gf.finfo('float32').min, 'gf has no finfo; the largest float32 is 3.4028234663852886e38; write -Infinity to hide scores'],
  [() => gf.addmm(x, x, x), 'gf has no addmm; write a.matmul(b).add(x)'],
  [() => gf.autograd.grad(x, x), 'gf.autograd has no grad; write gf.grad(outputs, inputs)'],
  [() => nn.Embedding.from_pretrained(x), 'Embedding has no from_pretrained; write new gf.nn.Embedding(rows, columns), then ' +
  'embedding.loadStateDict({ weight })'],
  [() => new gf.data.TensorDataset(x)[0], 'a dataset cannot be indexed with [ ]; write dataset.get(0)'],
  [() => new gf.data.DataLoader([1]).next(),
    'a DataLoader has no next; write for (const batch of loader), or const [batch] = loader for the first'],
  [() => gf.manual_seed(42), 'manual_seed is spelled manualSeed here'],
  [() => gf.tensor([1, 2], { dtype: gf.long }),
    "dtypes are strings, not gf.long; write 'int32'"],
  [() => gf.zeros([2], { dtype: gf.float16 }),
    "dtypes are strings, not gf.float16; write 'float16'"],
  [() => gf.saveSafetensors(lin.stateDict(), 'model.safetensors'),
    'saveSafetensors: metadata must be an object of strings, got "model.safetensors"; it takes no path ' +
    'and returns the bytes: writeFileSync(path, gf.saveSafetensors(tensors))'],
  [() => gf.save(lin.stateDict(), 'model.pt'),
    'gf has no save; write gf.saveSafetensors(model.stateDict()), which gives the bytes of a file'],
  [() => new gf.Tensor([1]),
    "gf has no Tensor; write gf.tensor(values), and import { Tensor } from 'glassformer' for instanceof"],
  [() => gf.saveSafetensors(lin),
    'saveSafetensors: tensors must be an object of tensors by name, got a value of type Linear; write model.stateDict()'],
  [() => gf.generate(lin, [0]), 'generate is gf.decoding.generate here'],
  [() => gf.inferenceMode(() => x), 'gf has no inferenceMode; write gf.noGrad(() => …)'],
  [() => gf.setGradEnabled(false), 'gf has no setGradEnabled; write gf.noGrad(() => …), gf.enableGrad(() => …) inside of it'],
  [() => gf.polar(x, x), 'gf has no polar; there are no complex numbers; rotary positions are gf.functional.rotary'],
  [() => gf.functional.max_pool2d(x, 2), 'gf.functional has no max_pool2d; it has the parts of transformers'],
  [() => gf.functional.interpolate(x), 'gf.functional has no interpolate; it has the parts of transformers'],
  [() => x.double(), 'a tensor has no double here; there is no arithmetic in float64'],
  [() => x.indexSelect(0, [[0, 1]]), 'indexSelect: index must have one axis, got an int32 tensor [1, 2]; F.embedding(index, x) takes ' +
  'rows of x by indices of any shape, x.index(index) too'],
  [() => gf.loadSafetensors(new TextDecoder().decode(gf.saveSafetensors({ a: gf.zeros([1]) }))),
    "loadSafetensors: bytes must be a file's contents (a Uint8Array, an ArrayBuffer or a Blob), or an object " +
    "of such by name, got a string of 68 characters; read it without 'utf8'"]
])
