"""Constrained decoding: the tokens that may come next in a legal answer, and masks for the logits of a model."""

from __future__ import annotations

import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ..diplomacy.engine.game import Game
from .grammar import Grammar, State

#: Number of tokens in one call of a tokenizer's decode_batch.
_CHUNK = 4096


class _Letters:
    """Node of a tree of the vocabulary by letters: tokens whose text ends here, and child nodes, keyed by next
    letter."""

    __slots__ = ("next", "tokens")

    def __init__(self) -> None:
        self.next: Dict[str, _Letters] = {}
        self.tokens: List[int] = []


class Tokens:
    """Index of a tokenizer's tokens by their text. Built once for each tokenizer; 100,000 tokens take a second.

    All tokenizations of a text are allowed, so that a model can use the one that it was trained on. A tokenizer must
    have `decode(ids)` or `decode_single_token_bytes(id)`, and a size: `len()`, `get_vocab_size()`, `vocab_size` or
    `n_vocab`.
    """

    def __init__(self, tokenizer: Any, eos: Optional[int] = None) -> None:
        self.eos = _eos(tokenizer) if eos is None else eos
        inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
        self.size = _size(tokenizer)
        first, inside = _texts(inner, self.size)
        #: `first`: tree of tokens at the beginning of an answer, where some tokenizers drop a space. `inside`: after
        #: other tokens.
        self.first, self.inside = self._tree(first), self._tree(inside)
        #: Letters that are tokens. A text of these letters can always be completed.
        self.letters = frozenset(text for text in inside if len(text) == 1)

    def _tree(self, texts: Sequence[str]) -> _Letters:
        root = _Letters()
        for token, text in enumerate(texts):
            # Orders and separators are ASCII.
            if not text or token == self.eos or not text.isascii():
                continue
            node = root
            for letter in text:
                node = node.next.setdefault(letter, _Letters())
            node.tokens.append(token)
        return root


def _eos(tokenizer: Any) -> int:
    for name in ("eos_token_id", "eot_token"):
        if getattr(tokenizer, name, None) is not None:
            return int(getattr(tokenizer, name))
    raise ValueError("tokenizer: got one without eos_token_id, wanted eos, the token that ends an answer")


def _size(tokenizer: Any) -> int:
    if hasattr(tokenizer, "get_vocab_size"):
        return int(tokenizer.get_vocab_size())
    for name in ("n_vocab", "vocab_size"):
        if not hasattr(tokenizer, "__len__") and hasattr(tokenizer, name):
            return int(getattr(tokenizer, name))
    return len(tokenizer)


def _texts(tokenizer: Any, size: int) -> Tuple[List[str], List[str]]:
    """Returns two texts for each token: at the beginning of a text, and after another token. '' for a token without
    text.

    size: number of tokens. Raises ValueError if no token is a word of letters.
    """
    if hasattr(tokenizer, "decode_single_token_bytes"):
        texts = []
        for token in range(size):
            try:
                texts.append(tokenizer.decode_single_token_bytes(token).decode("ascii"))
            except (KeyError, UnicodeDecodeError):
                texts.append("")
        return texts, texts
    first = _decoded(tokenizer, [[token] for token in range(size)])
    # Decode each token after a plain word, to get its text in the middle of a text.
    anchors = [token for token, text in enumerate(first) if text.isalpha() and text.isascii()]
    if not anchors:
        raise ValueError("tokenizer: got one without a token of letters, wanted one that can write orders")
    word = first[anchors[0]]
    behind = _decoded(tokenizer, [[anchors[0], token] for token in range(size)])
    return first, [text[len(word) :] if text.startswith(word) else "" for text in behind]


def _decoded(tokenizer: Any, many: Sequence[Sequence[int]]) -> List[str]:
    if hasattr(tokenizer, "decode_batch"):
        found: List[str] = []
        for i in range(0, len(many), _CHUNK):
            found += tokenizer.decode_batch([list(ids) for ids in many[i : i + _CHUNK]])
        return found
    return [tokenizer.decode(list(ids)) for ids in many]


_tokens: "weakref.WeakKeyDictionary[Any, Dict[Optional[int], Tokens]]" = weakref.WeakKeyDictionary()


def tokens_of(tokenizer: Any, eos: Optional[int] = None) -> Tokens:
    """Returns the token index of a tokenizer, from a cache if possible; an index unchanged. eos: token that ends an
    answer; None: the tokenizer's.

    Raises ValueError for a tokenizer that cannot be used.
    """
    if isinstance(tokenizer, Tokens):
        return tokenizer
    try:
        known = _tokens.setdefault(tokenizer, {})
    except TypeError:
        # A tokenizer without a hash or weak references is not cached. The caller can keep Tokens instead.
        return Tokens(tokenizer, eos)
    if eos not in known:
        known[eos] = Tokens(tokenizer, eos)
    return known[eos]


class Node:
    """Position in an answer: child nodes, keyed by next letter, and allowed tokens with the nodes after them."""

    __slots__ = ("next", "state", "moves", "allowed", "leads_on")

    def __init__(self) -> None:
        self.next: Dict[str, Node] = {}
        #: Grammar state after the order that ends here. None if no order ends here.
        self.state: Optional[State] = None
        self.moves: Optional[Dict[int, Optional[Node]]] = None
        #: Allowed tokens as a tensor or list, for masks. None until computed.
        self.allowed: Any = None
        #: True if an answer can be completed from here. None until computed.
        self.leads_on: Optional[bool] = None


class Trie:
    """Legal answers of a power as sequences of tokens. Created by legal_trie(). Orders that the tokenizer cannot write
    are left out.

        node = trie.root
        while node is not None:
            token = choose(trie.tokens_at(node))
            node = trie.step(node, token)         # None after the token that ends the answer
    """

    def __init__(self, grammar: Grammar, tokens: Tokens) -> None:
        self.grammar = grammar
        self.tokens = tokens
        self._starts: Dict[State, Node] = {}
        self._end = Node()
        self.root: Node = self._start(grammar.start) if grammar.start else self._end
        letters = {letter for place in grammar.places for order in place.orders for letter in order} | set(
            grammar.separator
        )
        self._is_whole = letters <= tokens.letters
        if not self._is_whole:
            # Start with the last orders, to keep the recursion shallow.
            for state in sorted(grammar.states(), key=lambda one: one[1]):
                self._leads_on(self._start(state))
        if not self.tokens_at(self.root):
            order = next(iter(grammar.places[0].orders))
            raise ValueError(f"tokenizer: got one that cannot write {order!r}, wanted one with capital letters")

    def _start(self, state: State) -> Node:
        """Returns the node at which the orders of a grammar state begin. Makes it at the first call."""
        known = self._starts.get(state)
        if known is None:
            known = self._starts[state] = Node()
            for orders, behind in self.grammar.ways(state):
                for order in orders:
                    node = known
                    for letter in order:
                        child = node.next.get(letter)
                        if child is None:
                            child = node.next[letter] = Node()
                        node = child
                    node.state = behind
        return known

    def _link(self, node: Node) -> None:
        """Links a node at the end of an order to the separator and the orders after it. Does nothing for other nodes
        and the last order."""
        if node.state is None or node.state[1] == 0:
            return
        target, separator = self._start(node.state), self.grammar.separator
        node.state = None
        for letter in separator[:-1]:
            node = node.next.setdefault(letter, Node())
        node.next[separator[-1]] = target

    def _moves(self, node: Node) -> Dict[int, Optional[Node]]:
        moves = node.moves
        if moves is None:
            moves = node.moves = {}
            letters = self.tokens.first if node is self.root else self.tokens.inside
            open_ = [(node, letters)]
            while open_:
                at, letters = open_.pop()
                for token in letters.tokens:
                    moves[token] = at
                self._link(at)
                following = letters.next
                for letter, child in at.next.items():
                    below = following.get(letter)
                    if below is not None:
                        open_.append((child, below))
            if node is self._end or (node.state is not None and node.state[1] == 0):
                moves[self.tokens.eos] = None
            if not self._is_whole:
                moves = node.moves = {token: at for token, at in moves.items() if at is None or self._leads_on(at)}
        return moves

    def _leads_on(self, node: Node) -> bool:
        """True if an answer can be completed from a node."""
        if node.leads_on is None:
            node.leads_on = bool(self._moves(node))
        return node.leads_on

    def tokens_at(self, node: Node) -> List[int]:
        """Returns the ids of the tokens that may come next."""
        return list(self._moves(node))

    def step(self, node: Node, token: int) -> Optional[Node]:
        """Returns the node after a token, or None after the token that ends the answer. Raises ValueError for a token
        that may not come next."""
        moves = self._moves(node)
        if token not in moves:
            raise ValueError(f"token: got {token}, wanted one of {len(moves)} that may come next")
        return moves[token]

    def walk(self, ids: Sequence[int]) -> Optional[Node]:
        """Returns the node after some tokens from the beginning of an answer, or None if the answer has ended. ids: the
        tokens.

        Raises ValueError for a token that may not come there.
        """
        node: Optional[Node] = self.root
        for token in ids:
            if node is None:
                return None
            node = self.step(node, token)
        return node

    def regex(self) -> str:
        return self.grammar.regex()

    def gbnf(self) -> str:
        return self.grammar.gbnf()

    def json_schema(self) -> Dict[str, Any]:
        return self.grammar.json_schema()


def legal_trie(game: Game, power: str, tokenizer: Any, eos: Optional[int] = None, separator: str = "\n") -> Trie:
    """Returns the legal answers of a power as tokens: one order per line for each unit, in the sequence of its context.

    tokenizer: a tokenizer of `transformers`, `tokenizers` or `tiktoken`, another object with decode(ids) and a size,
        or Tokens.
    eos: id of the token that ends an answer; None: the tokenizer's.
    separator: text between orders, such as "; " for a tokenizer that cannot write a newline.

    Raises ValueError for an unknown power, and for a tokenizer that cannot write orders.
    """
    return Trie(Grammar.of(game, power, separator), tokens_of(tokenizer, eos))


class LegalMask:
    """Logits processor that restricts a model to legal orders. Logits of all other tokens become -inf.

    For `transformers`: a logits processor of `generate()`, with the length of the prompt and one trie for all rows or
    one for each: `model.generate(ids, logits_processor=[LegalMask(trie, ids.shape[1])])`. For vLLM: the result of
    `AdapterLogitsProcessor.new_req_logits_processor()`, which is called with the generated tokens and one row of
    logits. Logits may be torch tensors or numpy arrays. After the end of an answer only `eos` is allowed.
    """

    def __init__(self, tries: Union[Trie, Sequence[Trie]], prompt: int = 0) -> None:
        self.tries = [tries] if isinstance(tries, Trie) else list(tries)
        self.prompt = prompt
        #: Tokens of the last call and the node after them, keyed by row.
        self._walked: Dict[int, Tuple[List[int], Optional[Node]]] = {}

    def __call__(self, ids: Any, logits: Any) -> Any:
        # transformers and vLLM inspect the signature: a processor must have exactly two parameters.
        masked = logits.clone() if hasattr(logits, "clone") else logits.copy()
        masked[...] = float("-inf")
        if logits.ndim == 1:
            self._keep(0, [int(token) for token in ids], logits, masked)
            return masked
        rows = ids.tolist()
        if len(self.tries) > 1 and len(rows) % len(self.tries):
            raise ValueError(
                f"ids: got {len(rows)} rows, wanted as many as tries ({len(self.tries)}), or several of each"
            )
        for row, tokens in enumerate(rows):
            self._keep(row, tokens[self.prompt :], logits[row], masked[row], len(rows))
        return masked

    def _keep(self, row: int, tokens: List[int], logits: Any, masked: Any, rows: int = 1) -> None:
        trie = self.tries[row * len(self.tries) // rows]
        node = self._at(row, trie, tokens)
        allowed = [trie.tokens.eos] if node is None else self._allowed(trie, node, logits)
        masked[allowed] = logits[allowed]

    def _allowed(self, trie: Trie, node: Node, logits: Any) -> Any:
        if node.allowed is None:
            tokens: Any = trie.tokens_at(node)
            # Logits in half precision cannot hold token ids, so use integers.
            node.allowed = logits.new_zeros(0).long().new_tensor(tokens) if hasattr(logits, "new_zeros") else tokens
        return node.allowed

    def _at(self, row: int, trie: Trie, tokens: List[int]) -> Optional[Node]:
        known = self._walked.get(row)
        # Beam search reorders rows, so a row may not continue its last tokens.
        goes_on = known is not None and tokens[:-1] == known[0]
        node = known[1] if known is not None and goes_on else trie.root
        for token in tokens[-1:] if goes_on else tokens:
            # With more beams than answers, beam search adds beams of probability 0 whose tokens are not in the trie.
            node = None if node is None else trie._moves(node).get(token)
        self._walked[row] = tokens, node
        return node
