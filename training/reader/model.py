"""Granite's layers in torch as a reader: a question and texts in, log-odds out; and the comparison of the texts."""

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
INTENTS = 2
"""current, past: what a question asks for. Read from the question with an empty text."""
FEATURES = 9
"""Of a passage, as readers/recollect_reader.py makes them."""
WIDE, COMPARISON_LAYERS, COMPARISON_HEADS = 128, 2, 4
LOG_ODDS_SCALE = 4.0
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
        self.weights["intent_w"] = torch.nn.Parameter(torch.randn(INTENTS, DIM) * 0.02)
        self.weights["intent_b"] = torch.nn.Parameter(torch.full((INTENTS,), -1.0))
        self.comparison = Comparison(drop=drop)

    def pairs(self, questions: Sequence[str], texts: Sequence[str]) -> list[Pair]:
        """`<s> question </s> text </s>`, as readers/reader_run.py makes it."""
        known = self._tokens(questions) | self._tokens(texts)
        found = []
        for question, text in zip(questions, texts, strict=True):
            asked = known[question][:MAX_QUESTION_TOKENS]
            told = known[text][: MAX_TOKENS - len(asked) - 3]
            found.append(([START, *asked, END, *told, END], len(asked) + 2))
        return found

    def _tokens(self, texts: Sequence[str]) -> dict[str, list[int]]:
        """Each text is cut into tokens once."""
        different = list(dict.fromkeys(texts))
        encoded = self.tokenizer.encode_batch(different, add_special_tokens=False)
        return {text: each.ids for text, each in zip(different, encoded, strict=True)}

    def forward(self, ids: torch.Tensor, start: torch.Tensor, length: torch.Tensor) -> torch.Tensor:
        """The first position of the last layer. A pair has `length` tokens; its text begins at `start`."""
        at = torch.arange(ids.shape[1], device=ids.device)
        mask = at[None] < length[:, None]
        second = ((at[None] >= start[:, None]) & mask).float()
        hidden = self.words[ids] + self.weights["type_emb"][0] + second[..., None] * self.weights["type_two"]
        hidden = hidden + self.positions[FIRST_POSITION : FIRST_POSITION + ids.shape[1]]
        hidden = self._dropped(self._norm("emb_ln", hidden))
        for layer in range(self.layers):
            hidden = self._layer(f"l{layer}", hidden, mask[:, None, None, :])
        return hidden[:, 0].float()

    def log_odds(self, first: torch.Tensor) -> torch.Tensor:
        return F.linear(first, self.weights["head_w"], self.weights["head_b"])

    def intents(self, first: torch.Tensor) -> torch.Tensor:
        return F.linear(first, self.weights["intent_w"], self.weights["intent_b"])

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

    def exported(self) -> dict[str, np.ndarray]:
        """The names that export.py expects: `l0_qkv_w` for the layers, `compare.inp.weight` for the comparison."""
        own = {name: value for name, value in self.weights.items()}
        own |= {f"compare.{name}": value for name, value in self.comparison.named_parameters()}
        return {name: value.detach().cpu().numpy().astype(np.float16) for name, value in own.items()}


class Comparison(torch.nn.Module):
    """As readers/comparison.py: one row per passage and one that collects; the log-odds that one of them answers."""

    def __init__(self, *, drop: float) -> None:
        super().__init__()
        self.drop = drop
        self.inp = torch.nn.Linear(DIM + FEATURES + OUTPUTS, WIDE)
        self.null = torch.nn.Parameter(torch.randn(WIDE) * 0.02)
        self.layers = torch.nn.ModuleList([ComparisonLayer(drop) for _ in range(COMPARISON_LAYERS)])
        self.norm = torch.nn.LayerNorm(WIDE)
        self.none = torch.nn.Linear(WIDE, 1)
        torch.nn.init.zeros_(self.none.weight)
        torch.nn.init.zeros_(self.none.bias)

    def forward(
        self, first: torch.Tensor, features: torch.Tensor, log_odds: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        held = torch.cat([F.dropout(first, self.drop, self.training), features, log_odds / LOG_ODDS_SCALE], -1)
        rows = torch.cat([self.null.expand(len(held), 1, -1), self.inp(held)], 1)
        mask = torch.cat([mask.new_ones(len(mask), 1), mask], 1)
        for layer in self.layers:
            rows = layer(rows, mask)
        return self.none(self.norm(rows[:, 0]))[:, 0]


class ComparisonLayer(torch.nn.Module):
    def __init__(self, drop: float) -> None:
        super().__init__()
        self.drop = drop
        self.n1, self.n2 = torch.nn.LayerNorm(WIDE), torch.nn.LayerNorm(WIDE)
        self.qkv, self.o = torch.nn.Linear(WIDE, 3 * WIDE), torch.nn.Linear(WIDE, WIDE)
        self.f1, self.f2 = torch.nn.Linear(WIDE, 2 * WIDE), torch.nn.Linear(2 * WIDE, WIDE)

    def forward(self, rows: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        groups, count, _ = rows.shape
        query, key, value = (
            part.view(groups, count, COMPARISON_HEADS, -1).transpose(1, 2)
            for part in self.qkv(self.n1(rows)).split(WIDE, dim=-1)
        )
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
        joined = self.o(attended.transpose(1, 2).reshape(groups, count, WIDE))
        rows = rows + F.dropout(joined, self.drop, self.training)
        return rows + F.dropout(self.f2(F.gelu(self.f1(self.n2(rows)))), self.drop, self.training)
