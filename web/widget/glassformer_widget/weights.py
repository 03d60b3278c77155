"""Weights of a model as the bytes of a safetensors file, with numpy alone."""

import json

import numpy


def as_array(tensor):
    """A tensor of PyTorch, or anything that numpy reads, as float32; None if it has no floating-point numbers."""
    if hasattr(tensor, "detach"):
        if not tensor.is_floating_point():
            return None
        tensor = tensor.detach().cpu().float().numpy()
    array = numpy.asarray(tensor)
    return numpy.asarray(array, dtype="<f4", order="C") if array.dtype.kind == "f" else None


def to_safetensors(state):
    """The tensors of a state dict as a safetensors file. Integers and masks, which glassformer computes, are left out."""
    if not hasattr(state, "items"):
        raise TypeError(f"weights must be a state dict of tensors by name, got {type(state).__name__}")
    arrays = {str(name): as_array(tensor) for name, tensor in state.items()}
    header, parts, end = {}, [], 0
    for name, array in arrays.items():
        if array is None:
            continue
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        parts.append(array.tobytes())
        end += array.nbytes
    if not parts:
        raise ValueError("weights: the state dict has no floating-point tensors")
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    return len(head).to_bytes(8, "little") + head + b"".join(parts)


def describe(model, config=None):
    """The weights and the config.json of a model of transformers, or of a state dict with its config."""
    if config is None:
        config = getattr(model, "config", None)
    if config is None:
        raise TypeError("config is missing: give a model of the transformers library, or config=, the content of config.json")
    if hasattr(config, "to_json_string"):
        text = config.to_json_string(use_diff=False)
    elif isinstance(config, str):
        text = config
    else:
        text = json.dumps(dict(config))
    return to_safetensors(model.state_dict() if hasattr(model, "state_dict") else model), text


def as_ids(ids):
    """Ids of tokens as a list of integers; a batch must have one row."""
    array = numpy.asarray(ids.detach().cpu() if hasattr(ids, "detach") else ids)
    if array.ndim == 2 and array.shape[0] == 1:
        array = array[0]
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu":
        raise TypeError(f"ids must be a list of integers, the tokens of one text, got shape {array.shape} of {array.dtype}")
    return array.tolist()
