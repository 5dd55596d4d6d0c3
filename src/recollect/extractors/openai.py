"""Any server that speaks OpenAI's `/v1/chat/completions`: OpenAI, Ollama, LM Studio, vLLM, llama.cpp.

`openai:MODEL` asks api.openai.com, `openai:MODEL@http://host:port/v1` another server. If that fails, the rules
extract the statements instead, and the passage becomes a dead letter.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

from recollect.errors import InvalidInput
from recollect.extractors import summaries
from recollect.extractors.answers import BrokenAnswer, statements
from recollect.extractors.chat import Chat
from recollect.extractors.dead_letters import DeadLetterList, DeadLetters, backoff_seconds, dead_letter
from recollect.extractors.limits import Limits, Meter, Spent
from recollect.extractors.passage import Extraction, NotExtracted, Passage
from recollect.extractors.prompt import STATEMENTS, Form, messages
from recollect.extractors.protocol import Statement
from recollect.extractors.rules import extract as extract_by_rules
from recollect.text.moments import parse_moment

from ..http.openai_key import OPENAI
from ..http.request import Sleep, Unanswered

_SPEC = re.compile(r"openai:(?P<model>[^@#]+?)(@(?P<base>https?://[^#\s]+))?")


def from_spec(spec: str, *, limits: Limits | None = None, letters: DeadLetters | None = None) -> OpenAIExtractor:
    match = _SPEC.fullmatch(spec)
    if not match:
        raise InvalidInput(f"can't read the extractor {spec!r}: write openai:MODEL or openai:MODEL@http://host:port/v1")
    return OpenAIExtractor(match["model"], match["base"] or OPENAI, limits=limits, letters=letters)


def _now() -> datetime:
    return datetime.now(UTC)


class OpenAIExtractor:
    """Extracts statements with a model. `spent` is what earlier runs took from the same budget."""

    def __init__(
        self,
        model: str,
        base: str = OPENAI,
        *,
        limits: Limits | None = None,
        letters: DeadLetters | None = None,
        spent: Spent | None = None,
        sleep: Sleep = time.sleep,
        clock: Callable[[], datetime] = _now,
    ) -> None:
        self.limits = limits or Limits()
        self.letters: DeadLetters = DeadLetterList() if letters is None else letters
        self._chat = Chat(model, base.rstrip("/"), self.limits, Meter(self.limits, spent), sleep)
        self._clock = clock
        self._failures_in_a_row = 0
        self._paused_until: datetime | None = None

    @property
    def name(self) -> str:
        return f"openai:{self._chat.model}@{self._chat.base}"

    @property
    def spent(self) -> Spent:
        return self._chat.meter.spent

    def extract(
        self, text: str, *, speaker: str | None = None, at: datetime | None = None, asked: str | None = None
    ) -> list[Statement]:
        return list(self.read(text, speaker=speaker, at=at, asked=asked).statements)

    def read(
        self, text: str, *, speaker: str | None = None, at: datetime | None = None, asked: str | None = None
    ) -> Extraction:
        """Like `extract`, but also says whether the model or the rules made the statements, and why."""
        passage = _passage(text, speaker, at, asked)
        try:
            return Extraction(self.ask(passage))
        except NotExtracted as failure:
            if not failure.is_final:
                self.letters.add(dead_letter(passage, failure, self._clock()))
            return Extraction(_by_rules(passage), by="rules", why=str(failure))

    def ask(self, passage: Passage) -> tuple[Statement, ...]:
        """The model's statements. Raises NotExtracted; uses neither rules nor dead letters."""
        if not passage.text.strip():
            return ()
        self._check_length(passage)
        try:
            content = self._answer(messages(passage), STATEMENTS)
        except Unanswered as error:  # a missing key must be reported, not hidden by the rules
            raise InvalidInput(str(error)) from error
        return _checked(content, passage)

    def summarise(self, text: str) -> str:
        """Two or three sentences about a session, of which as much is sent as a passage may have. Raises
        NotExtracted."""
        sent = _encodable(text)[: self.limits.max_passage_characters]
        try:
            return summaries.summary(self._answer(summaries.messages(sent), summaries.FORM))
        except (Unanswered, BrokenAnswer) as error:
            raise NotExtracted(str(error)) from error

    def _answer(self, asked: Sequence[dict[str, str]], form: Form) -> str:
        self._check_pause()
        try:
            content = self._chat.answer(asked, form)
        except NotExtracted as failure:
            self._note_failure(failure)
            raise
        self._failures_in_a_row, self._paused_until = 0, None
        return content

    def _check_length(self, passage: Passage) -> None:
        most = self.limits.max_passage_characters
        if passage.characters > most:
            reason = f"the passage has {passage.characters:,} characters, more than {most:,}"
            raise NotExtracted(reason, is_final=True)

    def _check_pause(self) -> None:
        """Waits between requests to a server that is down. Else each passage of a conversation would time out."""
        until = self._paused_until
        if until is not None and self._clock() < until:
            moment = until.isoformat(timespec="seconds")
            raise NotExtracted(f"not asked: the server failed and is not asked again before {moment}")

    def _note_failure(self, failure: NotExtracted) -> None:
        if failure.is_down:
            self._failures_in_a_row += failure.tries
            self._paused_until = self._clock() + timedelta(seconds=backoff_seconds(self._failures_in_a_row))


def _passage(text: str, speaker: str | None, at: datetime | None, asked: str | None) -> Passage:
    clean = [part if part is None else _encodable(part) for part in (speaker, asked)]
    return Passage(_encodable(text), clean[0], parse_moment(at) if at else None, clean[1])


def _encodable(text: str) -> str:
    """Lone surrogates, which UTF-8 can't hold, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _checked(content: str, passage: Passage) -> tuple[Statement, ...]:
    try:
        return statements(content, passage)
    except BrokenAnswer as broken:
        raise NotExtracted(f"the answer is broken: {broken}", tries=1) from broken


def _by_rules(passage: Passage) -> tuple[Statement, ...]:
    return tuple(extract_by_rules(passage.text, speaker=passage.speaker, at=passage.at, asked=passage.asked))
