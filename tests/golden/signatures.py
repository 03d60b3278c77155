"""Writes signatures.json: the parameters of PyTorch's functions, modules, forwards and optimizers, in order.

Each name has a list of overloads; a parameter is its name, followed by "?" if it has a default, and "*" stands before
those that are given by name only. Functions of C++ have their signatures in the schemas of the operators.
"""
import inspect
import json
import pathlib
import torch

F = torch.nn.functional

def parameters(fn, skip=0):
    """Of a Python function, or [] where it does not say."""
    try:
        listed = list(inspect.signature(fn).parameters.values())[skip:]
    except (TypeError, ValueError):
        return []
    names, starred = [], False
    for p in listed:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            return []
        if p.kind == p.KEYWORD_ONLY and not starred:
            names.append("*")
            starred = True
        names.append(p.name + ("" if p.default is p.empty else "?"))
    return [names]

def schemas(name):
    """The overloads of an operator, without those that write into out or name dimensions."""
    found = []
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + name):
        if any(arg.is_out for arg in schema.arguments) or "Dimname" in str(schema) or "str dim" in str(schema):
            continue
        names, starred = [], False
        for arg in schema.arguments:
            if arg.kwarg_only and not starred:
                names.append("*")
                starred = True
            names.append(("input" if arg.name == "self" else arg.name) + ("?" if arg.has_default_value() else ""))
        found.append(names)
    return found

def unique(lists):
    return [one for i, one in enumerate(lists) if one not in lists[:i]]

FUNCTIONS = """neg abs sign floor round square sqrt rsqrt reciprocal exp log sin cos tanh sigmoid isnan isinf logical_not nonzero
clone detach relu silu softplus leaky_relu clamp gelu add sub mul div maximum minimum pow eq ne lt le gt ge logical_and logical_or
logical_xor equal matmul dot outer allclose sum mean prod logsumexp max min amax amin all any argmax argmin var std norm softmax
log_softmax normalize dropout linear layer_norm embedding cross_entropy nll_loss mse_loss l1_loss binary_cross_entropy
binary_cross_entropy_with_logits kl_div cosine_similarity cat stack split chunk one_hot where reshape transpose narrow select
repeat_interleave roll unsqueeze squeeze flatten unflatten index_select gather scatter scatter_add masked_select masked_fill
tril triu cumsum sort argsort topk to requires_grad_ einsum expand flip permute repeat arange full zeros ones rand randn
zeros_like ones_like eye linspace randint normal multinomial bernoulli randperm manual_seed get_rng_state set_rng_state slice index_put_
ceil trunc erf log1p expm1 isfinite bitwise_not bitwise_and bitwise_or bitwise_xor lerp elu glu smooth_l1_loss huber_loss conv1d
conv2d unfold fold pad meshgrid diag diagonal unbind swapaxes movedim index_add index_copy index_fill median bincount unique cumprod
tile empty empty_like full_like rand_like randn_like tril_indices triu_indices""".split()
METHODS = """abs_ ceil_ exp_ floor_ log_ neg_ reciprocal_ relu_ round_ rsqrt_ sigmoid_ sign_ sqrt_ square_ tanh_ trunc_ zero_ add_ sub_
mul_ div_ pow_ clamp_ lerp_ masked_fill_ scatter_ scatter_add_ index_add_ index_copy_ index_fill_ tril_ triu_ copy_ fill_ normal_
uniform_ expand_as view_as reshape_as type_as unfold view backward""".split()
MODULES = """Linear Flatten Dropout Embedding LayerNorm ReLU SiLU Tanh Sigmoid GELU Softmax LogSoftmax LeakyReLU Softplus
CosineSimilarity CrossEntropyLoss NLLLoss MSELoss L1Loss BCELoss BCEWithLogitsLoss KLDivLoss MultiheadAttention
TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder TransformerDecoder Transformer ELU GLU SmoothL1Loss HuberLoss
Conv1d Conv2d Unfold Fold Unflatten ParameterList ParameterDict""".split()
FORWARDS = """MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder TransformerDecoder
Transformer""".split()
INIT = """uniform_ normal_ trunc_normal_ constant_ zeros_ ones_ eye_ xavier_uniform_ xavier_normal_ kaiming_uniform_
kaiming_normal_ calculate_gain orthogonal_""".split()
optim, schedulers, utils, data = torch.optim, torch.optim.lr_scheduler, torch.nn.utils, torch.utils.data

tables = {
    "FUNCTIONS": {"grad": parameters(torch.autograd.grad), **{name: unique(parameters(getattr(F, name, None)) + parameters(getattr(torch, name, None)) + schemas(name)
                         + [["input"] + list for list in parameters(getattr(torch.Tensor, name, None), 1)])
                  for name in FUNCTIONS}},
    "METHODS": {name: unique(schemas(name) + [["input"] + list for list in parameters(getattr(torch.Tensor, name), 1)])
                for name in METHODS},
    "MODULES": {name: parameters(getattr(torch.nn, name).__init__, 1) for name in MODULES},
    "FORWARDS": {name: parameters(getattr(torch.nn, name).forward, 1) for name in FORWARDS},
    "INIT": {name: parameters(getattr(torch.nn.init, name)) for name in INIT},
    "OPTIMIZERS": {
        **{name: parameters(getattr(optim, name).__init__, 1) for name in ("Adam", "AdamW", "SGD")},
        **{name: parameters(getattr(schedulers, name).__init__, 1)
           for name in ("StepLR", "CosineAnnealingLR", "LambdaLR", "LinearLR", "OneCycleLR", "MultiStepLR",
                        "ExponentialLR", "ReduceLROnPlateau", "SequentialLR")},
        "clip_grad_norm": parameters(utils.clip_grad_norm_), "clip_grad_value": parameters(utils.clip_grad_value_)
    },
    "DATA": {
        **{name: parameters(getattr(data, name).__init__, 1) for name in ("DataLoader", "Subset")},
        "default_collate": parameters(data.default_collate), "random_split": parameters(data.random_split),
        "pad_sequence": parameters(utils.rnn.pad_sequence)
    }
}
path = pathlib.Path(__file__).with_name("signatures.json")
lines = ",\n".join(f'"{table}": {{\n' + ",\n".join(f'"{name}": {json.dumps(lists)}' for name, lists in entries.items()) + "\n}"
                   for table, entries in tables.items())
path.write_text(f'{{"version": "{torch.__version__}",\n{lines}}}\n')
print({table: [name for name, lists in entries.items() if not lists] for table, entries in tables.items()})
