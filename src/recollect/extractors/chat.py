"""Asks a model over OpenAI's `/v1/chat/completions`, within the limits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from recollect.extractors.dead_letters import MAX_BACKOFF_SECONDS, backoff_seconds
from recollect.extractors.limits import Limits, Meter, Usage
from recollect.extractors.passage import NotExtracted
from recollect.extractors.prompt import STATEMENTS, Form
from recollect.text.tokens import estimate_tokens

from ..http.openai_key import authorization
from ..http.request import Busy, Refused, Server, Sleep, given_up

MAX_REPLY_BYTES = 4 * 1024 * 1024
# Tokens that a server's prompt template adds. The rest has at most one token per byte.
TEMPLATE_TOKENS = 64
NOT_IN_THIS_FORM = (400, 422)
ABOUT_THE_PASSAGE = (*NOT_IN_THIS_FORM, 413)

Message = dict[str, str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The request fields that servers disagree about. After a refusal, each alternative is tried once."""

    form: Literal["json_schema", "json_object"] = "json_schema"
    sends_temperature: bool = True
    uses_max_completion_tokens: bool = False

    def fields(self, max_output_tokens: int, wanted: Form = STATEMENTS) -> dict[str, Any]:
        strict = {"name": wanted.name, "strict": True, "schema": wanted.schema}
        form = {"type": self.form} | ({"json_schema": strict} if self.form == "json_schema" else {})
        limit = "max_completion_tokens" if self.uses_max_completion_tokens else "max_tokens"
        return {"response_format": form, limit: max_output_tokens} | (
            {"temperature": 0} if self.sends_temperature else {}
        )

    def after(self, refusal: Refused) -> Dialect | None:
        """The dialect to try after a refusal, or None if there is none left.

        OpenAI's newer models refuse `temperature`, and call the limit `max_completion_tokens`.
        """
        if refusal.status not in NOT_IN_THIS_FORM:
            return None
        if self.sends_temperature and "'temperature'" in refusal.said:
            return replace(self, sends_temperature=False)
        if not self.uses_max_completion_tokens and "'max_completion_tokens'" in refusal.said:
            return replace(self, uses_max_completion_tokens=True)
        return replace(self, form="json_object") if self.form == "json_schema" else None


class Chat:
    def __init__(self, model: str, base: str, limits: Limits, meter: Meter, sleep: Sleep) -> None:
        self.model = model
        self.base = base
        self.meter = meter
        self._limits = limits
        self._sleep = sleep
        self._dialect = Dialect()

    def answer(self, messages: Sequence[Message], form: Form = STATEMENTS) -> str:
        """The model's answer. A busy server is asked again after increasing waits. Raises NotExtracted."""
        dialect = self._dialect
        tries = 0
        while True:
            tries += 1
            try:
                body = self._post({"model": self.model, "messages": list(messages)}, dialect, form)
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

    def _post(self, payload: dict[str, Any], dialect: Dialect, form: Form) -> bytes:
        """One request. It is counted even if it fails."""
        payload = payload | dialect.fields(self._limits.max_output_tokens, form)
        most = _most(payload, self._limits.max_output_tokens)
        headers = authorization(self.base)
        self.meter.reserve(most)
        used = Usage()
        try:
            body = self._server.post(payload, headers)
            used = _usage(body, payload)
        except Busy as busy:
            if busy.worked:  # the server may charge for it although no reply came
                used = most
            raise
        finally:
            self.meter.settle(most, used)
        return body

    def _next_dialect(self, dialect: Dialect, refusal: Refused, tries: int) -> Dialect:
        following = dialect.after(refusal)
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
            raise NotExtracted(f"{self._url} gave a reply that is not a chat completion", tries=tries) from None
        if finished == "length":
            cut = f"the answer was cut off at {self._limits.max_output_tokens:,} tokens"
            raise NotExtracted(cut, tries=tries)
        if not isinstance(content, str):
            raise NotExtracted("the model declined to answer", tries=tries)
        return content


def _most(payload: dict[str, Any], max_output_tokens: int) -> Usage:
    """An upper bound of the tokens of a request, for any tokenizer, so that the budget is never exceeded."""
    return Usage(len(json.dumps(payload)) + TEMPLATE_TOKENS, max_output_tokens, is_estimated=True)


def _usage(body: bytes, payload: dict[str, Any]) -> Usage:
    """The token counts that the server reports, else an estimate of four characters per token."""
    try:
        said = json.loads(body)["usage"]
        counts = said["prompt_tokens"], said["completion_tokens"]
    except (ValueError, KeyError, TypeError, RecursionError):
        counts = None, None
    if all(type(count) is int and count >= 0 for count in counts):
        return Usage(*counts)
    sent = "".join(message["content"] for message in payload["messages"])
    return Usage(estimate_tokens(sent), estimate_tokens(body.decode("utf-8", "replace")), is_estimated=True)
