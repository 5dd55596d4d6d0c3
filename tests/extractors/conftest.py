from datetime import UTC, datetime, timedelta

import pytest
from chat_server import ChatServer

from recollect.extractors.openai import OpenAIExtractor


class Clock:
    """Stands still until it is moved; sleeping moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 20, 12, tzinfo=UTC)
        self.slept: list[float] = []

    def __call__(self) -> datetime:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.pass_seconds(seconds)

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def server(monkeypatch):
    for name in ("RECOLLECT_OPENAI_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    running = ChatServer()
    yield running
    running.close()


@pytest.fixture
def make(server, clock):
    """Extractors that ask the server."""

    def made(**options) -> OpenAIExtractor:
        return OpenAIExtractor("small", server.base, sleep=clock.sleep, clock=clock, **options)

    return made


@pytest.fixture
def extractor(make) -> OpenAIExtractor:
    return make()
