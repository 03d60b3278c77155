"""Writes torch_api.json: the public names of PyTorch, for the table in web/docs/pytorch.md."""
import inspect
import json
import pathlib
import re
import torch

def public(owner, wanted):
    return sorted(name for name in dir(owner) if not name.startswith("_") and wanted(name, getattr(owner, name, None)))

def is_class(base):
    return lambda name, value: inspect.isclass(value) and issubclass(value, base) and value is not base

HELPERS = ("assert_int_or_pair", "boolean_dispatch", "has_torch_function", "handle_torch_function")
INSIDE = re.compile(r"^(cudnn|miopen|mkldnn|fbgemm|quantized|native|fake|fused|autocast|parse|sparse|batch_norm|import_ir|init_|vital|read_v|"
                    r"set_vital|lstm|gru|rnn|hs|ss|ds|unify|merge_type|prepare_|classproperty|typename|candidate|Set$|obj$|wait$|fork$)|_copy$")

def is_function(name, value):
    return callable(value) and not inspect.isclass(value) and not name.endswith("_") and not name.startswith(HELPERS)

schedulers = torch.optim.lr_scheduler
names = {
    "torch": [name for name in public(torch, lambda name, value: callable(value) and not inspect.isclass(value) or name in ("no_grad", "enable_grad"))
              if not hasattr(torch.Tensor, name) and not name.endswith("_") and not hasattr(torch.nn.functional, name)
              and not INSIDE.search(name)],
    "torch.nn": public(torch.nn, is_class(torch.nn.Module)) + ["Module", "Parameter"],
    "torch.nn.functional": [name for name in public(torch.nn.functional, is_function)
                            if getattr(torch.nn.functional, name).__module__ not in ("typing",)],
    "torch.Tensor": public(torch.Tensor, lambda name, value: not name.endswith("_") or name == "requires_grad_"),
    "torch.nn.Module": public(torch.nn.Module, lambda name, value: True),
    "torch.nn.init": public(torch.nn.init, lambda name, value: callable(value) and (name.endswith("_") or name == "calculate_gain")),
    "torch.optim": public(torch.optim, is_class(torch.optim.Optimizer)),
    "torch.optim.lr_scheduler": [name for name in public(schedulers, lambda name, value: inspect.isclass(value))
                                 if getattr(schedulers, name).__module__ == schedulers.__name__],
}
# As in the documentation of 1.13, since dir() also lists modules and their imports.
names |= {
    "torch.autograd": [
        "Function", "backward", "detect_anomaly", "enable_grad", "forward_ad", "functional", "grad",
        "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "profiler", "set_grad_enabled"
    ],
    "torch.nn.utils": [
        "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "convert_parameters", "fuse_conv_bn_eval",
        "fuse_conv_bn_weights", "fuse_linear_bn_eval", "parameters_to_vector", "parametrizations",
        "parametrize", "prune", "remove_spectral_norm", "remove_weight_norm", "rnn", "skip_init",
        "spectral_norm", "stateless", "vector_to_parameters", "weight_norm"
    ],
    "torch.utils.checkpoint": [
        "checkpoint", "checkpoint_sequential"
    ],
    "torch.utils.data": [
        "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler",
        "Sampler", "SequentialSampler", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler",
        "default_collate", "default_convert", "get_worker_info", "random_split"
    ]
}
path = pathlib.Path(__file__).with_name("torch_api.json")
path.write_text(json.dumps({"version": torch.__version__, "names": names}, indent=0) + "\n")
print({key: len(value) for key, value in names.items()})
