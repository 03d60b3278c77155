"""Updates words.json: the tokens of NLTK 3.8 and of str.split() for its texts, and the order of torchtext's vocabularies.

    python3 tests/golden/words.py        (see golden.py)

Texts and lists are in the file. To add one, write it there with empty tokens and run this script.
"""
import collections
import json
import pathlib
import re


def vocabulary(lists, min_freq=1, specials=(), special_first=True, max_tokens=None):
    """As in torchtext's documentation: by descending frequency, then by code points. max_tokens applies before rare tokens
    and specials are removed."""
    counts = collections.Counter(token for tokens in lists for token in tokens)
    found = sorted(counts, key=lambda token: (-counts[token], token))
    if max_tokens is not None:
        found = found[:max_tokens - len(specials)]
    found = [token for token in found if counts[token] >= min_freq and token not in specials]
    return [*specials, *found] if special_first else [*found, *specials]


def steps(tokenizer):
    """NLTK's substitutions in order: names and functions of a text."""
    groups = {"start": tokenizer.STARTING_QUOTES, "punct": tokenizer.PUNCTUATION, "paren": [tokenizer.PARENS_BRACKETS],
              "dash": [tokenizer.DOUBLE_DASHES], "end": tokenizer.ENDING_QUOTES,
              "two": [(rule, r" \1 \2 ") for rule in tokenizer.CONTRACTIONS2],
              "three": [(rule, r" \1 \2 ") for rule in tokenizer.CONTRACTIONS3]}
    return [(f"{group}{n}", rule, by) for group, rules in groups.items() for n, (rule, by) in enumerate(rules)]


def changing(rules, text):
    """The names of the rules that change a text, and its tokens."""
    names = []
    for name, rule, by in rules:
        if name == "end0":
            text = f" {text} "
        after = rule.sub(by, text)
        names += [name] if after != text else []
        text = after
    return names, text.split()


def shown(value):
    """JSON in which letters of all scripts are unescaped and invisible characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[^ -~]", lambda found: found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1], text)


def main():
    from nltk.tokenize import NLTKWordTokenizer, word_tokenize
    path = pathlib.Path(__file__).with_name("words.json")
    old = json.loads(path.read_text(encoding="utf-8"))
    rules = steps(NLTKWordTokenizer())
    hits, tokenized = {name: 0 for name, _, _ in rules}, []
    for text in (item["text"] for item in old["word_tokenize"]):
        tokens = word_tokenize(text, preserve_line=True)
        names, same = changing(rules, text)
        assert tokens == same, text
        for name in names:
            hits[name] += 1
        tokenized.append({"text": text, "tokens": tokens})
    parts = {"rule_hits": hits, "word_tokenize": tokenized,
             "split": [{"text": item["text"], "tokens": item["text"].split()} for item in old["split"]],
             "vocab": [{**item, "itos": vocabulary(item["lists"], **item["options"])} for item in old["vocab"]]}
    about = {"about": "word_tokenize(text, preserve_line=True), str.split(), torchtext's vocabularies; made by words.py", "nltk": "3.8"}
    rows = [f'"{key}":{shown(value)}' for key, value in {**about, "rule_hits": parts.pop("rule_hits")}.items()]
    rows += ['"%s":[\n%s\n]' % (key, ",\n".join(map(shown, value))) for key, value in parts.items()]
    path.write_text("{%s}\n" % ",\n".join(rows), encoding="utf-8")
    print(len(tokenized), "texts; rules that change none:", [name for name, count in hits.items() if not count])


if __name__ == "__main__":
    main()
