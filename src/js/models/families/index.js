import { gpt2 } from '../gpt2.js'
import { albert } from './albert.js'
import { bart, m2m100, mbart, pegasus } from './bart.js'
import { bert } from './bert.js'
import { bloom } from './bloom.js'
import { cohere } from './cohere.js'
import { debertaV2 } from './deberta.js'
import { distilbert } from './distilbert.js'
import { electra } from './electra.js'
import { exaone } from './exaone.js'
import { falcon } from './falcon.js'
import { gemma, gemma2, gemma3 } from './gemma.js'
import { glm4 } from './glm.js'
import { gptBigcode } from './gpt_bigcode.js'
import { gptNeo } from './gpt_neo.js'
import { gptNeox } from './gpt_neox.js'
import { gptj } from './gptj.js'
import { granite } from './granite.js'
import { internlm2 } from './internlm2.js'
import { llama } from './llama.js'
import { marian } from './marian.js'
import { minicpm } from './minicpm.js'
import { mistral } from './mistral.js'
import { mixtral } from './mixtral.js'
import { modernbert } from './modernbert.js'
import { olmo2, olmoe } from './olmo.js'
import { opt } from './opt.js'
import { phi, phi3 } from './phi.js'
import { qwen2, qwen3, qwen3Moe } from './qwen.js'
import { camembert, roberta, xlmRoberta } from './roberta.js'
import { starcoder2 } from './starcoder2.js'
import { mt5, t5, umt5 } from './t5.js'

/** All families, by model_type. */
export const FAMILIES = [
  gpt2, bert, marian, t5, mt5, umt5, roberta, xlmRoberta, camembert, distilbert, electra, albert, debertaV2, modernbert,
  bart, mbart, m2m100, pegasus,
  llama, mistral, mixtral, qwen2, qwen3, qwen3Moe, gemma, gemma2, gemma3, phi, phi3,
  gptNeox, gptNeo, gptj, gptBigcode, opt, bloom, falcon,
  olmo2, olmoe, granite, minicpm, starcoder2, cohere, glm4, exaone, internlm2
]
