"""Trains `recollect-reader` on groups that prepare.py made. One H200 takes nine minutes.

    python training/reader/train.py groups.jsonl.gz --seeds 0 1 2 --out trained.npz --measure lives.jsonl.gz

The readings of measured groups are written beside `--out`.

A passage is read in pieces. Its log-odds are those of its best piece, so the model learns which piece answers. The
comparison learns whether the answer is among the passages of a step; from some groups, all that concerns the question
is left out. All seeds continue from a common beginning, or from the weights of an exported reader (`--start`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).parent))

from model import MAX_TOKENS, OUTPUTS, Reader  # noqa: E402

COMPARED = 20
"""How many candidates the recipe reads."""
GROUPS_READ = 16
CURRENT, PAST = ("now",), ("past",)
"""Types of questions that ask for the present state, and for a former one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    common_epochs: int = 2
    epochs: int = 4
    rate: float = 3e-4
    comparison_rate: float = 1e-3
    groups: int = 32
    """Groups a step."""
    passages: int = 18
    """Passages of a group in a step, right ones included."""
    hardest: int = 24
    """Most wrong passages are drawn from these first candidates."""
    without_evidence: float = 0.15
    """The share of groups from which all that concerns the question is left out."""
    undated: float = 0.4
    """Weight of groups without dates; a share of them as large comes in each epoch."""
    intents: float = 0.5
    """Weight of the loss of what a question asks for: the present state, or a former one."""
    pairs: int = 2048
    """Pairs that run together, sorted by length."""


class Pairs:
    """The tokens of all pairs of questions and pieces, on the device."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, str], int] = {}

    def add(self, question: str, pieces: Sequence[str]) -> np.ndarray:
        return np.array([self.known.setdefault((question, piece), len(self.known)) for piece in pieces])

    def freeze(self, model: Reader, device: torch.device) -> None:
        made = model.pairs([question for question, _ in self.known], [piece for _, piece in self.known])
        ids = np.ones((len(made), MAX_TOKENS), np.int32)
        for row, (tokens, _) in enumerate(made):
            ids[row, : len(tokens)] = tokens
        self.lengths = np.array([len(tokens) for tokens, _ in made])
        self.ids = torch.from_numpy(ids).to(device)
        self.start = torch.tensor([start for _, start in made], device=device)
        self.length = torch.from_numpy(self.lengths).to(device)

    def first(self, model: Reader, rows: np.ndarray, together: int) -> torch.Tensor:
        """What the model says of these pairs, in order."""
        order = np.argsort(self.lengths[rows], kind="stable")
        found, device = [], self.ids.device
        for start in range(0, len(rows), together):
            taken = torch.from_numpy(rows[order[start : start + together]]).to(device)
            longest = int(self.lengths[rows[order[start : start + together]]].max())
            with torch.autocast(device.type, torch.bfloat16):
                found.append(model(self.ids[taken, :longest].long(), self.start[taken], self.length[taken]))
        return torch.cat(found)[torch.from_numpy(np.argsort(order)).to(device)]


@dataclass(slots=True)
class Group:
    pieces: list[np.ndarray]
    answers: np.ndarray
    concerns: np.ndarray
    features: np.ndarray
    """Days, log age, ranked, log standing, dated, user, assistant: one row per passage."""
    dated: bool
    alone: np.ndarray
    """The question with an empty text."""
    intents: np.ndarray | None
    """Whether it asks for the present state, and whether for a former one. None if its type does not say."""


def load(path: Path, pairs: Pairs) -> list[Group]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [_group(json.loads(line), pairs) for line in file]


def _group(held: dict[str, Any], pairs: Pairs) -> Group:
    items, dated = held["items"], held["dated"]
    return Group(
        pieces=[pairs.add(held["question"], item["pieces"]) for item in items],
        answers=np.array([item["answers"] for item in items], np.float32),
        concerns=np.array([item["concerns"] for item in items], np.float32),
        features=np.array([_features(item, dated) for item in items], np.float32),
        dated=dated,
        alone=pairs.add(held["question"], [""]),
        intents=np.array([held["type"] in each for each in (CURRENT, PAST)], np.float32) if _is_typed(held) else None,
    )


def _is_typed(held: dict[str, Any]) -> bool:
    return held["dated"] and not held["type"].startswith("absent")


def _features(item: dict[str, Any], dated: bool) -> list[float]:
    days, standing = item.get("days", 0.0), max(item.get("standing", 1.0), 0.05)
    by = item.get("by", "user")
    age = math.log1p(max(days, 0.0)) / 6
    return [days, age, item.get("ranked", 0.0), math.log(standing), dated, by == "user", by == "assistant"]


def drawn(group: Group, plan: Plan, chance: random.Random) -> list[int]:
    """Passages of a group in the order of the first stage: those that concern the question, and mostly hard others."""
    concerning = [n for n, concerns in enumerate(group.concerns) if concerns]
    others = [n for n, concerns in enumerate(group.concerns) if not concerns]
    if len(others) > 4 and chance.random() < plan.without_evidence:
        concerning = []
    concerning = chance.sample(concerning, min(6, len(concerning)))
    room, hard = plan.passages - len(concerning), others[: plan.hardest]
    chosen = chance.sample(hard, min(len(hard), room * 4 // 5))
    rest = [n for n in others[: plan.hardest + 8] if n not in chosen]
    return sorted(concerning + chosen + chance.sample(rest, min(len(rest), room - len(chosen))))


@dataclass(slots=True)
class Said:
    """What the model says of the passages of several groups: (groups, passages) with a mask."""

    log_odds: torch.Tensor
    among: torch.Tensor
    mask: torch.Tensor


def said(model: Reader, pairs: Pairs, groups: Sequence[Group], chosen: Sequence[list[int]], together: int) -> Said:
    device = pairs.ids.device
    pieces = [group.pieces[n] for group, numbers in zip(groups, chosen, strict=True) for n in numbers]
    owner = torch.from_numpy(np.repeat(np.arange(len(pieces)), [len(each) for each in pieces])).to(device)
    first = pairs.first(model, np.concatenate(pieces), together)
    of_pieces = model.log_odds(first)
    rows = owner[:, None].expand(-1, OUTPUTS)
    best = torch.full((len(pieces), OUTPUTS), -30.0, device=device).scatter_reduce(0, rows, of_pieces, "amax")
    places = torch.arange(len(owner), device=device)
    places = torch.where(of_pieces[:, 0] >= best[owner, 0] - 1e-6, places, len(owner))
    of_best = torch.full((len(pieces),), len(owner), device=device).scatter_reduce(0, owner, places, "amin")
    mask = torch.from_numpy(_mask(chosen)).to(device)
    grid = torch.zeros(*mask.shape, first.shape[1], device=device)
    grid[mask] = first[of_best.clamp(max=len(owner) - 1)]
    log_odds = torch.zeros(*mask.shape, OUTPUTS, device=device)
    log_odds[mask] = best
    features = torch.from_numpy(_filled([g.features[n] for g, n in zip(groups, chosen, strict=True)])).to(device)
    return Said(log_odds, model.comparison(grid, _compared(features, mask), log_odds, mask), mask)


def _mask(chosen: Sequence[list[int]]) -> np.ndarray:
    return np.arange(max(map(len, chosen)))[None] < np.array([len(numbers) for numbers in chosen])[:, None]


def _filled(rows: Sequence[np.ndarray]) -> np.ndarray:
    found = np.zeros((len(rows), max(map(len, rows)), *rows[0].shape[1:]), np.float32)
    for number, row in enumerate(rows):
        found[number, : len(row)] = row
    return found


def _compared(features: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The features of readers/recollect_reader.py: with the shares that are newer and older, and the place."""
    days, both, count = features[..., 0], mask[:, None, :] & mask[:, :, None], mask.sum(1)[:, None]
    newer = ((days[:, None, :] < days[:, :, None] - 0.01) & both).sum(2) / count
    older = ((days[:, None, :] > days[:, :, None] + 0.01) & both).sum(2) / count
    place = (torch.arange(mask.shape[1], device=mask.device) / 20)[None].expand_as(newer)
    age, ranked, standing, *who = features[..., 1:].unbind(-1)
    return torch.stack([age, newer, older, ranked, place, standing, *who], -1)


def loss(model: Reader, pairs: Pairs, groups: Sequence[Group], plan: Plan, chance: random.Random) -> torch.Tensor:
    chosen = [drawn(group, plan, chance) for group in groups]
    found, device = said(model, pairs, groups, chosen, plan.pairs), pairs.ids.device
    answers, concerns = (
        torch.from_numpy(_filled([getattr(g, name)[n] for g, n in zip(groups, chosen, strict=True)])).to(device)
        for name in ("answers", "concerns")
    )
    weight = torch.tensor([1.0 if group.dated else plan.undated for group in groups], device=device)
    known, each = answers.amax(1), weight[:, None] * found.mask
    among = F.binary_cross_entropy_with_logits(found.among, known, reduction="none")
    return (
        2 * _entropy(found.log_odds[..., 0], answers, each)
        + _entropy(found.log_odds[..., 1], concerns, each)
        + 0.5 * _listwise(found.log_odds[..., 0], answers, found.mask)
        + (among * weight).sum() / weight.sum()
        + plan.intents * _intents(model, pairs, groups, plan)
    )


def _intents(model: Reader, pairs: Pairs, groups: Sequence[Group], plan: Plan) -> torch.Tensor:
    known = [group for group in groups if group.intents is not None]
    if not known:
        return torch.zeros((), device=pairs.ids.device)
    asked = model.intents(pairs.first(model, np.concatenate([group.alone for group in known]), plan.pairs))
    truth = torch.from_numpy(np.stack([group.intents for group in known])).to(asked.device)
    return F.binary_cross_entropy_with_logits(asked, truth)


def _entropy(log_odds: torch.Tensor, truth: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    each = F.binary_cross_entropy_with_logits(log_odds, truth, reduction="none")
    return (each * weight).sum() / weight.sum()


def _listwise(log_odds: torch.Tensor, truth: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """How much of a group's weight its right passages have; groups without a right one say nothing."""
    whole = log_odds.masked_fill(~mask, -1e4).logsumexp(dim=1)
    right = log_odds.masked_fill(~mask | (truth < 0.5), -1e4).logsumexp(dim=1)
    known = truth.amax(1)
    return ((whole - right) * known).sum() / known.sum().clamp(min=1)


def train(
    model: Reader, pairs: Pairs, groups: Sequence[Group], plan: Plan, seed: int, epochs: int, rate: Callable[..., float]
) -> None:
    torch.manual_seed(seed)
    chance = random.Random(seed)
    dated, undated = [g for g in groups if g.dated], [g for g in groups if not g.dated]
    steps = epochs * (1 + int(len(dated) + plan.undated * len(undated)) // plan.groups)
    own = list(model.comparison.parameters())
    parts = [{"params": model.weights.parameters(), "lr": plan.rate}, {"params": own, "lr": plan.comparison_rate}]
    optimizer = torch.optim.AdamW(parts, weight_decay=0.01, fused=pairs.ids.is_cuda)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rate(step / steps))
    model.train()
    for epoch in range(epochs):
        started, losses = time.perf_counter(), []
        order = dated + chance.sample(undated, int(plan.undated * len(undated)))
        chance.shuffle(order)
        for start in range(0, len(order), plan.groups):
            step = loss(model, pairs, order[start : start + plan.groups], plan, chance)
            optimizer.zero_grad()
            step.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            losses.append(step.detach())
        mean = float(torch.stack(losses).mean())
        print(f"  seed {seed}, epoch {epoch}: loss {mean:.4f}, {time.perf_counter() - started:.0f} s", flush=True)


def start_from(model: Reader, file: Path) -> None:
    """The weights of an exported reader. What int8 rounded off stays lost."""
    held = np.load(file)
    found = {name: held[name].astype(np.float32) for name in held.files}
    for name in [name for name in found if f"{name}.scale" in found]:
        smooth = found.pop(f"{name.removesuffix('.w')}.smooth")
        found[name] *= found.pop(f"{name}.scale")[:, None] / smooth[None]
    model.load_state_dict({_in_torch(name): torch.from_numpy(values) for name, values in found.items()})


def _in_torch(name: str) -> str:
    if name.startswith("compare."):
        return name.replace("compare", "comparison", 1)
    return f"weights.{name.replace('.', '_')}"


@dataclass(slots=True)
class Readings:
    """What the model says of groups: one row of log-odds per passage, one number or row per group."""

    log_odds: list[np.ndarray]
    among: list[float]
    intents: list[np.ndarray]

    def save(self, path: Path) -> None:
        counts = [len(rows) for rows in self.log_odds]
        np.savez(
            path,
            log_odds=np.concatenate(self.log_odds),
            counts=counts,
            among=self.among,
            intents=np.stack(self.intents),
        )


@torch.no_grad()
def readings(model: Reader, pairs: Pairs, groups: Sequence[Group], together: int) -> Readings:
    """All passages are read; the first ones are compared."""
    model.eval()
    found = Readings([], [], [])
    for start in range(0, len(groups), GROUPS_READ):
        batch = groups[start : start + GROUPS_READ]
        every = [list(range(len(group.pieces))) for group in batch]
        rows = said(model, pairs, batch, every, together).log_odds.float().cpu().numpy()
        found.log_odds += [row[: len(numbers)] for row, numbers in zip(rows, every, strict=True)]
        found.among += said(model, pairs, batch, [numbers[:COMPARED] for numbers in every], together).among.tolist()
        alone = np.concatenate([group.alone for group in batch])
        found.intents += list(model.intents(pairs.first(model, alone, together)).float().cpu().numpy())
    return found


def measured(found: Readings, groups: Sequence[Group]) -> str:
    """How often a right passage has the highest log-odds, and the AUROC of the comparison."""
    first, known, unknown = [], [], []
    for group, log_odds, among in zip(groups, found.log_odds, found.among, strict=True):
        there = bool(group.answers.any())
        (known if there else unknown).append(among)
        if there:
            first.append(float(group.answers[int(log_odds[:COMPARED, 0].argmax())]))
    above = np.mean(np.array(known)[:, None] > np.array(unknown)[None]) if unknown else float("nan")
    return f"first {np.mean(first):.3f}, AUROC {above:.3f}"


def main() -> None:
    usual = Plan()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", type=Path)
    parser.add_argument("--pack", type=Path, help="granite's file; default: the installed one")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument(
        "--measure",
        type=Path,
        nargs="*",
        default=[],
        help="groups that are not trained on; their readings are written beside --out",
    )
    parser.add_argument("--start", type=Path, help="continue from this exported reader")
    parser.add_argument("--epochs", type=int, default=usual.epochs)
    parser.add_argument("--rate", type=float, default=usual.rate)
    parser.add_argument("--passages", type=int, default=usual.passages, help="passages of a group in a step")
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    plan = Plan(
        epochs=chosen.epochs,
        rate=chosen.rate,
        comparison_rate=usual.comparison_rate * chosen.rate / usual.rate,
        passages=chosen.passages,
        common_epochs=0 if chosen.start else usual.common_epochs,
    )
    device, pairs = torch.device("cuda" if torch.cuda.is_available() else "cpu"), Pairs()
    groups = load(chosen.groups, pairs)
    tests = {path.name: load(path, pairs) for path in chosen.measure}
    torch.manual_seed(1234)
    model = Reader(chosen.pack)
    if chosen.start:
        start_from(model, chosen.start)
    pairs.freeze(model, device)
    model = model.to(device)
    print(f"{len(groups):,} groups, {len(pairs.lengths):,} pairs", flush=True)
    if plan.common_epochs:
        train(model, pairs, groups, plan, 100, plan.common_epochs, lambda done: min(1.0, done * 5))
    common = {name: value.clone() for name, value in model.state_dict().items()}
    for seed in chosen.seeds:
        model.load_state_dict(common)
        train(model, pairs, groups, plan, seed, plan.epochs, lambda done: 0.5 * (1 + math.cos(math.pi * done)))
        np.savez(chosen.out.with_suffix(f".{seed}.npz"), **model.exported())
        for name, test in tests.items():
            found = readings(model, pairs, test, plan.pairs)
            found.save(chosen.out.with_name(f"{name}.{seed}.npz"))
            print(f"seed {seed}, {name}: {measured(found, test)}", flush=True)


if __name__ == "__main__":
    main()
