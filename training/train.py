"""Trains the adapters of `recollect-30m`.

    python training/train.py --data training/data --untranslated --seeds 0 1 2 3 4 5 --out recollect-30m.npz
    python training/train.py --data training/data --seeds 0 1 2 3 4 5 --out recollect-30m-chinese.npz

Trains once per seed and keeps the mean of the corrections. One GPU takes about a minute a seed; without one it runs on
the CPU (hours).
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

from examples import (  # noqa: E402
    Example,
    Examples,
    authored,
    batches,
    joined,
    knots,
    lives,
    longmemeval,
    share,
    shown_as,
    with_typo,
    without,
)
from lexical import Lexical  # noqa: E402
from model import Granite  # noqa: E402


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    rank: int = 8
    temperature: float = 0.02
    epochs: int = 4
    batch: int = 128
    negatives: int = 7
    mined: int = 3
    """Of the negatives, those taken from all passages rather than from the same memory."""
    rate: float = 1.5e-3
    keep: float = 1.0
    """Weight of staying near stock granite."""
    words: float = 0.0
    """What the best BM25 score is worth as cosine in half of the batches: recall adds both up, so the vector should
    learn what the words do not know."""
    context: float = 0.25
    """Share of batches whose passages come with the one before them."""
    marks: float = 0.15
    """Share of batches whose passages say who speaks."""
    every: bool = True
    """All evidence counts as right in one loss, rather than one piece of it drawn each time."""
    seed: int = 0


def train(data: Examples, plan: Plan, pack: Path | None = None, log: object = sys.stderr) -> Granite:
    if len(data.examples) < plan.batch:
        raise SystemExit(
            f"{len(data.examples)} questions are fewer than a batch of {plan.batch}: take a larger --share"
        )
    torch.manual_seed(plan.seed)
    order = random.Random(plan.seed)
    model = Granite(pack, rank=plan.rank, seed=plan.seed).to("cuda" if torch.cuda.is_available() else "cpu")
    words = Lexical(data) if plan.words else None
    steps = plan.epochs * (len(data.examples) // plan.batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=plan.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=plan.rate, total_steps=steps + 1)
    for epoch in range(plan.epochs):
        started, total, count = time.perf_counter(), 0.0, 0
        if epoch % 2 == 0:
            hard = mine(model, data)
        for batch in batches(data.examples, plan.batch, order):
            loss = step(model, data, batch, hard, plan, order, words)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total, count = total + float(loss.detach()), count + 1
        print(f"epoch {epoch}: loss {total / count:.4f}, {time.perf_counter() - started:.0f} s", file=log, flush=True)
    return model


def averaged(adapters: Sequence[dict[str, np.ndarray]], rank: int) -> dict[str, np.ndarray]:
    """The mean of several adapters' corrections, as two factors of that rank."""
    found = {}
    for name in (key.removesuffix(".up") for key in adapters[0] if key.endswith(".up")):
        parts = [a[f"{name}.up"].astype(np.float32) @ a[f"{name}.down"].astype(np.float32) for a in adapters]
        left, sizes, right = np.linalg.svd(np.mean(parts, axis=0), full_matrices=False)
        root = np.sqrt(sizes[:rank])
        found[f"{name}.up"] = (left[:, :rank] * root).astype(np.float16)
        found[f"{name}.down"] = (root[:, None] * right[:rank]).astype(np.float16)
    return found


def mine(model: Granite, data: Examples, depth: int = 40) -> dict[str, list[int]]:
    """For each question what the present model takes for its answer: hard negatives."""
    device = model.get_buffer("pos_emb").device
    with torch.autocast(device.type, torch.bfloat16):
        passages = torch.from_numpy(model.embed(data.passages)).to(device).float()
        questions = torch.from_numpy(model.embed([e.question for e in data.examples])).to(device).float()
    found: dict[str, list[int]] = {}
    for start in range(0, len(data.examples), 1024):
        nearest = (questions[start : start + 1024] @ passages.T).topk(min(depth, len(passages)), dim=1)[1].tolist()
        for example, near in zip(data.examples[start : start + 1024], nearest, strict=True):
            found[example.question] = [n for n in near if n not in example.evidence and n not in example.aside]
    return found


def step(
    model: Granite,
    data: Examples,
    batch: Sequence[Example],
    hard: dict[str, list[int]],
    plan: Plan,
    order: random.Random,
    words: Lexical | None,
) -> torch.Tensor:
    chosen = [order.choice(example.evidence) for example in batch]
    against = [_negatives(example, hard[example.question], plan, order) for example in batch]
    shown = list(dict.fromkeys([*chosen, *(n for listed in against for n in listed)]))
    texts = shown_as(data, shown, context=order.random() < plan.context, marks=order.random() < plan.marks)
    device = model.get_buffer("pos_emb").device
    with torch.autocast(device.type, torch.bfloat16):
        model.merge(torch.bfloat16 if device.type == "cuda" else torch.float32)
        questions = model.vectors([with_typo(example.question, order) for example in batch])
        passages = model.vectors(texts)
    similar = questions @ passages.T
    if words is not None and order.random() < 0.5:
        similar = similar + plan.words * torch.from_numpy(words.scores(batch, shown)).to(device)
    loss = _contrast(similar / plan.temperature, batch, chosen, shown, plan.every)
    return loss + plan.keep * _drift(model, texts, passages) if plan.keep else loss


def _contrast(
    logits: torch.Tensor, batch: Sequence[Example], chosen: Sequence[int], shown: Sequence[int], every: bool
) -> torch.Tensor:
    column = {n: at for at, n in enumerate(shown)}
    right = torch.zeros_like(logits, dtype=torch.bool)
    aside = torch.zeros_like(right)  # other evidence is not wrong
    for row, (example, drawn) in enumerate(zip(batch, chosen, strict=True)):
        right[row, column[drawn]] = True
        for other in example.evidence:
            if other != drawn and other in column:
                (right if every else aside)[row, column[other]] = True
    logits = logits.masked_fill(aside, -1e4)
    return (logits.logsumexp(dim=1) - logits.masked_fill(~right, -1e4).logsumexp(dim=1)).mean()


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
    few = slice(0, 64)
    model.adapted = False
    device = model.get_buffer("pos_emb").device
    with torch.no_grad(), torch.autocast(device.type, torch.bfloat16):
        stock = model.vectors(texts[few])
    model.adapted = True
    return (1 - (adapted[few] * stock).sum(dim=1)).mean()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="folders of .jsonl files")
    parser.add_argument("--lives", type=Path, help="a folder of lives")
    parser.add_argument("--knots", type=Path, help="a folder of knots")
    parser.add_argument("--measure", type=Path, nargs="*", default=[], help="lives that are not trained on")
    parser.add_argument("--longmemeval", type=Path, help="LongMemEval's file, to train on its questions too")
    parser.add_argument("--out", type=Path, required=True, help="the adapter, as .npz")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--rank", type=int, default=16, help="of what is shipped")
    parser.add_argument("--epochs", type=int, default=Plan.epochs)
    parser.add_argument("--without", nargs="+", default=[], help="styles to leave out, and to measure at the end")
    parser.add_argument("--share", type=float, default=1.0, help="of the written data, drawn by each seed")
    parser.add_argument("--fold", type=int, nargs=2, metavar=("K", "N"), help="leave out each Nth LongMemEval question")
    parser.add_argument("--times", type=int, default=1, help="how often a LongMemEval question comes in an epoch")
    parser.add_argument("--untranslated", action="store_true", help="leave the translations of Chinese memories aside")
    chosen = parser.parse_args(arguments)
    written = authored(chosen.data, translated=not chosen.untranslated)
    extra = [longmemeval(chosen.longmemeval, chosen.fold, chosen.times)] if chosen.longmemeval else []
    extra += [lives(chosen.lives.glob("*.json"))] if chosen.lives else []
    extra += [knots(chosen.knots.glob("*.jsonl"))] if chosen.knots else []
    made = []
    for seed in chosen.seeds:
        part = share(without(written, chosen.without), chosen.share, seed)
        data = joined([part, *extra])
        print(f"{len(data.examples):,} questions, {len(data.passages):,} passages", file=sys.stderr)
        model = train(data, Plan(seed=seed, epochs=chosen.epochs))
        made.append(model.adapter())
        np.savez(chosen.out, **averaged(made, chosen.rank))
        if chosen.measure:
            print(f"seed {seed}, {found_in_lives(model, chosen.measure)}", flush=True)
        for style in chosen.without:
            print(f"seed {seed}, unseen {style}: {found(model, written, style)}", flush=True)


def found_in_lives(model: Granite, files: Sequence[Path]) -> str:
    """How often the vector alone puts evidence among the first of a life's messages."""
    ranks = []
    for path in files:
        data = lives([path])
        passages = model.embed(data.passages).astype(np.float32)
        questions = model.embed([example.question for example in data.examples]).astype(np.float32)
        for example, cosines in zip(data.examples, questions @ passages.T, strict=True):
            ranks.append(1 + int((cosines > cosines[list(example.evidence)].max()).sum()))
    shares = ", ".join(f"{n}: {sum(rank <= n for rank in ranks) / len(ranks):.3f}" for n in (1, 5, 20))
    return f"{len(ranks)} questions about lives, evidence among the first {shares}"


def found(model: Granite, data: Examples, style: str) -> str:
    """How often the vector alone puts evidence first, and among the first five, of all passages."""
    asked = [example for example in data.examples if example.style == style]
    passages = model.embed(data.passages).astype(np.float32)
    questions = model.embed([example.question for example in asked]).astype(np.float32)
    ranks = []
    for example, cosines in zip(asked, questions @ passages.T, strict=True):
        ranks.append(1 + int((cosines > cosines[list(example.evidence)].max()).sum()))
    first, five = (sum(rank <= n for rank in ranks) / len(ranks) for n in (1, 5))
    return f"Hit@1 {first:.3f}, Hit@5 {five:.3f}, MRR {sum(1 / rank for rank in ranks) / len(ranks):.3f}"


if __name__ == "__main__":
    main()
