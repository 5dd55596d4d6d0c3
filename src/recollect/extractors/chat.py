"""How is a model behind OpenAI's `/v1/chat/completions` asked, within the limits?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from recollect.extractors.dead_letters import MAX_BACKOFF_SECONDS, backoff_seconds
from recollect.extractors.limits import Limits, Meter, Usage
from recollect.extractors.passage import NotExtracted
from recollect.extractors.prompt import SCHEMA
from recollect.http import Busy, Refused, Server, Sleep, given_up
from recollect.openai_key import authorization
from recollect.text.tokens import estimate_tokens

MAX_REPLY_BYTES = 4 * 1024 * 1024
# A server's own words around our messages; a tokenizer makes at most one token of each byte of the rest.
TEMPLATE_TOKENS = 64
NOT_IN_THIS_FORM = (400, 422)
ABOUT_THE_PASSAGE = (*NOT_IN_THIS_FORM, 413)

Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What servers differ in; each way out of a refusal is taken once."""

    form: Literal["json_schema", "json_object"] = "json_schema"
    is_cold: bool = True
    is_limit_renamed: bool = False

    def fields(self, max_output_tokens: int) -> dict[str, Any]:
        strict = {"name": "statements", "strict": True, "schema": SCHEMA}
        form = {"type": self.form} | ({"json_schema": strict} if self.form == "json_schema" else {})
        limit = "max_completion_tokens" if self.is_limit_renamed else "max_tokens"
        return {"response_format": form, limit: max_output_tokens} | ({"temperature": 0} if self.is_cold else {})

    def instead(self, refusal: Refused) -> Dialect | None:
        """What to try after a refusal; None where nothing is left.

        OpenAI's newer models refuse any temperature and have another name for the limit.
        """
        if refusal.status not in NOT_IN_THIS_FORM:
            return None
        if self.is_cold and "'temperature'" in refusal.said:
            return replace(self, is_cold=False)
        if not self.is_limit_renamed and "'max_completion_tokens'" in refusal.said:
            return replace(self, is_limit_renamed=True)
        return replace(self, form="json_object") if self.form == "json_schema" else None


class Chat:
    def __init__(self, model: str, base: str, limits: Limits, meter: Meter, sleep: Sleep) -> None:
        self.model = model
        self.base = base
        self.meter = meter
        self._limits = limits
        self._sleep = sleep
        self._dialect = Dialect()

    def answer(self, messages: Sequence[Message]) -> str:
        """The model's words; a busy server is asked again, later each time. Raises NotExtracted."""
        dialect = self._dialect
        tries = 0
        while True:
            tries += 1
            try:
                body = self._post({"model": self.model, "messages": list(messages)}, dialect)
            except Refused as refusal:
                dialect, tries = self._next_dialect(dialect, refusal, tries), tries - 1
            except Busy as busy:
                self._wait(busy, tries)
            else:
                self._dialect = dialect  # now that it is known to work
                return self._content(body, tries)

    @property
    def _url(self) -> str:
        return f"{self.base}/chat/completions"

    @cached_property
    def _server(self) -> Server:
        return Server(self._url, self._limits.timeout_seconds, max_bytes=MAX_REPLY_BYTES)

    def _post(self, payload: dict[str, Any], dialect: Dialect) -> bytes:
        """One request, counted whatever comes of it."""
        payload = payload | dialect.fields(self._limits.max_output_tokens)
        most = _most(payload, self._limits.max_output_tokens)
        headers = authorization(self.base)
        self.meter.reserve(most)
        used = Usage()
        try:
            body = self._server.post(payload, headers)
            used = _usage(body, payload)
        except Busy as busy:
            if busy.worked:  # it may be on the bill although nothing came back
                used = most
            raise
        finally:
            self.meter.settle(most, used)
        return body

    def _next_dialect(self, dialect: Dialect, refusal: Refused, tries: int) -> Dialect:
        following = dialect.instead(refusal)
        if following is None:
            is_down = refusal.status not in ABOUT_THE_PASSAGE
            raise NotExtracted(str(refusal), tries=tries, is_down=is_down) from refusal
        return following

    def _wait(self, busy: Busy, tries: int) -> None:
        if tries >= self._limits.tries:
            raise NotExtracted(given_up(self._url, tries, busy), tries=tries, is_down=True) from busy
        asked = busy.wait_seconds
        wait = backoff_seconds(tries) if asked is None else min(max(asked, 0.0), MAX_BACKOFF_SECONDS)
        self._sleep(wait)

    def _content(self, body: bytes, tries: int) -> str:
        try:
            choice = json.loads(body)["choices"][0]
            content, finished = choice["message"]["content"], choice.get("finish_reason")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
            raise NotExtracted(f"{self._url} gave a reply that is no chat completion", tries=tries) from None
        if finished == "length":
            cut = f"the answer was cut off at {self._limits.max_output_tokens:,} tokens"
            raise NotExtracted(cut, tries=tries)
        if not isinstance(content, str):
            raise NotExtracted("the model declined to answer", tries=tries)
        return content


def _most(payload: dict[str, Any], max_output_tokens: int) -> Usage:
    """More than a request can take, so that a budget holds whatever tokenizer the server has."""
    return Usage(len(json.dumps(payload)) + TEMPLATE_TOKENS, max_output_tokens, is_estimated=True)


def _usage(body: bytes, payload: dict[str, Any]) -> Usage:
    """What the server says it took, else four characters to a token."""
    try:
        said = json.loads(body)["usage"]
        counts = said["prompt_tokens"], said["completion_tokens"]
    except (ValueError, KeyError, TypeError, RecursionError):
        counts = None, None
    if all(type(count) is int and count >= 0 for count in counts):
        return Usage(*counts)
    sent = "".join(message["content"] for message in payload["messages"])
    return Usage(estimate_tokens(sent), estimate_tokens(body.decode("utf-8", "replace")), is_estimated=True)
