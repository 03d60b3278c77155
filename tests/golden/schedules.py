"""Writes schedules.json: learning rate and momentum of two parameter groups at every step of PyTorch 1.13.1's schedulers.

    python3 tests/golden/schedules.py        (see golden.py)
"""
import math
import warnings

import torch
from torch import nn
from torch.optim import SGD, AdamW, lr_scheduler as lrs

from golden import save

warnings.filterwarnings("ignore")


def trajectory(optimizer, scheduler, steps):
    rows = []
    for step in range(steps):
        if step:
            optimizer.step()
            scheduler.step()
        rows.append([[g["lr"], g["betas"][0] if "betas" in g else g["momentum"]] for g in optimizer.param_groups])
    return rows


def plateau(optimizer, scheduler, metrics):
    rows = []
    for metric in metrics:
        scheduler.step(metric)
        rows.append([[g["lr"] for g in optimizer.param_groups], scheduler.best, scheduler.num_bad_epochs, scheduler.cooldown_counter])
    return rows


def two_groups(kind):
    a, b = (nn.Parameter(torch.zeros(1)) for _ in range(2))
    if kind == "adam":
        return AdamW([{"params": [a], "lr": 0.5}, {"params": [b]}], lr=0.02)
    return SGD([{"params": [a]}, {"params": [b], "lr": 1.0, "momentum": 0.5}], lr=0.1, momentum=0.9)


def schedule(name, kind, args, steps, make):
    optimizer = two_groups(kind)
    return {"name": name, "optimizer": kind, "args": args, "rates": trajectory(optimizer, make(optimizer), steps)}


def watched(kind, options, metrics, **theirs):
    optimizer = two_groups(kind)
    return {"optimizer": kind, "options": options, "metrics": metrics,
            "rows": plateau(optimizer, lrs.ReduceLROnPlateau(optimizer, **theirs), metrics)}


def warmup(o):
    return lrs.SequentialLR(o, [lrs.LinearLR(o, start_factor=0.25, total_iters=4), lrs.CosineAnnealingLR(o, 6)], [4])


def three(o):
    return lrs.SequentialLR(o, [lrs.LambdaLR(o, lambda e: 0.9 ** e), lrs.StepLR(o, 2), lrs.MultiStepLR(o, [1, 3], gamma=0.5)], [3, 8])


def eased(o):
    return lrs.SequentialLR(o, [lrs.ExponentialLR(o, 0.5), lrs.ExponentialLR(o, 0.9)], [2])


schedules = [
    schedule("LambdaLR", "sgd", [], 8, lambda o: lrs.LambdaLR(o, lambda e: 0.9 ** e)),
    schedule("StepLR", "sgd", [3], 12, lambda o: lrs.StepLR(o, 3)),
    schedule("StepLR", "adam", [2, {"gamma": 0.5}], 8, lambda o: lrs.StepLR(o, 2, gamma=0.5)),
    schedule("CosineAnnealingLR", "sgd", [7], 30, lambda o: lrs.CosineAnnealingLR(o, 7)),
    schedule("CosineAnnealingLR", "adam", [10, {"etaMin": 0.001}], 25, lambda o: lrs.CosineAnnealingLR(o, 10, eta_min=0.001)),
    schedule("CosineAnnealingLR", "sgd", [1], 5, lambda o: lrs.CosineAnnealingLR(o, 1)),
    schedule("LinearLR", "sgd", [], 9, lambda o: lrs.LinearLR(o)),
    schedule("LinearLR", "adam", [{"startFactor": 1.0, "endFactor": 0.0, "totalIters": 6}], 9,
             lambda o: lrs.LinearLR(o, start_factor=1.0, end_factor=0.0, total_iters=6)),
    schedule("OneCycleLR", "sgd", [2.0, {"totalSteps": 20}], 20, lambda o: lrs.OneCycleLR(o, 2.0, total_steps=20)),
    schedule("OneCycleLR", "adam", [[0.1, 0.3], {"epochs": 3, "stepsPerEpoch": 5, "annealStrategy": "linear", "pctStart": 0.25}], 15,
             lambda o: lrs.OneCycleLR(o, [0.1, 0.3], epochs=3, steps_per_epoch=5, anneal_strategy="linear", pct_start=0.25)),
    schedule("OneCycleLR", "sgd", [1.0, {"totalSteps": 17, "threePhase": True, "divFactor": 10, "finalDivFactor": 100}], 17,
             lambda o: lrs.OneCycleLR(o, 1.0, total_steps=17, three_phase=True, div_factor=10, final_div_factor=100)),
    schedule("OneCycleLR", "adam", [1.0, {"totalSteps": 9, "cycleMomentum": False}], 9,
             lambda o: lrs.OneCycleLR(o, 1.0, total_steps=9, cycle_momentum=False)),
    schedule("MultiStepLR", "sgd", [[2, 5]], 9, lambda o: lrs.MultiStepLR(o, [2, 5])),
    schedule("MultiStepLR", "adam", [[0, 3, 3, 7], {"gamma": 0.5}], 10, lambda o: lrs.MultiStepLR(o, [0, 3, 3, 7], gamma=0.5)),
    schedule("ExponentialLR", "sgd", [0.9], 8, lambda o: lrs.ExponentialLR(o, 0.9)),
    schedule("SequentialLR", "adam", ["warmup"], 14, warmup),
    schedule("SequentialLR", "sgd", ["three"], 14, three),
    schedule("SequentialLR", "sgd", ["eased"], 8, eased),
]
LOSSES = [3.0, 2.0, 2.0, 1.99999, 2.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, math.nan, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
plateaus = [
    watched("sgd", {"patience": 2}, LOSSES, patience=2),
    watched("adam", {"mode": "max", "factor": 0.5, "patience": 1, "cooldown": 2, "threshold": 0.1}, LOSSES,
            mode="max", factor=0.5, patience=1, cooldown=2, threshold=0.1),
    watched("sgd", {"thresholdMode": "abs", "threshold": 0.2, "patience": 0, "minLr": [0.01, 0.3]}, LOSSES,
            threshold_mode="abs", threshold=0.2, patience=0, min_lr=[0.01, 0.3]),
    watched("sgd", {"mode": "max", "thresholdMode": "abs", "threshold": 0.5, "patience": 0, "eps": 0.02, "minLr": 1e-4}, LOSSES,
            mode="max", threshold_mode="abs", threshold=0.5, patience=0, eps=0.02, min_lr=1e-4),
]

save("schedules", "rate and momentum of two groups at every step; made by schedules.py", cases=schedules,
     plateaus=plateaus)
