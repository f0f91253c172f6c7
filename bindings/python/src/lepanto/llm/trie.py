"""Legal answers as tokens: which may come next, and masks for the logits of a model."""

from __future__ import annotations

import weakref
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ..diplomacy.engine.game import Game
from .grammar import Grammar, State

#: Tokens of each call of a tokenizer's decode_batch.
_CHUNK = 4096


class _Letters:
    """A node of the vocabulary: tokens whose text ends here, and what follows."""

    __slots__ = ("next", "tokens")

    def __init__(self) -> None:
        self.next: Dict[str, _Letters] = {}
        self.tokens: List[int] = []


class Tokens:
    """The tokens of a tokenizer by their text. Made once for each tokenizer, in a second for 100,000 tokens.

    A text may have many ways to be written in tokens, and all of them are kept, so that a model may write as it is used
    to. Of a tokenizer this asks `decode(ids)`, or `decode_single_token_bytes(id)`, and its size: `len()`,
    `get_vocab_size()`, `vocab_size` or `n_vocab`.
    """

    def __init__(self, tokenizer: Any, eos: Optional[int] = None) -> None:
        self.eos = _eos(tokenizer) if eos is None else eos
        inner = getattr(tokenizer, "backend_tokenizer", tokenizer)
        self.size = _size(tokenizer)
        first, inside = _texts(inner, self.size)
        #: At the beginning of an answer some tokenizers leave a space out.
        self.first, self.inside = self._tree(first), self._tree(inside)
        #: Letters that are tokens: a text of them can always be written to its end.
        self.letters = frozenset(text for text in inside if len(text) == 1)

    def _tree(self, texts: Sequence[str]) -> _Letters:
        root = _Letters()
        for token, text in enumerate(texts):
            # Orders are written in ASCII, and so are all separators.
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
    """The text of each token at the beginning and behind others; '' where it has none."""
    if hasattr(tokenizer, "decode_single_token_bytes"):
        texts = []
        for token in range(size):
            try:
                texts.append(tokenizer.decode_single_token_bytes(token).decode("ascii"))
            except (KeyError, UnicodeDecodeError):
                texts.append("")
        return texts, texts
    first = _decoded(tokenizer, [[token] for token in range(size)])
    # A token that is a plain word goes before the others, to see what they are behind it.
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
    """The tokens of a tokenizer, made when they are first asked for."""
    if isinstance(tokenizer, Tokens):
        return tokenizer
    try:
        known = _tokens.setdefault(tokenizer, {})
    except TypeError:
        # It has no hash or no weak references: the caller can keep Tokens instead.
        return Tokens(tokenizer, eos)
    if eos not in known:
        known[eos] = Tokens(tokenizer, eos)
    return known[eos]


class Node:
    """A place in an answer: the letters that may follow, and the tokens that may come next with the places behind
    them."""

    __slots__ = ("next", "state", "moves", "allowed", "leads_on")

    def __init__(self) -> None:
        self.next: Dict[str, Node] = {}
        #: Where an order ends here, the state behind it.
        self.state: Optional[State] = None
        self.moves: Optional[Dict[int, Optional[Node]]] = None
        #: For masks: the tokens as an array or tensor.
        self.allowed: Any = None
        #: False where no token leads on; None if that is not known.
        self.leads_on: Optional[bool] = None


class Trie:
    """The legal answers of a power, as tokens may write them. Made by legal_trie(). Orders that a tokenizer cannot
    write are left out.

        node = trie.root
        while node is not None:
            token = choose(trie.tokens_at(node))
            node = trie.step(node, token)         # None behind the token that ends the answer
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
            # From the end on, so that none looks far ahead.
            for state in sorted(grammar.states(), key=lambda one: one[1]):
                self._leads_on(self._start(state))
        if not self.tokens_at(self.root):
            order = next(iter(grammar.places[0].orders))
            raise ValueError(f"tokenizer: got one that cannot write {order!r}, wanted one with capital letters")

    def _start(self, state: State) -> Node:
        """The place where the orders of a state begin."""
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
        """Puts the separator and what follows behind an order."""
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
        """True if an answer can be written to its end from here."""
        if node.leads_on is None:
            node.leads_on = bool(self._moves(node))
        return node.leads_on

    def tokens_at(self, node: Node) -> List[int]:
        """The tokens that may come next."""
        return list(self._moves(node))

    def step(self, node: Node, token: int) -> Optional[Node]:
        """The place behind a token; None behind the one that ends the answer. Raises ValueError for a token that may
        not come."""
        moves = self._moves(node)
        if token not in moves:
            raise ValueError(f"token: got {token}, wanted one of {len(moves)} that may come next")
        return moves[token]

    def walk(self, ids: Sequence[int]) -> Optional[Node]:
        """The place behind tokens from the beginning on; None once the answer has ended."""
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
    """The legal answers of a power as tokens: one order a line for each unit, in the sequence of its context.

    tokenizer: of `transformers`, `tokenizers` or `tiktoken`, or anything with decode(ids) and a size, or Tokens.
    eos: the token that ends an answer, where the tokenizer does not say it.
    separator: between orders, for a tokenizer that cannot write a new line, such as "; ".

    Raises ValueError for no such power, and for a tokenizer that cannot write orders.
    """
    return Trie(Grammar.of(game, power, separator), tokens_of(tokenizer, eos))


class LegalMask:
    """Keeps a model to legal orders: every logit but those of legal tokens becomes -inf.

    For `transformers` it is a logits processor of `generate()`, with the length of the prompt and a trie for each row,
    or one for all: `model.generate(ids, logits_processor=[LegalMask(trie, ids.shape[1])])`. For vLLM it is the
    processor of a request, called with the tokens written so far and one row of logits: what
    `AdapterLogitsProcessor.new_req_logits_processor()` returns. Both are torch tensors or numpy arrays. After the end
    of an answer every token is `eos`.
    """

    def __init__(self, tries: Union[Trie, Sequence[Trie]], prompt: int = 0) -> None:
        self.tries = [tries] if isinstance(tries, Trie) else list(tries)
        self.prompt = prompt
        #: By row: the tokens that have been walked, and the place behind them.
        self._walked: Dict[int, Tuple[List[int], Optional[Node]]] = {}

    def __call__(self, ids: Any, logits: Any) -> Any:
        # Both count the parameters of a processor: two, and no more.
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
            # Half precision has no room for ids.
            node.allowed = logits.new_zeros(0).long().new_tensor(tokens) if hasattr(logits, "new_zeros") else tokens
        return node.allowed

    def _at(self, row: int, trie: Trie, tokens: List[int]) -> Optional[Node]:
        known = self._walked.get(row)
        # Beams change places, so that a row may go on from another.
        goes_on = known is not None and tokens[:-1] == known[0]
        node = known[1] if known is not None and goes_on else trie.root
        for token in tokens[-1:] if goes_on else tokens:
            # A search with more beams than answers fills up with beams of no probability, which are off the trie.
            node = None if node is None else trie._moves(node).get(token)
        self._walked[row] = tokens, node
        return node
