"""Granite in torch, with a low-rank adapter on its linear weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from recollect.embedders.granite_pack import read

LAYERS, HEADS, DIM, FIRST_POSITION, MOST_TOKENS = 6, 12, 384, 2, 512
ADAPTED = ("qkv", "ao", "f1", "f2")


class Granite(torch.nn.Module):
    """The frozen model; `down` and `up` are the only parameters."""

    def __init__(self, pack: Path | None = None, *, rank: int = 16, scale: float = 2.0, seed: int = 0) -> None:
        super().__init__()
        held = read(pack)
        self.tokenizer = Tokenizer.from_str(held.tokenizer_json.decode())
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self._tokens: dict[str, list[int]] = {}
        weights = {"word_emb": held.words.floats(), **held.weights}
        for name, value in weights.items():
            self.register_buffer(name.replace(".", "_"), torch.from_numpy(np.array(value)), persistent=False)
        self.scale = scale
        generator = torch.Generator().manual_seed(seed)
        self.down, self.up = torch.nn.ParameterDict(), torch.nn.ParameterDict()
        for name in (f"l{layer}_{part}" for layer in range(LAYERS) for part in ADAPTED):
            out, into = self.get_buffer(f"{name}_w").shape
            first = torch.randn(rank, into, generator=generator) / math.sqrt(into)
            self.down[name] = torch.nn.Parameter(first)
            self.up[name] = torch.nn.Parameter(torch.zeros(out, rank))
        self.adapted = True
        self._merged: dict[str, torch.Tensor] = {}

    def merge(self, dtype: torch.dtype = torch.float32) -> None:
        """Adds the adapter to the weights, once for all that runs until the next call; gradients pass through."""
        self._merged = {
            name: (self.get_buffer(f"{name}_w") + self.scale * self.up[name] @ self.down[name]).to(dtype)
            for name in self.down
        }

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Each text is cut into tokens once."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._tokens]
        if fresh:
            encoded = self.tokenizer.encode_batch(fresh)
            self._tokens |= {text: e.ids for text, e in zip(fresh, encoded, strict=True)}
        return [self._tokens[text] for text in texts]

    def _padded(self, tokens: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
        longest = max(map(len, tokens))
        ids = np.zeros((len(tokens), longest), np.int64)
        mask = np.zeros((len(tokens), longest), bool)
        for row, found in enumerate(tokens):
            ids[row, : len(found)] = found
            mask[row, : len(found)] = True
        device = self.get_buffer("pos_emb").device
        return torch.from_numpy(ids).to(device), torch.from_numpy(mask).to(device)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        length = ids.shape[1]
        hidden = self.get_buffer("word_emb")[ids] + self.get_buffer("type_emb")[0]
        hidden = hidden + self.get_buffer("pos_emb")[FIRST_POSITION : FIRST_POSITION + length]
        hidden = self._norm("emb_ln", hidden)
        for layer in range(LAYERS):
            hidden = self._layer(f"l{layer}", hidden, mask[:, None, None, :])
        return F.normalize(hidden[:, 0].float(), dim=-1)

    def vectors(self, texts: Sequence[str], group: int = 512) -> torch.Tensor:
        """Unit rows in order; texts of about the same length run together, so that little is padding."""
        tokens = self.tokens(texts)
        order = sorted(range(len(tokens)), key=lambda n: len(tokens[n]))
        made = [self(*self._padded([tokens[n] for n in order[s : s + group]])) for s in range(0, len(order), group)]
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order)] = torch.arange(len(order))
        return torch.cat(made)[back.to(made[0].device)]

    @torch.no_grad()
    def embed(self, texts: Sequence[str], batch: int = 512) -> np.ndarray:
        """float16 rows, in order; long texts are batched with long ones."""
        self.merge()
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        found = np.zeros((len(texts), DIM), np.float16)
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            found[rows] = self.vectors([texts[n] for n in rows], group=batch).cpu().numpy()
        return found

    def adapter(self) -> dict[str, np.ndarray]:
        """What is shipped: float16 factors, the scale already in them."""
        found = {}
        for name in self.down:
            found[f"{name}.down"] = self.down[name].detach().cpu().numpy().astype(np.float16)
            found[f"{name}.up"] = (self.up[name] * self.scale).detach().cpu().numpy().astype(np.float16)
        return found

    def _layer(self, name: str, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        rows, length, _ = hidden.shape
        query, key, value = (
            part.view(rows, length, HEADS, DIM // HEADS).transpose(1, 2)
            for part in self._linear(f"{name}_qkv", hidden).split(DIM, dim=-1)
        )
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = attended.transpose(1, 2).reshape(rows, length, DIM)
        middle = self._norm(f"{name}_aln", hidden + self._linear(f"{name}_ao", attended))
        wide = F.gelu(self._linear(f"{name}_f1", middle))
        return self._norm(f"{name}_fln", middle + self._linear(f"{name}_f2", wide))

    def _linear(self, name: str, rows: torch.Tensor) -> torch.Tensor:
        weight = self._merged[name] if self.adapted else self.get_buffer(f"{name}_w")
        return F.linear(rows, weight, self.get_buffer(f"{name}_b"))

    def _norm(self, name: str, rows: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(rows, (DIM,), self.get_buffer(f"{name}_w"), self.get_buffer(f"{name}_b"), 1e-12)
