"""What one route found, as columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

from ..explanation import Explanation
from .recall import Sighting


class Ranking(Sequence[Sighting]):
    """The memories that one route found, best first. A `Sighting` is made when it is asked for: of hundreds, a recall
    needs those of the few that it keeps."""

    __slots__ = ("_places", "_raw", "ids", "name", "ranks", "route", "values")

    def __init__(
        self,
        route: str,
        name: str,
        ids: Sequence[str] = (),
        values: Sequence[float] = (),
        raw: Callable[[int], Explanation] | None = None,
        ranks: Sequence[int] | None = None,
    ) -> None:
        self.route = route
        self.name = name
        """What the raw scores are, such as `cosine`."""
        self.ids, self.values = ids, values
        self.ranks = range(1, len(ids) + 1) if ranks is None else ranks
        self._raw = raw
        """Explains the n-th raw score. Without it, a score has no parts."""
        self._places: dict[str, int] | None = None

    @property
    def places(self) -> dict[str, int]:
        """Memory id → its place in the columns."""
        if self._places is None:
            self._places = dict(zip(self.ids, range(len(self.ids)), strict=True))
        return self._places

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> Sighting: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Sighting]: ...
    def __getitem__(self, at: int | slice) -> Sighting | Sequence[Sighting]:
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        raw = self._raw(at) if self._raw else Explanation(self.name, self.values[at])
        return Sighting(self.ids[at], self.route, self.ranks[at], raw)


class Sightings(Sequence[Sighting]):
    """Those of one memory, in the order of the rankings."""

    __slots__ = ("_id", "_rankings")

    def __init__(self, id: str, rankings: Sequence[Ranking]) -> None:
        """All of these rankings have the memory."""
        self._id, self._rankings = id, rankings

    def __len__(self) -> int:
        return len(self._rankings)

    @overload
    def __getitem__(self, at: int) -> Sighting: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Sighting]: ...
    def __getitem__(self, at: int | slice) -> Sighting | Sequence[Sighting]:
        if isinstance(at, slice):
            return Sightings(self._id, self._rankings[at])
        ranking = self._rankings[at]
        return ranking[ranking.places[self._id]]
