"""The nine tools of the official MCP memory server, with its names, arguments and answers, over a memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from ...types import FENCE_CLOSE, FENCE_OPEN, data_line
from ..access import Access
from .answers import Answer
from .graph import Edge, Graph, Node
from .tool import adds, changes, reads


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Entity(_Given):
    name: str = Field(min_length=1, max_length=128)
    entityType: str = Field(min_length=1)  # noqa: N815 - the official server's names, here and below
    observations: list[str] = []

    @classmethod
    def of(cls, node: Node) -> Entity:
        return cls(name=node.name, entityType=node.type, observations=node.observations)

    def node(self) -> Node:
        return Node(self.name, self.entityType, list(dict.fromkeys(self.observations)))


class Relation(_Given):
    a: str = Field(alias="from", min_length=1, max_length=128)
    to: str = Field(min_length=1, max_length=128)
    relationType: str = Field(min_length=1)  # noqa: N815

    @classmethod
    def of(cls, edge: Edge) -> Relation:
        return cls.model_validate({"from": edge.a, "to": edge.b, "relationType": edge.type})

    def edge(self) -> Edge:
        return Edge(self.a, self.to, self.relationType)


class Observed(_Given):
    entityName: str  # noqa: N815
    contents: list[str]


class Deleted(_Given):
    entityName: str  # noqa: N815
    observations: list[str]


class _GraphAnswer(Answer):
    """The content is fenced as data, because all of it was chosen by writers."""

    def data(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)

    def blocks(self) -> list[str | dict[str, Any]]:
        return ["\n".join([FENCE_OPEN, data_line(json.dumps(self.data(), ensure_ascii=False)), FENCE_CLOSE])]


class GraphAnswer(_GraphAnswer):
    entities: list[Entity]
    relations: list[Relation]

    @classmethod
    def of(cls, nodes: Iterable[Node], edges: Iterable[Edge]) -> GraphAnswer:
        return cls(entities=[Entity.of(node) for node in nodes], relations=[Relation.of(edge) for edge in edges])


class Entities(_GraphAnswer):
    entities: list[Entity]


class Relations(_GraphAnswer):
    relations: list[Relation]


class Added(_Given):
    entityName: str  # noqa: N815
    addedObservations: list[str]  # noqa: N815


class Results(_GraphAnswer):
    results: list[Added]


class Done(Answer):
    success: bool = True
    message: str


Names = Annotated[list[str], Field(description="Names of entities.")]


@adds("Create entities", idempotent=True)
def create_entities(
    access: Access, entities: Annotated[list[Entity], Field(description="With their first observations.")]
) -> Entities:
    """Add entities, such as people, projects and places, to the knowledge graph. Known names are left as they are."""
    new = Graph(access).create_nodes([entity.node() for entity in entities])
    return Entities(entities=[Entity.of(node) for node in new])


@adds("Create relations", idempotent=True)
def create_relations(
    access: Access, relations: Annotated[list[Relation], Field(description="In active voice: works_at.")]
) -> Relations:
    """Add relations between entities. Known ones are left out."""
    new = Graph(access).create_edges([relation.edge() for relation in relations])
    return Relations(relations=[Relation.of(edge) for edge in new])


@adds("Add observations", idempotent=True)
def add_observations(
    access: Access, observations: Annotated[list[Observed], Field(description="One fact each.")]
) -> Results:
    """Add observations to entities that exist. Known ones are left out."""
    new = Graph(access).observe(_by_name((each.entityName, each.contents) for each in observations))
    return Results(results=[Added(entityName=name, addedObservations=texts) for name, texts in new.items()])


@changes("Delete entities", idempotent=True)
def delete_entities(access: Access, entityNames: Names) -> Done:  # noqa: N803
    """Remove entities with their observations and relations."""
    return _removed(Graph(access).delete_nodes(entityNames))


@changes("Delete observations", idempotent=True)
def delete_observations(
    access: Access, deletions: Annotated[list[Deleted], Field(description="Word for word.")]
) -> Done:
    """Remove observations from entities."""
    said = _by_name((each.entityName, each.observations) for each in deletions)
    return _removed(Graph(access).delete_observations(said))


@changes("Delete relations", idempotent=True)
def delete_relations(
    access: Access, relations: Annotated[list[Relation], Field(description="Those to remove.")]
) -> Done:
    """Remove relations between entities."""
    return _removed(Graph(access).delete_edges([relation.edge() for relation in relations]))


@reads("Read graph")
def read_graph(access: Access) -> GraphAnswer:
    """Read the whole knowledge graph. It can be long; `search_nodes` is shorter."""
    graph = Graph(access)
    return GraphAnswer.of(graph.nodes().values(), graph.edges())


@reads("Search nodes")
def search_nodes(access: Access, query: Annotated[str, Field(description="A question or words.")]) -> GraphAnswer:
    """Find entities by name, type, observations or meaning, with their relations."""
    graph = Graph(access)
    found = graph.matching(query)
    return GraphAnswer.of(found, graph.edges(among=[node.name for node in found]))


@reads("Open nodes")
def open_nodes(access: Access, names: Names) -> GraphAnswer:
    """Get entities by their exact names, with their relations."""
    graph = Graph(access)
    found = [node for name, node in graph.nodes().items() if name in names]
    return GraphAnswer.of(found, graph.edges(among=[node.name for node in found]))


def _by_name(said: Iterable[tuple[str, Sequence[str]]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, texts in said:
        found.setdefault(name, []).extend(texts)
    return found


def _removed(count: int) -> Done:
    return Done(message=f"{count} memories were removed; `recollect restore ID` brings one back")


ALL = (
    *(create_entities, create_relations, add_observations, delete_entities, delete_observations, delete_relations),
    *(read_graph, search_nodes, open_nodes),
)
