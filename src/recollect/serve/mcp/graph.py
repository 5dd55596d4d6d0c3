"""A knowledge graph of entities, observations and relations, kept as memories.

`import` stores a file of the official MCP memory server in the same way, so both make one graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import NotFound
from ...imports.found import Item, Relation
from ...imports.records import entity_key, found_in
from ...types import Memory
from ..access import Access

ENTITY, OBSERVATION, RELATION = "entity", "observation", "relation"
KINDS = (ENTITY, OBSERVATION, RELATION)
_RECALLED = 20


@dataclass(frozen=True, slots=True)
class Node:
    name: str
    type: str
    observations: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Edge:
    a: str
    b: str
    type: str


class Graph:
    """The graph of one caller. What was forgotten, superseded or quarantined is not part of it."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._memories = access.list(kinds=list(KINDS), statuses=["active"])[::-1]

    # Reading --------------------------------------------------------------------------------------

    def nodes(self) -> dict[str, Node]:
        found = {_name(m): Node(_name(m), str(m.metadata.get("entity_type", "thing"))) for m in self._of(ENTITY)}
        for memory in self._of(OBSERVATION):
            if node := found.get(_name(memory)):
                node.observations.append(str(memory.metadata["observation"]))
        return found

    def edges(self, among: Iterable[str] | None = None) -> list[Edge]:
        """All relations, or those with an end among these names."""
        named = None if among is None else set(among)
        found = dict.fromkeys(_edge(memory) for memory in self._of(RELATION))
        return [edge for edge in found if named is None or edge.a in named or edge.b in named]

    def matching(self, query: str) -> list[Node]:
        """The nodes whose name, type or observations contain the query, then those that recall finds for it."""
        nodes, wanted = self.nodes(), query.casefold()
        same = [node for node in nodes.values() if _contains(node, wanted)]
        hits = self._access.recall(query, kinds=list(KINDS), limit=_RECALLED).hits if query.strip() else ()
        names = [name for hit in hits for name in hit.memory.entities]
        return list({node.name: node for node in (*same, *(nodes[name] for name in names if name in nodes))}.values())

    # Adding ---------------------------------------------------------------------------------------

    def create_nodes(self, nodes: Sequence[Node]) -> list[Node]:
        known = self.nodes()
        new = list({node.name: node for node in nodes if node.name not in known}.values())
        self._remember(_as_entity(node) for node in new)
        return new

    def create_edges(self, edges: Sequence[Edge]) -> list[Edge]:
        known = set(self.edges())
        new = [edge for edge in dict.fromkeys(edges) if edge not in known]
        self._remember({"from": edge.a, "to": edge.b, "relationType": edge.type} for edge in new)
        return new

    def observe(self, said: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        """Adds observations. Returns those that are new, by the name of their entity."""
        nodes = self.nodes()
        if unknown := next((name for name in said if name not in nodes), None):
            raise NotFound(f"no entity is called {unknown!r}: create it first")
        new = {
            name: [each for each in dict.fromkeys(texts) if each not in nodes[name].observations]
            for name, texts in said.items()
        }
        held = [Node(name, nodes[name].type, texts) for name, texts in new.items() if texts]
        self._remember((_as_entity(node) for node in held), known=[entity_key(node.name) for node in held])
        return new

    def _remember(self, records: Iterable[Mapping[str, Any]], known: Sequence[str] = ()) -> None:
        found = [each for record in records for each in found_in(record, "graph", self._access.caller.scope.namespace)]
        items = [each for each in found if isinstance(each, Item) and each.key not in known]
        made = self._access.remember_many([{**item.fields, "source": item.key} for item in items])
        ids = {memory.source: memory.id for memory in (*self._memories, *made)}
        for each in found:
            if isinstance(each, Relation) and each.a in ids and each.b in ids:
                self._access.link(ids[each.a], ids[each.b], each.kind)

    # Removing: what is removed can be restored ----------------------------------------------------

    def delete_nodes(self, names: Sequence[str]) -> int:
        """Forgets entities with their observations and relations."""
        gone = set(names)
        ended = [m for m in self._of(RELATION) if {_edge(m).a, _edge(m).b} & gone]
        return self._forget([*(m for m in self._of(ENTITY, OBSERVATION) if _name(m) in gone), *ended])

    def delete_observations(self, said: Mapping[str, Sequence[str]]) -> int:
        wrong = [m for m in self._of(OBSERVATION) if m.metadata["observation"] in said.get(_name(m), ())]
        return self._forget(wrong)

    def delete_edges(self, edges: Sequence[Edge]) -> int:
        gone = set(edges)
        return self._forget([memory for memory in self._of(RELATION) if _edge(memory) in gone])

    def _forget(self, memories: Sequence[Memory]) -> int:
        for memory in memories:
            self._access.forget(memory.id)
        return len(memories)

    def _of(self, *kinds: str) -> list[Memory]:
        needed = {ENTITY: "entity", OBSERVATION: "observation", RELATION: "relation_type"}
        return [m for m in self._memories if m.kind in kinds and needed[m.kind] in m.metadata]


def _name(memory: Memory) -> str:
    return str(memory.metadata["entity"])


def _edge(memory: Memory) -> Edge:
    a, b, kind = (str(memory.metadata[name]) for name in ("from", "to", "relation_type"))
    return Edge(a, b, kind)


def _contains(node: Node, wanted: str) -> bool:
    return any(wanted in text.casefold() for text in (node.name, node.type, *node.observations))


def _as_entity(node: Node) -> dict[str, Any]:
    return {"type": "entity", "name": node.name, "entityType": node.type, "observations": node.observations}
