/**
 * The models that people have of each family, for the table in models.md. A test makes the table from this and from the
 * library's families, and counts what each was checked with.
 * @type {Record<string, string>} by model_type
 */
export const MODELS_BY_TYPE = {
  'gpt2': 'GPT-2, DistilGPT-2, KoGPT2, minGPT and nanoGPT files',
  'bert': 'BERT, KcBERT, klue/bert-base, MiniLM',
  'roberta': 'RoBERTa, klue/roberta, DistilRoBERTa', 'xlm-roberta': 'XLM-RoBERTa, multilingual E5', 'camembert': 'CamemBERT',
  'distilbert': 'DistilBERT', 'electra': 'ELECTRA, KoELECTRA', 'albert': 'ALBERT', 'deberta-v2': 'DeBERTa 2 and 3',
  'modernbert': 'ModernBERT',
  'marian': 'opus-mt translators, such as opus-mt-ko-en', 't5': 'T5, Flan-T5, pko-t5 (or the encoder alone)',
  'mt5': 'mT5 (or the encoder alone)', 'umt5': 'umT5 (or the encoder alone)',
  'bart': 'BART, KoBART', 'mbart': 'mBART', 'm2m_100': 'M2M100, NLLB', 'pegasus': 'Pegasus',
  'llama': 'Llama 2, 3, 3.1 and 3.2, TinyLlama, SmolLM2, llama2.c', 'mistral': 'Mistral 7B', 'mixtral': 'Mixtral',
  'qwen2': 'Qwen 2 and 2.5', 'qwen3': 'Qwen 3', 'qwen3_moe': 'Qwen 3 with experts', 'gemma': 'Gemma', 'gemma2': 'Gemma 2',
  'gemma3_text': 'Gemma 3 (text)', 'phi': 'Phi 1, 1.5 and 2', 'phi3': 'Phi 3, 3.5 and 4 mini', 'gpt_neox': 'Pythia, GPT-NeoX, Polyglot-Ko',
  'gpt_neo': 'GPT-Neo', 'gptj': 'GPT-J', 'gpt_bigcode': 'SantaCoder, StarCoder', 'opt': 'OPT', 'bloom': 'BLOOM', 'falcon': 'Falcon',
  'olmo2': 'OLMo 2', 'olmoe': 'OLMoE', 'granite': 'Granite 3', 'minicpm': 'MiniCPM', 'starcoder2': 'StarCoder 2',
  'cohere': 'Command R, Aya 23', 'glm4': 'GLM-4 (0414)', 'exaone': 'EXAONE 3 and 3.5', 'internlm2': 'InternLM 2'
}
