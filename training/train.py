"""Trains the adapter of `recollect-30m`.

    python training/train.py --data training/data --longmemeval longmemeval_s.json.gz --out adapter.npz

One GPU takes about a minute; without one it runs on the CPU (hours). Seeds are fixed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parent))

from examples import Example, Examples, authored, batches, joined, longmemeval, with_typo  # noqa: E402
from model import Granite  # noqa: E402


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    rank: int = 16
    temperature: float = 0.05
    epochs: int = 6
    batch: int = 32
    negatives: int = 7
    mined: int = 3
    """Of the negatives, those taken from all passages rather than from the same memory."""
    rate: float = 1e-3
    keep: float = 0.5
    """Weight of staying near stock granite."""
    seed: int = 0


def train(data: Examples, plan: Plan, pack: Path | None = None, log: object = sys.stderr) -> Granite:
    torch.manual_seed(plan.seed)
    order = random.Random(plan.seed)
    model = Granite(pack, rank=plan.rank, seed=plan.seed).to("cuda" if torch.cuda.is_available() else "cpu")
    steps = plan.epochs * (len(data.examples) // plan.batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=plan.rate, total_steps=steps + 1)
    for epoch in range(plan.epochs):
        started, total, count = time.perf_counter(), 0.0, 0
        hard = mine(model, data)
        for batch in batches(data.examples, plan.batch, order):
            loss = step(model, data, batch, hard, plan, order)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total, count = total + float(loss.detach()), count + 1
        print(f"epoch {epoch}: loss {total / count:.4f}, {time.perf_counter() - started:.0f} s", file=log, flush=True)
    return model


def mine(model: Granite, data: Examples, depth: int = 40) -> dict[str, list[int]]:
    """For each question what the present model takes for its answer: hard negatives."""
    with torch.autocast(model.get_buffer("pos_emb").device.type, torch.bfloat16):
        passages = torch.from_numpy(model.embed(data.passages))
        questions = torch.from_numpy(model.embed([e.question for e in data.examples]))
    device = model.get_buffer("pos_emb").device
    passages, questions = passages.to(device).float(), questions.to(device).float()
    found: dict[str, list[int]] = {}
    for start in range(0, len(data.examples), 1024):
        nearest = (questions[start : start + 1024] @ passages.T).topk(min(depth, len(passages)), dim=1)[1].tolist()
        for example, near in zip(data.examples[start : start + 1024], nearest, strict=True):
            found[example.question] = [n for n in near if n not in example.evidence]
    return found


def step(
    model: Granite,
    data: Examples,
    batch: Sequence[Example],
    hard: dict[str, list[int]],
    plan: Plan,
    order: random.Random,
) -> torch.Tensor:
    chosen = [order.choice(example.evidence) for example in batch]
    against = [_negatives(example, hard[example.question], plan, order) for example in batch]
    shown = list(dict.fromkeys([*chosen, *(n for listed in against for n in listed)]))
    texts = [data.passages[n] for n in shown]
    device = model.get_buffer("pos_emb").device
    with torch.autocast(device.type, torch.bfloat16):
        questions = model.vectors([with_typo(example.question, order) for example in batch])
        passages = model.vectors(texts)
    logits = questions @ passages.T / plan.temperature
    column = {n: at for at, n in enumerate(shown)}
    target = torch.tensor([column[n] for n in chosen], device=device)
    for row, (example, right) in enumerate(zip(batch, chosen, strict=True)):
        for other in example.evidence:  # other evidence is not wrong
            if other != right and other in column:
                logits[row, column[other]] = -1e4
    loss = torch.nn.functional.cross_entropy(logits, target)
    return loss + plan.keep * _drift(model, texts, passages) if plan.keep else loss


def _negatives(example: Example, hard: Sequence[int], plan: Plan, order: random.Random) -> list[int]:
    """The hardest of the same memory and of all passages, with some chance for the less hard."""
    inside = set(example.beside)
    near = [n for n in hard if n in inside][: 2 * plan.negatives]
    beside = near + order.sample(example.beside, min(len(example.beside), plan.negatives))
    own = list(dict.fromkeys(order.sample(near, min(len(near), plan.negatives - plan.mined)) + beside))
    far = [n for n in hard if n not in inside][:20]
    return own[: plan.negatives - plan.mined] + order.sample(far, min(len(far), plan.mined))


def _drift(model: Granite, texts: Sequence[str], adapted: torch.Tensor) -> torch.Tensor:
    """How far a few passages moved from where stock granite has them."""
    few = slice(0, 32)
    model.adapted = False
    with torch.no_grad():
        stock = model.vectors(texts[few])
    model.adapted = True
    return (1 - (adapted[few] * stock).sum(dim=1)).mean()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of .jsonl files")
    parser.add_argument("--longmemeval", type=Path, help="LongMemEval's file, to train on its questions too")
    parser.add_argument("--out", type=Path, required=True, help="the adapter, as .npz")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=Plan.epochs)
    chosen = parser.parse_args(arguments)
    parts = [authored(chosen.data)]
    if chosen.longmemeval:
        parts.append(longmemeval(chosen.longmemeval))
    data = joined(parts)
    print(f"{len(data.examples):,} questions, {len(data.passages):,} passages", file=sys.stderr)
    model = train(data, Plan(seed=chosen.seed, epochs=chosen.epochs))
    np.savez(chosen.out, **model.adapter())


if __name__ == "__main__":
    main()
