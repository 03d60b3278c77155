// Chat templates as their models publish them; the expected texts are written by hand from the formats' definitions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatFilesOf } from '../../src/js/text/gguf_tokenizer.js'
import { loadGolden } from '../golden/index.js'
import { gf } from './text.js'

const SPECIALS = ['<s>', '</s>', '<|im_start|>', '<|im_end|>', '<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>',
  '<|eot_id|>', '<bos>', '<start_of_turn>', '<end_of_turn>', '[INST]', '[/INST]']
const json = JSON.stringify(gf.text.trainBPE('Hello, how are you? I am fine. user assistant system', { vocabSize: 300, specials: SPECIALS }))
/** A tokenizer with the settings of a tokenizer_config.json. @param {any} config @param {any} [files] */
const open = (config, files) => gf.text.tokenizer({ 'tokenizer.json': json, 'tokenizer_config.json': JSON.stringify(config), ...files })

const CHATML = "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
const LLAMA3 = "{% set loop_messages = messages %}{% for message in loop_messages %}{% set content = '<|start_header_id|>' + message['role'] + " +
  "'<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}{% set content = bos_token + content %}" +
  "{% endif %}{{ content }}{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"
const MISTRAL = "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}" +
  "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}{% if message['role'] == 'user' %}" +
  "{{ '[INST] ' + message['content'] + ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ message['content'] + eos_token }}{% else %}" +
  "{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}{% endfor %}"
const GEMMA = "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}" +
  "{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}" +
  "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}{% if (message['role'] == 'assistant') %}" +
  "{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + " +
  "'<end_of_turn>\\n' }}{% endfor %}{% if add_generation_prompt %}{{'<start_of_turn>model\\n'}}{% endif %}"
const QWEN = `{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0]['role'] == 'system' %}
        {{- messages[0]['content'] }}
    {%- else %}
        {{- 'You are a helpful assistant.' }}
    {%- endif %}
    {{- "\\n\\n# Tools\\n\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools><|im_end|>\\n" }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
`
const talk = [{ role: 'user', content: 'Hello, how are you?' }, { role: 'assistant', content: 'I am fine.' }, { role: 'user', content: ' Fine. ' }]
const system = { role: 'system', content: 'You are fine.' }
const textOf = (tokenizer, messages, options) => tokenizer.applyChatTemplate(messages, { tokenize: false, ...options })
const code = expected => error => error.code === expected

test('ChatML', async () => {
  const tokenizer = open({ chat_template: CHATML })
  const text = '<|im_start|>user\nHello, how are you?<|im_end|>\n<|im_start|>assistant\nI am fine.<|im_end|>\n<|im_start|>user\n Fine. <|im_end|>\n'
  assert.equal(await textOf(tokenizer, talk), text)
  assert.equal(await textOf(tokenizer, talk, { addGenerationPrompt: true }), `${text}<|im_start|>assistant\n`)
})

test('Llama 3: the template writes the first token, and it is not added again', async () => {
  const processor = { type: 'TemplateProcessing', single: [{ SpecialToken: { id: '<|begin_of_text|>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [], special_tokens: { '<|begin_of_text|>': { id: '<|begin_of_text|>', ids: [4], tokens: ['<|begin_of_text|>'] } } }
  const tokenizer = open({ chat_template: LLAMA3, bos_token: '<|begin_of_text|>', eos_token: '<|eot_id|>' },
    { 'tokenizer.json': JSON.stringify({ ...JSON.parse(json), post_processor: processor }) })
  const text = '<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nYou are fine.<|eot_id|>' +
    '<|start_header_id|>user<|end_header_id|>\n\nFine.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n'
  assert.equal(await textOf(tokenizer, [system, talk[2]], { addGenerationPrompt: true }), text)
  const { ids } = await tokenizer.applyChatTemplate([system, talk[2]], { addGenerationPrompt: true })
  assert.deepEqual(ids, tokenizer.encode(text).ids)
  assert.equal(ids.filter(id => id === 4).length, 1)
  assert.equal(tokenizer.encode('x', { special: true }).ids[0], 4)
})

test('Mistral, and what it rejects', async () => {
  const tokenizer = open({ chat_template: MISTRAL, bos_token: { content: '<s>', lstrip: false }, eos_token: '</s>' })
  assert.equal(await textOf(tokenizer, talk), '<s>[INST] Hello, how are you? [/INST]I am fine.</s>[INST]  Fine.  [/INST]')
  await assert.rejects(textOf(tokenizer, [talk[0], talk[0]]), { code: 'text',
    message: 'tokenizer.applyChatTemplate: the chat template fails: Conversation roles must alternate user/assistant/user/assistant/...' })
})

test('Gemma', async () => {
  const tokenizer = open({ chat_template: GEMMA, bos_token: '<bos>' })
  assert.equal(await textOf(tokenizer, talk, { addGenerationPrompt: true }), '<bos><start_of_turn>user\nHello, how are you?<end_of_turn>\n' +
  '<start_of_turn>model\nI am fine.<end_of_turn>\n<start_of_turn>user\nFine.<end_of_turn>\n<start_of_turn>model\n')
  await assert.rejects(textOf(tokenizer, [system, ...talk]), /fails: System role not supported$/)
})

test('Qwen: a template of several lines, tools and variables of its own', async () => {
  const tokenizer = open({ chat_template: QWEN })
  const start = '<|im_start|>system\nYou are a helpful assistant.', end = '<|im_end|>\n<|im_start|>user\n Fine. <|im_end|>\n<|im_start|>assistant\n'
  assert.equal(await textOf(tokenizer, [talk[2]], { addGenerationPrompt: true }), start + end)
  assert.equal(await textOf(tokenizer, [talk[2]], { addGenerationPrompt: true, chatTemplateKwargs: {
    enable_thinking: false } }),
  `${start}${end}<think>\n\n</think>\n\n`)
  const tools = [{ type: 'function', function: { name: '날씨', parameters: { type: 'object', properties: {} } } }]
  assert.equal(await textOf(tokenizer, [talk[2]], { addGenerationPrompt: true, tools }), `${start}\n\n# Tools\n\n<tools>\n` +
  `{"type": "function", "function": {"name": "날씨", "parameters": {"type": "object", "properties": {}}}}\n</tools>${end}`)
})

test('tokens, lists of conversations, truncation and padding as in encode', async () => {
  const tokenizer = open({ chat_template: CHATML }, {})
  const texts = await textOf(tokenizer, [talk, [system]])
  assert.deepEqual(texts, [await textOf(tokenizer, talk), '<|im_start|>system\nYou are fine.<|im_end|>\n'])
  assert.deepEqual(await tokenizer.applyChatTemplate([talk, [system]]), tokenizer.encode(texts))
  const options = { truncation: 12, padding: { length: 16, id: 1 } }
  assert.deepEqual(await tokenizer.applyChatTemplate(talk, options), tokenizer.encode(texts[0], options))
  assert.deepEqual(tokenizer.encode(texts[1]).ids.filter(id => id < SPECIALS.length), [2, 3])
})

test('continueFinalMessage ends the text inside the last message', async () => {
  const tokenizer = open({ chat_template: LLAMA3, bos_token: '' })
  const chat = content => [talk[0], { role: 'assistant', content }]
  const start = '<|start_header_id|>user<|end_header_id|>\n\nHello, how are you?<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n'
  assert.equal(await textOf(tokenizer, chat('I am'), { continueFinalMessage: true }), `${start}I am`)
  assert.equal(await textOf(tokenizer, chat(' I am '), { continueFinalMessage: true }), `${start}I am`) // the template trims
  assert.equal(await textOf(open({ chat_template: CHATML }), [{ role: 'user', content: 'I am ' }], { continueFinalMessage: true }), '<|im_start|>user\nI am ')
  await assert.rejects(textOf(tokenizer, talk, { continueFinalMessage: true, chatTemplate: 'x' }), code('text'))
  await assert.rejects(textOf(tokenizer, talk, { continueFinalMessage: true, addGenerationPrompt: true }), code('type'))
})

test('several templates, a file of its own, and one that is passed', async () => {
  const named = open({ chat_template: [{ name: 'default', template: 'D' }, { name: 'tool_use', template: 'T' }, { name: 'rag', template: 'R{{ documents | length }}' }] })
  assert.equal(await textOf(named, talk), 'D')
  assert.equal(await textOf(named, talk, { tools: [{}] }), 'T')
  assert.equal(await textOf(named, talk, { chatTemplate: 'rag', documents: [{}, {}] }), 'R2')
  assert.equal(await textOf(named, talk, { chatTemplate: '{{ messages | length }}' }), '3')
  assert.equal(await textOf(open({ chat_template: 'old' }, { 'chat_template.jinja': new TextEncoder().encode('\ufeffnew') }), talk), 'new')
  assert.equal(await textOf(open({}, { 'chat_template.json': '{"chat_template": "json"}' }), talk), 'json')
  const map = { 'special_tokens_map.json': '{"eos_token": {"content": "</s>"}, "additional_special_tokens": ["<a>"]}' }
  assert.equal(await textOf(open({ chat_template: '{{ eos_token }}{{ additional_special_tokens[0] }}{{ bos_token }}' }, map), talk), '</s><a>')
  await assert.rejects(textOf(open({ chat_template: [{ name: 'rag', template: '' }] }), talk), /no template is called 'default'; set chatTemplate to one of rag/)
})

test('the templates of a GGUF file', async () => {
  const files = chatFilesOf({ 'tokenizer.chat_template': '{{ bos_token }}D', 'tokenizer.chat_templates': ['rag'], 'tokenizer.chat_template.rag': 'R{{ eos_token }}',
    'tokenizer.ggml.tokens': SPECIALS, 'tokenizer.ggml.bos_token_id': 0, 'tokenizer.ggml.eos_token_id': 1 })
  const tokenizer = gf.text.tokenizer({ 'tokenizer.json': json, ...files })
  assert.equal(await textOf(tokenizer, talk), '<s>D')
  assert.equal(await textOf(tokenizer, talk, { chatTemplate: 'rag' }), 'R</s>')
  assert.deepEqual(chatFilesOf({}), {})
})

test('errors name what is wrong', async () => {
  const plain = gf.text.tokenizer({ 'tokenizer.json': json })
  await assert.rejects(plain.applyChatTemplate(talk), { code: 'state', message: /the tokenizer has no chat template; load it with the tokenizer_config.json/ })
  const tokenizer = open({ chat_template: CHATML })
  await assert.rejects(tokenizer.applyChatTemplate('Hello'), { code: 'type', message: /messages must be a list of messages, .* got "Hello"/ })
  await assert.rejects(tokenizer.applyChatTemplate([{ content: 'x' }]), { message: /messages\[0\] must be an object with a role and a content, got an object with content/ })
  await assert.rejects(tokenizer.applyChatTemplate([[{ content: 'x' }]]), /messages\[0\]\[0\] must be/)
  await assert.rejects(tokenizer.applyChatTemplate(talk, { tools: {} }), /tools must be a list of objects, got an object/)
  await assert.rejects(tokenizer.applyChatTemplate(talk, { chatTemplate: 3 }), /chatTemplate must be a template or the name of one, got 3/)
  await assert.rejects(tokenizer.applyChatTemplate(talk, { chatTemplateKwargs: 3 }), /chatTemplateKwargs must be an object, got 3/)
  await assert.rejects(tokenizer.applyChatTemplate(talk, { addGenerationPrompt: 1 }), /addGenerationPrompt must be/)
  await assert.rejects(tokenizer.applyChatTemplate(talk, { add_generation_prompt: true }), code('type'))
  await assert.rejects(textOf(tokenizer, talk, { chatTemplate: '{% if %}' }), { code: 'format', message: /the chat template cannot be read: / })
  await assert.rejects(textOf(open({ chat_template: 3 }), talk), { code: 'format', message: /chat_template must be a string or a list, got 3/ })
  await assert.rejects(textOf(open({ chat_template: ['x'] }), talk), { code: 'format', message: /chat_template\[0\] must have a name and a template, got "x"/ })
  const broken = gf.text.tokenizer({ 'tokenizer.json': json, 'tokenizer_config.json': '{' })
  await assert.rejects(textOf(broken, talk), { code: 'format', message: /tokenizer_config.json is not JSON/ })
  assert.throws(() => tokenizer.applyChatTemplate(talk).ids, /write await tokenizer.applyChatTemplate\(messages\)/)
})

test('ranges are those of Python, and have limits, so that no template runs without end', async () => {
  const render = chatTemplate => open({}).applyChatTemplate([{ role: 'user', content: 'a' }], { chatTemplate, tokenize: false })
  const list = call => render(`{% for i in ${call} %}{{ i }} {% endfor %}`)
  assert.deepEqual(await Promise.all(['range(3)', 'range(1, 4)', 'range(5, 0, -2)', 'range(2, 2)', 'range(0, 5, 2)'].map(list)),
    ['0 1 2 ', '1 2 3 ', '5 3 1 ', '', '0 2 4 '])
  for (const [call, message] of [['range(100001)', /a range has more than 100000/], ['range(10000000000)', /a range/],
    ['range(1, 5, 0)', /step that is not 0/], ['range(1.5)', /integers/]]) await assert.rejects(list(call), { code: 'text', message })
  const nested = '{% for i in range(30000) %}{% for j in range(30000) %}{% endfor %}{% endfor %}'
  await assert.rejects(render(nested), { code: 'text', message: /all ranges have more than 1000000/ })
})

const { variables, results } = loadGolden('jinja')

test('templates have the results of Jinja: what is printed, compared, added, undefined, and loops that end early', async () => {
  const tokenizer = open({}), { messages, ...chatTemplateKwargs } = variables
  for (const [chatTemplate, expected] of results) {
    const result = tokenizer.applyChatTemplate(messages, { chatTemplate, chatTemplateKwargs, tokenize: false })
    if (expected === null) await assert.rejects(result, { name: 'GlassformerError', code: 'text' }, chatTemplate)
    else assert.equal(await result, expected, chatTemplate)
  }
})

test('errors of a template name what it does', async () => {
  const tokenizer = open({}), fail = chatTemplate => tokenizer.applyChatTemplate([{ role: 'user', content: 'a' }], { chatTemplate, tokenize: false })
  for (const [template, message] of [
    ["{{ 'a' + 3 }}", "\\+ cannot join 'a' and 3; ~ joins the texts of both"], ['{{ 1 // 0 }}', 'division by zero in 1 // 0'],
    ['{{ messages[0].tool.name }}', 'messages\\[0\\].tool is undefined'], ['{{ messages[0].content.strip }}', 'a function is printed; it must be called'],
    ['{{ nothing | tojson }}', 'the filter tojson gets an undefined value'], ["{{ strftime_now('%Q') }}", 'strftime_now does not know %Q']
  ]) await assert.rejects(fail(template), { code: 'text', message: RegExp(`applyChatTemplate: the chat template fails: ${message}$`) })
})

test('strftime_now writes the time in English', async () => {
  const now = new Date(), format = options => new Intl.DateTimeFormat('en-US', options).format(now)
  const template = "{{ strftime_now('%d %b %Y|%B|%A %a|%y-%m|%%') }}"
  const written = await open({}).applyChatTemplate([{ role: 'user', content: 'a' }], { chatTemplate: template, tokenize: false })
  const [day, month, year] = ['2-digit', 'short', 'numeric'].map((style, i) => format({ [['day', 'month', 'year'][i]]: style }))
  const [longMonth, weekday, shortDay] = [{ month: 'long' }, { weekday: 'long' }, { weekday: 'short' }].map(format)
  const number = String(now.getMonth() + 1).padStart(2, '0')
  assert.equal(written, `${day} ${month} ${year}|${longMonth}|${weekday} ${shortDay}|${year.slice(2)}-${number}|%`)
})
