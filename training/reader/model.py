"""Granite's layers in torch as a reader: a question and a text in, two log-odds out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from recollect.embedders.granite_pack import read

HEADS, DIM, FIRST_POSITION = 12, 384, 2
MAX_TOKENS, MAX_QUESTION_TOKENS = 96, 40
START, END = 0, 2
OUTPUTS = 2
"""answers, concerns"""
Pair = tuple[list[int], int]
"""The tokens of a pair, and where the text begins."""


class Reader(torch.nn.Module):
    """All weights but the embeddings are trained."""

    def __init__(self, pack: Path | None = None, *, drop: float = 0.1) -> None:
        super().__init__()
        held = read(pack)
        self.drop = drop
        self.tokenizer = Tokenizer.from_str(held.tokenizer_json.decode())
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.register_buffer("words", torch.from_numpy(np.array(held.words.floats())), persistent=False)
        self.register_buffer("positions", torch.from_numpy(np.array(held.weights["pos_emb"])), persistent=False)
        own = {name: value for name, value in held.weights.items() if name != "pos_emb"}
        self.layers = 1 + max(int(name[1]) for name in own if name[0] == "l")
        self.weights = torch.nn.ParameterDict(
            {name.replace(".", "_"): torch.nn.Parameter(torch.from_numpy(np.array(own[name]))) for name in own}
        )
        self.weights["type_two"] = torch.nn.Parameter(torch.zeros(DIM))
        self.weights["head_w"] = torch.nn.Parameter(torch.randn(OUTPUTS, DIM) * 0.02)
        self.weights["head_b"] = torch.nn.Parameter(torch.full((OUTPUTS,), -1.5))

    def pairs(self, questions: Sequence[str], texts: Sequence[str]) -> list[Pair]:
        """`<s> question </s> text </s>`, as readers/reader_run.py makes it."""
        asked, told = (
            [encoding.ids for encoding in self.tokenizer.encode_batch(list(each), add_special_tokens=False)]
            for each in (questions, texts)
        )
        found = []
        for question, text in zip(asked, told, strict=True):
            question = question[:MAX_QUESTION_TOKENS]
            text = text[: MAX_TOKENS - len(question) - 3]
            found.append(([START, *question, END, *text, END], len(question) + 2))
        return found

    def forward(self, pairs: Sequence[Pair]) -> torch.Tensor:
        ids, second, mask = self._padded(pairs)
        hidden = self.words[ids] + self.weights["type_emb"][0] + second[..., None] * self.weights["type_two"]
        hidden = hidden + self.positions[FIRST_POSITION : FIRST_POSITION + ids.shape[1]]
        hidden = self._dropped(self._norm("emb_ln", hidden))
        for layer in range(self.layers):
            hidden = self._layer(f"l{layer}", hidden, mask[:, None, None, :])
        return F.linear(hidden[:, 0].float(), self.weights["head_w"], self.weights["head_b"])

    def _padded(self, pairs: Sequence[Pair]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        longest = max(len(ids) for ids, _ in pairs)
        ids = np.ones((len(pairs), longest), np.int64)
        second = np.zeros((len(pairs), longest), np.float32)
        mask = np.zeros((len(pairs), longest), bool)
        for row, (tokens, start) in enumerate(pairs):
            ids[row, : len(tokens)] = tokens
            second[row, start : len(tokens)] = 1
            mask[row, : len(tokens)] = True
        device = self.words.device
        return tuple(torch.from_numpy(each).to(device) for each in (ids, second, mask))  # type: ignore[return-value]

    def _layer(self, name: str, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        rows, length, _ = hidden.shape
        query, key, value = (
            part.view(rows, length, HEADS, DIM // HEADS).transpose(1, 2)
            for part in self._linear(f"{name}_qkv", hidden).split(DIM, dim=-1)
        )
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = attended.transpose(1, 2).reshape(rows, length, DIM)
        middle = self._norm(f"{name}_aln", hidden + self._dropped(self._linear(f"{name}_ao", attended)))
        wide = F.gelu(self._linear(f"{name}_f1", middle))
        return self._norm(f"{name}_fln", middle + self._dropped(self._linear(f"{name}_f2", wide)))

    def _linear(self, name: str, rows: torch.Tensor) -> torch.Tensor:
        return F.linear(rows, self.weights[f"{name}_w"], self.weights[f"{name}_b"])

    def _norm(self, name: str, rows: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(rows, (DIM,), self.weights[f"{name}_w"], self.weights[f"{name}_b"], 1e-12)

    def _dropped(self, rows: torch.Tensor) -> torch.Tensor:
        return F.dropout(rows, self.drop, self.training)

    @torch.no_grad()
    def read(self, pairs: Sequence[Pair], batch: int = 1024) -> np.ndarray:
        """The log-odds of many pairs, in order."""
        self.eval()
        order = sorted(range(len(pairs)), key=lambda n: len(pairs[n][0]))
        found = np.zeros((len(pairs), OUTPUTS), np.float32)
        device = self.words.device.type
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                found[rows] = self([pairs[n] for n in rows]).float().cpu().numpy()
        return found

    def exported(self) -> dict[str, np.ndarray]:
        return {name: value.detach().cpu().numpy().astype(np.float16) for name, value in self.weights.items()}
