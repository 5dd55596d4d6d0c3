"""Trains `recollect-reader` on groups that prepare.py made. One GPU takes three minutes a seed.

    python training/reader/train.py groups.jsonl.gz --seeds 0 1 2 --out trained.npz --measure lives.jsonl.gz

A passage is read in pieces. Its log-odds are those of its best piece, so the model learns which piece answers. What is
shipped is the mean of the weights of several seeds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).parent))

from model import OUTPUTS, Pair, Reader  # noqa: E402


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    epochs: int = 6
    rate: float = 3e-4
    groups: int = 32
    """Groups a step."""
    passages: int = 16
    """Passages of a group in a step, right ones included."""
    hardest: int = 24
    """Most wrong passages are drawn from these first candidates."""
    undated: float = 0.5
    """Weight of groups without dates; a share of them as large comes in each epoch."""
    listwise: float = 0.5
    """Weight of the loss that compares the passages of a group, beside the loss that judges each on its own."""
    drop: float = 0.1
    seed: int = 0


@dataclass(slots=True)
class Group:
    pieces: list[list[Pair]]
    answers: list[int]
    concerns: list[int]
    dated: bool


def load(path: Path, model: Reader) -> list[Group]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        held = [json.loads(line) for line in file]
    flat = [(group["question"], piece) for group in held for item in group["items"] for piece in item["pieces"]]
    pairs = iter(model.pairs([question for question, _ in flat], [piece for _, piece in flat]))
    return [_group(group, pairs) for group in held]


def _group(group: dict[str, Any], pairs: Iterator[Pair]) -> Group:
    items = group["items"]
    return Group(
        pieces=[[next(pairs) for _ in item["pieces"]] for item in items],
        answers=[item["answers"] for item in items],
        concerns=[item["concerns"] for item in items],
        dated=group["dated"],
    )


def train(groups: Sequence[Group], model: Reader, plan: Plan) -> Reader:
    torch.manual_seed(plan.seed)
    chance = random.Random(plan.seed)
    dated, undated = [g for g in groups if g.dated], [g for g in groups if not g.dated]
    steps = plan.epochs * (1 + int(len(dated) + plan.undated * len(undated)) // plan.groups)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=plan.rate, total_steps=steps + 1, pct_start=0.1)
    for epoch in range(plan.epochs):
        started, losses = time.perf_counter(), []
        order = dated + chance.sample(undated, int(plan.undated * len(undated)))
        chance.shuffle(order)
        for start in range(0, len(order), plan.groups):
            loss = step(model, order[start : start + plan.groups], plan, chance)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(float(loss.detach()))
        print(f"  epoch {epoch}: loss {np.mean(losses):.4f}, {time.perf_counter() - started:.0f} s", flush=True)
    return model


def drawn(group: Group, plan: Plan, chance: random.Random) -> list[int]:
    """Right passages, and wrong ones: mostly hard, since they come in the order of the first stage."""
    right = [n for n, concerns in enumerate(group.concerns) if concerns]
    right = chance.sample(right, min(4, len(right)))
    wrong = [n for n, concerns in enumerate(group.concerns) if not concerns]
    room = plan.passages - len(right)
    hard = chance.sample(wrong[: plan.hardest], min(len(wrong[: plan.hardest]), room * 3 // 4))
    others = [n for n in wrong if n not in hard]
    return right + hard + chance.sample(others, min(len(others), room - len(hard)))


def step(model: Reader, groups: Sequence[Group], plan: Plan, chance: random.Random) -> torch.Tensor:
    pairs, passage, owner, answers, concerns, weights = [], [], [], [], [], []
    for number, group in enumerate(groups):
        for n in drawn(group, plan, chance):
            pairs += group.pieces[n]
            passage += [len(owner)] * len(group.pieces[n])
            owner.append(number)
            answers.append(float(group.answers[n]))
            concerns.append(float(group.concerns[n]))
            weights.append(1.0 if group.dated else plan.undated)
    device = model.words.device
    model.train()
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        of_pieces = model(pairs)
    rows = torch.tensor(passage, device=device)[:, None].expand(-1, OUTPUTS)
    best = torch.full((len(owner), OUTPUTS), -30.0, device=device).scatter_reduce(0, rows, of_pieces.float(), "amax")
    truth, other, weight = (torch.tensor(each, device=device) for each in (answers, concerns, weights))
    each = F.binary_cross_entropy_with_logits(best[:, 0], truth, reduction="none")
    each = each + 0.5 * F.binary_cross_entropy_with_logits(best[:, 1], other, reduction="none")
    return 2 * (each * weight).mean() + plan.listwise * _listwise(best[:, 0], truth, torch.tensor(owner, device=device))


def _listwise(log_odds: torch.Tensor, truth: torch.Tensor, owner: torch.Tensor) -> torch.Tensor:
    """How much of a group's weight its right passages have; groups without a right one say nothing."""
    member = owner[None] == torch.arange(int(owner.max()) + 1, device=owner.device)[:, None]
    whole = torch.where(member, log_odds[None], -1e4).logsumexp(dim=1)
    right = torch.where(member & (truth[None] > 0), log_odds[None], -1e4).logsumexp(dim=1)
    known = (member & (truth[None] > 0)).any(dim=1)
    return ((whole - right) * known).sum() / known.sum().clamp(min=1)


def measured(model: Reader, groups: Sequence[Group]) -> str:
    """How often a right passage has the highest log-odds, and the AUROC of the best between groups with and without."""
    rows = model.read([pair for group in groups for pieces in group.pieces for pair in pieces])[:, 0]
    at, first, known, unknown = 0, [], [], []
    for group in groups:
        values = []
        for pieces in group.pieces:
            values.append(float(rows[at : at + len(pieces)].max()))
            at += len(pieces)
        (known if any(group.answers) else unknown).append(max(values))
        if any(group.answers):
            first.append(group.answers[int(np.argmax(values))])
    above = np.mean(np.array(known)[:, None] > np.array(unknown)[None]) if unknown else float("nan")
    return f"first {np.mean(first):.3f}, AUROC {above:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", type=Path)
    parser.add_argument("--pack", type=Path, help="granite's file; default: the installed one")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--epochs", type=int, default=Plan().epochs)
    parser.add_argument("--measure", type=Path, nargs="*", default=[], help="groups that are not trained on")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Reader(chosen.pack, drop=Plan().drop).to(device)
    groups = load(chosen.groups, model)
    tests = {path.name: load(path, model) for path in chosen.measure}
    print(f"{len(groups):,} groups, {sum(map(len, (g.pieces for g in groups))):,} passages", flush=True)
    trained: list[dict[str, np.ndarray]] = []
    for seed in chosen.seeds:
        torch.manual_seed(seed)
        model = train(groups, Reader(chosen.pack, drop=Plan().drop).to(device), Plan(seed=seed, epochs=chosen.epochs))
        trained.append(model.exported())
        _report(f"seed {seed}", model, tests)
        mean = {name: np.mean([each[name].astype(np.float32) for each in trained], axis=0) for name in trained[0]}
        if len(trained) > 1:
            with torch.no_grad():
                for name, value in mean.items():
                    model.weights[name].copy_(torch.from_numpy(value))
            _report(f"mean of {len(trained)}", model, tests)
        np.savez(chosen.out.with_suffix(f".{seed}.npz"), **trained[-1])
        np.savez(chosen.out, **{name: value.astype(np.float16) for name, value in mean.items()})


def _report(name: str, model: Reader, tests: dict[str, list[Group]]) -> None:
    print(name, "; ".join(f"{test}: {measured(model, groups)}" for test, groups in tests.items()), flush=True)


if __name__ == "__main__":
    main()
