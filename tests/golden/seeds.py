"""Writes seeds.json: all numbers that the five lessons print, computed again and formatted as in the lessons.

    python3 tests/golden/seeds.py        (see golden.py)

No seed gives two of the tables, which are copied from the lesson; `reproduced` is false for them.
"""
import numpy as np
import torch
import torch.nn.functional as F
from nltk.tokenize import word_tokenize

from golden import save
from pipeline import lesson000, lesson002
from tables import by_float32, by_loops, rates, sines_first

FORMATS = {
    "fixed": lambda value, decimals: "%.*f" % (decimals, value),
    "sci": lambda value, decimals: "%.*e" % (decimals, value),
    "trim": lambda value, decimals: ("%.*f" % (decimals, value)).rstrip("0"),
    "int": lambda value, decimals: "%d" % value,
}
items = []


def table(id, values, style, decimals=0, shape=None):
    values = torch.as_tensor(values)
    printed = [FORMATS[style](float(value), decimals) for value in values.flatten()]
    items.append({"id": id, "doc": id[:3], "shape": shape or list(values.shape), "printed": printed, "style": style,
                  "decimals": decimals, "reproduced": True})


def listed(id, text, shape, style):
    items.append({"id": id, "doc": id[:3], "shape": shape, "printed": text.split(), "style": style, "decimals": 4,
                  "reproduced": None})


def value(id, found):
    items.append({"id": id, "doc": id[:3], "value": found, "reproduced": True})


# 000: positions by loops, and as in PyTorch -----------------------------------------------------------------------------

SENTENCES = ["I wonder what will come next", "This is a basic example paragraph", "Hello, what is a basic split?"]
first = lesson000()
loops = by_loops(10, 4, 1000.0)
value("000.sequences", SENTENCES)
value("000.tokens", [[token for token in word_tokenize(sentence, preserve_line=True) if token not in (",", "?", "!", ".")]
                     for sentence in SENTENCES])
table("000.embeddings", first["embeddings"], "fixed", 2)
table("000.embeddings_again", first["embeddings"], "fixed", 2)
table("000.encodings", loops, "trim", 8)
table("000.encodings6", loops[:6], "trim", 8)
table("000.sum_n1000", first["sum_loop64_n1000"], "fixed", 2)
table("000.div_term", rates(4, 100.0), "fixed", 2)
table("000.k", torch.arange(10).unsqueeze(1), "int")
table("000.k_div_term", torch.arange(10).unsqueeze(1) * rates(4, 100.0), "fixed", 2)
table("000.zeros", torch.zeros(10, 4), "trim", 1)
table("000.pe_n100", by_float32(10, 4, 100.0).unsqueeze(0), "fixed", 2)
table("000.gen_pe_n100", by_float32(10, 4, 100.0).unsqueeze(0), "fixed", 2)
table("000.pe_n10000", by_float32(10, 4, 1e4).unsqueeze(0), "fixed", 2)
table("000.sum_n10000", first["sum_torch32_n10000"], "fixed", 2)

# 001: distances of neighboring positions ---------------------------------------------------------------------------------

places = sines_first(5, 6, 1e4)
table("001.pe_5x6", places, "trim", 3)
table("001.distance_norm_dot", [[float(np.linalg.norm(here - there)), float(np.linalg.norm(here)), float(here @ there)]
                                for here, there in zip(places.numpy(), places.numpy()[1:])], "fixed", 4)

# 002: positions under embeddings, with dropout --------------------------------------------------------------------------

second = lesson002()
table_of_five = by_float32(5, 8, 1e4)
rows, columns = ([second[key].index(one) for one in wanted]
                 for key, wanted in (("rows", (0, 1, 2, 44, 45, 46)), ("cols", (0, 1, 2, 509, 510, 511))))
value("002.ids", second["ids"])
table("002.output", second["output"][rows][:, columns], "fixed", 4)
table("002.zeros", torch.zeros(5, 8), "trim", 1)
table("002.position", torch.arange(5.0).unsqueeze(1), "trim", 1)
table("002.div_term", rates(8, 1e4), "sci", 4)
table("002.pe", table_of_five, "sci", 4)
table("002.pe_unsqueezed", table_of_five.unsqueeze(0), "sci", 4)
table("002.pe_transposed", table_of_five.flatten()[:23], "sci", 4)  # its text ends within the table

# 003: shapes -------------------------------------------------------------------------------------------------------------

wide = by_float32(256, 512, 1e4)
value("003.shapes", [list(t.shape) for t in (wide, torch.arange(256).unsqueeze(1), wide.unsqueeze(0))])

# 004: a Transformer by hand ----------------------------------------------------------------------------------------------

EMBEDDINGS = """
-1.9056 0.4020 -0.6074 2.6805 3.7087 -0.6620 -1.2765 0.7662 -0.5810 -0.0544 0.0943 -1.5781 0.8282 0.2502 1.8761 -2.7067
1.1659 -0.9646 -0.1141 0.8070 -0.1789 -1.8791 0.4617 -1.0719 0.2543 -0.5698 0.6213 -1.4007 0.6660 -0.0462 -1.5086 -3.6410
3.1076 1.3957 1.5555 0.9944 1.4069 -2.1569 -0.5288 0.2961 1.9556 2.6009 -1.2951 -4.2932 2.6212 -1.7372 -0.8859 -1.2518
-2.4530 -1.4019 -1.1893 2.2507 2.3488 -2.5711 0.7487 0.1037 2.3612 -0.4340 1.3498 -2.3379 2.0035 -2.2868 -1.6020 0.9593
-1.3929 -0.7861 0.9235 -2.5473 1.9899 -1.3423 1.8607 -0.7400 -2.9066 1.3532 0.4943 1.7047 1.0707 -0.5448 -1.0468 -0.3217
"""
words = "나는 최근 파리 여행을 다녀왔다".split()
embedded = torch.tensor([float(number) for number in EMBEDDINGS.split()]).reshape(1, 5, 16)
normed = F.layer_norm(embedded, [16])
value("004.tokens", words)
value("004.str2idx", {word: at for at, word in enumerate(words)})
value("004.idx2str", {str(at): word for at, word in enumerate(words)})
value("004.input_ids", list(range(len(words))))
value("004.shapes_embedding", [list(embedded.shape)] * 2)
value("004.shapes_attention", [list(embedded.shape)] * 2)
value("004.shape_multihead", [list(torch.nn.MultiheadAttention(16, 4, batch_first=True)(*[embedded] * 3)[0].shape)])
listed("004.input_embeddings", EMBEDDINGS, [1, 5, 16], "fixed")
table("004.layer_norm_std", normed.std(-1), "fixed", 4)
# The rounding error of a mean of 0, which depends on digits that the lesson did not print.
listed("004.layer_norm_mean", "1.4901e-08 4.4703e-08 -4.8429e-08 4.4703e-08 -1.8626e-08", [1, 5], "sci")
table("004.causal_mask", torch.ones(5, 5).tril(), "int")

save("seeds", "every number that the lessons print; made by seeds.py", items=items)
print(len(items), "items,", sum(len(item.get("printed", [])) for item in items), "numbers in tables")
