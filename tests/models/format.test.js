// Files in another format than their names say: errors name the format and the remedy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { cases, filesOf } from './golden_models.js'

const files = filesOf(cases('llama')[0]), bytes = text => new TextEncoder().encode(text)
const POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258d\nsize 548105171\n'

/** Contents that a download may have instead, and the expected messages. */
const OTHER_FORMATS = {
  'a pointer of Git LFS': [bytes(POINTER), /is a pointer of Git LFS to the file of 548105171 bytes, not the file itself/],
  'a web page': [bytes('<!DOCTYPE html>\n<html class="">\n<head><title>404</title>'), /is a web page \(HTML\)/],
  'a web page without a type': [bytes('\n <html><body>Sign in</body></html>'), /is a web page \(HTML\)/],
  'an XML response': [bytes('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'), /is XML/],
  'a zip archive': [Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0, 0, 0, 0, 0), /is a zip archive/],
  'a pickle': [Uint8Array.of(0x80, 2, 0x7d, 0x71, 0, 0x2e, 0, 0, 0), /is a pickle/],
  'a GGUF': [bytes('GGUF\u0003\0\0\0\0\0\0\0'), /GGUF/],
  'a gzip': [Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3), /is compressed with gzip/]
}

for (const [name, [content, message]] of Object.entries(OTHER_FORMATS)) test(`${name} instead of a file`, async () => {
  for (const path of ['model.safetensors', 'config.json', 'generation_config.json', 'tokenizer.json', 'vocab.txt']) {
    for (const source of [content, new Blob([content])]) {
      const all = { ...files, [path]: source }, named = new RegExp(`${path.replace('.', '\\.')}.*${message.source}`)
      await assert.rejects(gf.models.load(all), { name: 'GlassformerError', code: 'format', message: named }, path)
      if (!/tok|vocab/.test(path)) assert.match((await gf.models.inspect(all)).problems.join(), named)
    }
  }
  const shard = 'model-00001-of-00001.safetensors', { 'model.safetensors': _, ...rest } = files
  const index = JSON.stringify({ weight_map: { a: shard } })
  const sharded = { ...rest, 'model.safetensors.index.json': index, [shard]: content }
  assert.match(gf.models.inspect(sharded).problems.join(), message)
  assert.match(gf.models.inspect({ 'model.bin': content }).problems.join(), message)
  assert.match(gf.models.inspect({ ...rest, 'model.bin': content }).problems.join(), message)
  assert.throws(() => gf.loadSafetensors(content), { code: 'format', message })
})

test('refuses text instead of weights, empty files and incomplete downloads', async () => {
  const assertRefused = async (content, message, path = 'model.safetensors') => {
    const all = { ...files, [path]: content }
    await assert.rejects(gf.models.load(all), { name: 'GlassformerError', code: 'format', message })
    assert.match(gf.models.inspect(all).problems.join(), message)
  }
  await assertRefused('Invalid username or password.', /is text that begins with "Invalid username or password\."/)
  await assertRefused(new Uint8Array(0), /at least 8 bytes, got 0: it is empty/)
  await assertRefused('', /config\.json is empty/, 'config.json')
  await assertRefused(files['model.safetensors'].slice(0, -40), /must be inside .* is the download incomplete/)
  await assertRefused(files['model.safetensors'].slice(0, 100), /the header must fit into the file \(92 bytes\), but claims \d+/)
  await assert.rejects(gf.models.load({ 'adapter_config.json': '{}', 'adapter_model.safetensors': new Uint8Array(9) }),
    { code: 'format', message: /config\.json is missing .*adapter \(LoRA\)/ })
  assert.match(gf.models.inspect({ 'config.json': files['config.json'], 'weights.npz': 'x' }).problems.join(),
    /weights\.npz belongs to another framework/)
})
