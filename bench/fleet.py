"""How many servers a million tenants need: a simulation from measured costs, checked against three real servers.

    python bench/fleet.py                 measures (a few minutes), then simulates
    python bench/fleet.py --json          the same as JSON
    python bench/fleet.py --costs FILE    simulates with the costs of an earlier run's JSON
    python bench/fleet.py --embedder recollect-30m    measures with the vectors of an embedder

The measurement starts three PostgreSQL servers and spreads a store over them. It compares a recall of a tenant on the
second or third server with a recall on one server, question by question in turn, in time and in processor time. Then it
fits the processor time of a call to the size of its tenant, and checks the fit on a skewed load that it has not seen.
Measuring needs Linux, which tells the processor time of the servers.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from postgres_server import Server, running_with_fdw

from recollect import Recollect
from recollect.ids import digest, new_id
from recollect.store.postgres.partitions.apply import apply
from recollect.store.postgres.partitions.layout import HERE, part_of, parts
from recollect.store.values import Batch, Embedded, Put
from recollect.types import Memory
from recollect.write.build.words import document

SIZES = (100, 500, 2_000)
SETTINGS = {"fsync": "off", "shared_buffers": "128MB", "max_wal_size": "1GB"}
WORDS, PAGE = 2_000, 1_000


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """What the simulation takes for granted. Every one is an option."""

    tenants: int = 1_000_000
    median_size: float = 200.0
    """Memories of a tenant. The sizes are lognormal."""
    size_sigma: float = 1.6
    largest: int = 2_000_000
    recalls_per_day: float = 20.0
    """Per tenant, on average."""
    traffic_exponent: float = 0.7
    """The traffic of a tenant grows with size ** exponent, times a lognormal factor."""
    traffic_sigma: float = 1.0
    writes_per_recall: float = 0.3
    peak: float = 4.0
    """The busiest hour against the mean."""
    cores: int = 16
    busy: float = 0.6
    """The share of the cores that may be busy at the peak."""
    disk_gb: float = 2_000.0
    price_per_hour: float = 1.0
    """Of one server, in any currency."""
    copies: int = 2
    """A primary and its replica. Recalls are not spread over them here."""
    buckets: int = 256
    seed: int = 1


@dataclass(frozen=True, kw_only=True)
class Costs:
    """Processor seconds of the servers per call, and bytes per memory."""

    recall: tuple[float, float]
    """a + b * memories of the tenant."""
    remember: tuple[float, float]
    turn: float
    """Seconds that a remember takes. Those of one store take turns."""
    bytes_per_memory: float
    caller: float = 0.0
    """Processor seconds of the calling program, per recall without the reader."""
    ratios: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Recipe → a recall of a tenant on another server against one server: time (the median of the pairs), and
    processor time of servers and caller together."""
    error: float = 0.0
    """Of the predicted processor seconds of the check, against the measured ones."""
    details: dict[str, Any] | None = None


# Measuring ----------------------------------------------------------------------------------------


def measured(embedder: str) -> Costs:
    chosen = random.Random(5)
    words = sorted({"".join(chosen.choices("ta re lin mo der ca sti por n".split(), k=3)) for _ in range(WORDS)})
    with ExitStack() as stack:
        servers = [stack.enter_context(running_with_fdw(**SETTINGS)) for _ in range(3)]
        spread, whole = servers[0].database(), servers[0].database()
        Recollect(spread, embedder=embedder).close()
        apply(spread, buckets=6, servers={"east": servers[1].database(), "west": servers[2].database()})
        minds = {
            name: stack.enter_context(Recollect(url, embedder=embedder))
            for name, url in (("three", spread), ("one", whole))
        }
        tenants = _tenants(minds["three"])
        sizes = {tenant: SIZES[n % len(SIZES)] for n, tenant in enumerate(tenants)}
        for tenant, size in sizes.items():
            rows = _puts(chosen, words, tenant, size, minds["one"])
            for mind in minds.values():
                for start in range(0, size, PAGE):
                    mind.store.write(Batch(puts=rows[start : start + PAGE]))
        for server, url in ((servers[0], spread), (servers[0], whole)):
            server.execute("ANALYZE", url.rpartition("/")[2])
        for server in servers[1:]:
            server.execute("ANALYZE", "memory_1")
        return _Measured(chosen, words, servers, minds, sizes).costs()


def _tenants(mind: Recollect) -> list[str]:
    """Three tenants on each server, one of each size."""
    found: dict[str, list[str]] = {}
    with mind.store._db.read() as db:  # type: ignore[attr-defined]
        held = parts(db)
        for n in range(60):
            found.setdefault(part_of(db, held, f"t{n}").server, []).append(f"t{n}")
    return [tenant for each in found.values() for tenant in each[: len(SIZES)]]


def _text(chosen: random.Random, words: Sequence[str], count: int) -> str:
    return " ".join(chosen.choices(words, k=count))


def _puts(chosen: random.Random, words: Sequence[str], tenant: str, count: int, mind: Recollect) -> list[Put]:
    now = datetime.now(UTC)
    texts = [_text(chosen, words, 12) for _ in range(count)]
    made = []
    for text, vector in zip(texts, mind.embedder.embed(texts), strict=True):
        memory = Memory(id=new_id(), text=text, namespace=tenant, created_at=now, valid_from=now)
        views = {"full": Embedded(hash=digest(text), vector=vector)}
        made.append(Put(memory=memory, document=document(memory), digest=digest(text), vectors=views))
    return made


FAST, SHIPPED = "default-fast", "default"
"""Without and with the reader, which is a model in the caller's process and takes longer than the servers."""


@dataclass(frozen=True, kw_only=True)
class _Call:
    size: int
    wall: float
    servers: float
    """Processor seconds of all servers."""
    caller: float


@dataclass(frozen=True)
class _Measured:
    chosen: random.Random
    words: Sequence[str]
    servers: Sequence[Server]
    minds: dict[str, Recollect]
    sizes: dict[str, int]

    def costs(self) -> Costs:
        at = self._places()
        far = [tenant for tenant in self.sizes if at[tenant] != HERE]
        pairs, shipped = self._pairs(far, FAST, 12), self._pairs(far, SHIPPED, 4)
        recall = _fit([three for three, _ in pairs])
        writes = [self._written(tenant) for turn in range(4) for tenant in self.sizes][len(self.sizes) :]
        remember = _fit(writes)
        predicted, taken = self._check(at, recall, remember)
        stats = self.minds["one"].stats()
        three, one = ([pair[n] for pair in pairs] for n in (0, 1))
        return Costs(
            recall=recall,
            remember=remember,
            turn=statistics.median(call.wall for call in writes),
            bytes_per_memory=stats.bytes / stats.memories,
            caller=statistics.mean(call.caller for call in three),
            ratios={FAST: _ratios(pairs), SHIPPED: _ratios(shipped)},
            error=sum(predicted.values()) / sum(taken.values()) - 1,
            details={
                "recalls": {size: {"three": _medians(three, size), "one": _medians(one, size)} for size in SIZES},
                "check": {
                    server: {"predicted_s": round(predicted[server], 3), "measured_s": round(taken[server], 3)}
                    for server in sorted(taken)
                },
            },
        )

    def _pairs(self, tenants: Sequence[str], recipe: str, turns: int) -> list[tuple[_Call, _Call]]:
        """The same questions on three servers and on one. The first ones plan and connect, and are left out."""
        found = []
        for turn in range(turns):
            for tenant in tenants:
                question = _text(self.chosen, self.words, 4)
                three, one = (self._asked(name, recipe, question, tenant) for name in ("three", "one"))
                if turn >= 2:
                    found.append((three, one))
        return found

    def _asked(self, name: str, recipe: str, question: str, tenant: str) -> _Call:
        return self._timed(partial(self.minds[name].recall, recipe=recipe), question, tenant)

    def _written(self, tenant: str) -> _Call:
        return self._timed(self.minds["three"].remember, _text(self.chosen, self.words, 12), tenant)

    def _timed(self, call: Callable[..., object], text: str, tenant: str) -> _Call:
        before, own, start = _processor_seconds(self.servers), time.process_time(), time.perf_counter()
        call(text, namespace=tenant)
        wall, caller = time.perf_counter() - start, time.process_time() - own
        taken = _processor_seconds(self.servers) - before
        return _Call(size=self.sizes[tenant], wall=wall, servers=taken, caller=caller)

    def _places(self) -> dict[str, str]:
        with self.minds["three"].store._db.read() as db:  # type: ignore[attr-defined]
            held = parts(db)
            return {tenant: part_of(db, held, tenant).server for tenant in self.sizes}

    def _check(
        self, at: dict[str, str], recall: tuple[float, float], remember: tuple[float, float]
    ) -> tuple[dict[str, float], dict[str, float]]:
        """A skewed load that the fit has not seen: predicted and measured processor seconds by server."""
        predicted = dict.fromkeys(sorted(set(at.values())), 0.0)
        taken = dict(predicted)
        weights = [1 / (n + 1) for n in range(len(self.sizes))]
        for tenant in self.chosen.choices(list(self.sizes), weights, k=150):
            if self.chosen.random() < 0.2:
                (a, b), call = remember, self._written(tenant)
            else:
                question = _text(self.chosen, self.words, 4)
                (a, b), call = recall, self._asked("three", FAST, question, tenant)
            taken[at[tenant]] += call.servers
            predicted[at[tenant]] += a + b * self.sizes[tenant]
        return predicted, taken


def _ratios(pairs: Sequence[tuple[_Call, _Call]]) -> tuple[float, float]:
    three, one = (sum(pair[n].servers + pair[n].caller for pair in pairs) for n in (0, 1))
    return statistics.median(a.wall / b.wall for a, b in pairs), three / one


def _processor_seconds(servers: Sequence[Server]) -> float:
    """What all processes of these servers have taken."""
    first = [str(server.pid) for server in servers]
    children = [pid for parent in first for pid in _words(f"/proc/{parent}/task/{parent}/children")]
    return sum(int(_words(f"/proc/{pid}/schedstat")[0]) for pid in [*first, *children]) / 1e9


def _words(path: str) -> list[str]:
    try:
        return Path(path).read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return ["0"]


def _medians(calls: Sequence[_Call], size: int) -> dict[str, float]:
    some = [call for call in calls if call.size == size]
    return {
        "ms": round(statistics.median(call.wall for call in some) * 1000, 2),
        "processor_ms": round(statistics.mean(call.servers + call.caller for call in some) * 1000, 2),
    }


def _fit(calls: Sequence[_Call]) -> tuple[float, float]:
    """a + b * size through the mean processor time of each size."""
    sizes = sorted({call.size for call in calls})
    means = [statistics.mean(call.servers for call in calls if call.size == size) for size in sizes]
    slope, level = np.polyfit(sizes, means, 1)
    return max(float(level), 1e-4), max(float(slope), 0.0)


# Simulating ---------------------------------------------------------------------------------------


def simulate(costs: Costs, given: Assumptions) -> dict[str, Any]:
    chosen = np.random.default_rng(given.seed)
    sizes = np.minimum(given.median_size * chosen.lognormal(0, given.size_sigma, given.tenants), given.largest)
    traffic = sizes**given.traffic_exponent * chosen.lognormal(0, given.traffic_sigma, given.tenants)
    recalls = traffic / traffic.sum() * given.tenants * given.recalls_per_day
    # an index makes the cost of a large tenant level off: EXACT_UP_TO memories are compared at most
    counted = np.minimum(sizes, 4_096)
    read = recalls * (costs.recall[0] + costs.recall[1] * counted)
    writes = recalls * given.writes_per_recall
    written = writes * (costs.remember[0] + costs.remember[1] * counted)
    load = (read + written) / 86_400 * given.peak  # cores that are busy in the busiest hour
    disk = sizes * costs.bytes_per_memory / 1e9
    by_cpu = load.sum() / (given.cores * given.busy)
    by_disk = disk.sum() / given.disk_gb
    count = max(1, int(np.ceil(max(by_cpu, by_disk))))
    # all writes of one store take turns: a store can't have more of them than fit one after the other
    stores = max(1, int(np.ceil(writes.sum() * costs.turn / 86_400 * given.peak / given.busy)))
    placed = _placed(load, given, count, chosen)
    daily = recalls.sum()
    largest = np.sort(load)[::-1]
    return {
        "memories": float(sizes.sum()),
        "largest_tenant": float(sizes.max()),
        "recalls_per_second_at_peak": float(daily / 86_400 * given.peak),
        "writes_per_second_at_peak": float(writes.sum() / 86_400 * given.peak),
        "busy_cores_at_peak": float(load.sum()),
        "busy_cores_of_the_programs_at_peak": float(daily * costs.caller / 86_400 * given.peak),
        "disk_tb": float(disk.sum() / 1000),
        "servers_for_cpu": float(by_cpu),
        "servers_for_disk": float(by_disk),
        "servers": count,
        "servers_with_copies": count * given.copies,
        "stores_for_writes": stores,
        "hot_spots": placed
        | {
            "top_1_percent_of_tenants": float(largest[: max(1, given.tenants // 100)].sum() / load.sum()),
            "busiest_tenant_cores": float(largest[0]),
            "tenants_above_half_a_core": int((load > 0.5).sum()),
        },
        "cost_per_million_recalls": count * given.copies * given.price_per_hour * 24 / daily * 1e6,
    }


def _placed(load: Any, given: Assumptions, count: int, chosen: np.random.Generator) -> dict[str, float]:  # noqa: ANN401
    """How unevenly the hash spreads the load over buckets, and these over servers."""
    buckets = np.bincount(chosen.integers(0, given.buckets, given.tenants), load, given.buckets)
    round_robin = np.bincount(np.arange(given.buckets) % count, buckets, count)
    greedy = np.zeros(count)
    for each in np.sort(buckets)[::-1]:
        greedy[greedy.argmin()] += each
    mean = buckets.sum() / count
    return {
        "fullest_bucket": float(buckets.max() / buckets.mean()),
        "busiest_server": float(round_robin.max() / mean),
        "busiest_server_after_moves": float(greedy.max() / mean),
    }


def show(costs: Costs, given: Assumptions, found: dict[str, Any]) -> None:
    print("Measured on this machine")
    for size, each in ((costs.details or {}).get("recalls") or {}).items():
        for name, taken in each.items():
            said = f"{taken['ms']} ms (p50), {taken['processor_ms']} ms of processors (mean)"
            print(f"  recall, {int(size):>6,} memories, {name}: {said}")
    for recipe, (wall, processors) in costs.ratios.items():
        print(f"  {recipe}: another server against one: time {wall:.2f} (bar: 1.5), processor time {processors:.2f}")
    print(f"  servers' seconds of a recall: {costs.recall[0]:.4f} + {costs.recall[1]:.2e} per memory of the tenant")
    print(f"  servers' seconds of a remember: {costs.remember[0]:.4f} + {costs.remember[1]:.2e}")
    print(f"  a remember takes {costs.turn:.4f} s")
    print(f"  bytes per memory: {costs.bytes_per_memory:,.0f}")
    for server, each in ((costs.details or {}).get("check") or {}).items():
        print(f"  check, {server}: predicted {each['predicted_s']} s, measured {each['measured_s']} s")
    print(f"  prediction of the check's total: {costs.error:+.0%}")
    print("Assumed")
    for name, value in asdict(given).items():
        print(f"  {name}: {value:,}")
    print("Simulated")
    for name, value in found.items():
        for key, number in value.items() if isinstance(value, dict) else [(name, value)]:
            print(f"  {key}: {number:,.2f}" if isinstance(number, float) else f"  {key}: {number:,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--costs", type=Path, help="the JSON of an earlier run, instead of measuring")
    parser.add_argument("--embedder", default="hashing", help="its vectors are measured with")
    for name, value in asdict(Assumptions()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    options = vars(parser.parse_args())
    as_json, earlier, embedder = (options.pop(name) for name in ("json", "costs", "embedder"))
    given = Assumptions(**options)
    costs = Costs(**json.loads(earlier.read_text())["costs"]) if earlier else measured(embedder)
    found = simulate(costs, given)
    if as_json:
        print(json.dumps({"costs": asdict(costs), "assumptions": asdict(given), "simulated": found}, indent=1))
    else:
        show(costs, given, found)


if __name__ == "__main__":
    main()
