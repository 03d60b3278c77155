"""Writes spm_models.json: two small models, trained by SentencePiece on the sentences below, and their results for 300
texts, some of them invalid UTF-8. With SentencePiece 0.1.97 (Debian 12's python3-sentencepiece):

    python3 tests/golden/spm_models.py
"""
import base64
import io
import json
import os
import pathlib
import random
import sys
import tempfile
import unicodedata

import sentencepiece as spm

SENTENCES = """나는 최근 파리 여행을 다녀왔다. 파리는 언제나 아름답다.
어텐션은 어디를 볼지 고르는 방법이다. 가중치를 모두 더하면 1이 된다.
The weights say how much of each value goes into the output.
The encoder reads the sentence, and the decoder writes it again.
토큰은 글자가 아니라 조각이다. 조각의 수는 배우기 전에 정한다.
A tokenizer cuts words into pieces; rare words fall apart into letters.
여행 가방에 책 세 권을 넣었다. 기차는 오후 세 시에 떠난다.
Every number in this house can say where it came from.
숫자 12345와 3.14도 토큰이다. 2024년 5월 1일은 수요일이었다.
It's a basic split, isn't it? We'll see what they've done.
Tôi thích đọc sách tiếng Việt. Việt Nam rất đẹp.
Ein schöner Tag für große Mädchen; être ou ne pas être.
한글은 자음과 모음을 모아 쓴다. 가나다라마바사.
softmax makes probabilities, layer norm makes zero mean and unit variance.""".split('\n')

POOLS = SENTENCES + [
    'Ａ１ ㈜ ㎏ ½ ﬁ Å Ⅷ ｶﾞ ²', '👩‍👩‍👧‍👦 🇰🇷 👍🏽 😀 ☃️', '漢字かな中文𠀀', '  \t\n\u00a0\u3000 \u200b\ufeff ',
    'e\u0301 e\u0302\u0323 e\u0323\u0302 o\u0308 a\u030a \u1112\u1161\u11ab \u1100\u1161', '<sep> <mask><sep> < sep>', '▁ ▁▁ x▁y',
    '\x01\x1c\x85\xad', 'aaaaaaaaaaaaaaaa', 'ệ ế ü 한 각',
]


def rules():
    """A charsmap of a few hundred entries, in which some keys are prefixes of others."""
    table = {}
    for code in [*range(0xA0, 0x180), *range(0x1EA0, 0x1F00), *range(0x2100, 0x2189), *range(0x3200, 0x3220),
                 *range(0x3380, 0x33A0), *range(0xFB00, 0xFB07), *range(0xFF01, 0xFFA0)]:
        letter = chr(code)
        for source in (letter, unicodedata.normalize('NFD', letter)):
            if source != unicodedata.normalize('NFKC', letter):
                table[source] = unicodedata.normalize('NFKC', letter)
    table.update({'\u1112\u1161': '하', '\u1112\u1161\u11ab': '한', '\u1100\u1161': '가', '\u200b': ' ', '\ufeff': '', '\t': ' ',
                  '\n': ' ', '\u3000': ' ', '\u00a0': ' ', '\u00ad': '', '\x01': ''})
    return ''.join(
        '\t'.join(' '.join(f'{ord(c):X}' for c in text) for text in entry) + '\n' for entry in sorted(table.items()))


def train(**options):
    model = io.BytesIO()
    spm.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 3), model_writer=model, vocab_size=420, hard_vocab_limit=False,
        character_coverage=0.995, minloglevel=2, **options)
    return model.getvalue()


def texts():
    draw = random.Random(1)
    for i in range(300):
        words = [draw.choice(draw.choice(POOLS).split(' ')) for _ in range(draw.randrange(1, 12))]
        if i % 4 == 0:
            words[draw.randrange(len(words))] = draw.choice(POOLS)
        text = draw.choice([' ', ' ', ' ', '', '  ']).join(words)
        if i % 5 == 0:
            text = unicodedata.normalize('NFD', text)
        data = text.encode()
        if i % 6 == 0:
            data = bytes(b if draw.randrange(12) else draw.randrange(256) for b in data)[:draw.randrange(len(data) + 1)]
        yield data


def main():
    with tempfile.TemporaryDirectory() as folder:
        # The model file contains the model's name, which must be the same every time.
        os.chdir(folder)
        pathlib.Path('rules.tsv').write_text(rules(), encoding='utf-8')
        models = {
            'unigram': train(model_type='unigram', normalization_rule_tsv='rules.tsv'),
            'bpe': train(model_type='bpe', byte_fallback=True, user_defined_symbols=['<sep>', '<mask>'],
                         normalization_rule_name='identity', remove_extra_whitespaces=False),
        }
    lines = list(texts())
    out = {'texts': [base64.b64encode(line).decode() for line in lines], 'models': {}}
    for name, model in models.items():
        processor = spm.SentencePieceProcessor(model_proto=model)
        ids = [processor.encode(line) for line in lines]
        out['models'][name] = {
            'model': base64.b64encode(model).decode(), 'ids': ids, 'decoded': [processor.decode(line) for line in ids]}
    path = pathlib.Path(__file__).with_name('spm_models.json')
    path.write_text(json.dumps(out, ensure_ascii=False, separators=(',', ':')) + '\n')


main()
