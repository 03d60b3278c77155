"""Live figures of a transformer's numbers in notebooks: show(model, ids)."""

import pathlib

import anywidget
import traitlets

from .weights import as_ids, describe

__all__ = ["Figure", "show"]


class Figure(anywidget.AnyWidget):
    """A figure of one run. Its traits are the attributes of <glass-figure>; `selected` is the cell under the mouse."""

    _esm = pathlib.Path(__file__).parent / "widget.js"
    weights = traitlets.Bytes().tag(sync=True)
    config = traitlets.Unicode().tag(sync=True)
    ids = traitlets.List(traitlets.Int()).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    room = traitlets.Unicode("house").tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    depth = traitlets.Unicode("numbers").tag(sync=True)
    theme = traitlets.Unicode("auto").tag(sync=True)
    lang = traitlets.Unicode("en").tag(sync=True)
    controls = traitlets.Bool(True).tag(sync=True)
    selected = traitlets.Dict(default_value=None, allow_none=True).tag(sync=True)


def show(model, ids, *, tokens=None, config=None, **attributes):
    """A figure of a model's run on ids: a model of transformers, or a state dict with config, the content of config.json."""
    numbers = as_ids(ids)
    if tokens is not None and len(tokens) != len(numbers):
        raise ValueError(f"tokens must have one text for each id, got {len(tokens)} for {len(numbers)}")
    weights, text = describe(model, config)
    return Figure(weights=weights, config=text, ids=numbers, tokens=list(map(str, tokens or [])), **attributes)
