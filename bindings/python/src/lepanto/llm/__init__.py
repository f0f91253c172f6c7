"""Language models as players: prompts, parsing and constraints of answers, games, and rewards for training."""

from .answer import Answer, Verdict, parse
from .context import Context, context
from .endpoint import Endpoint, EndpointError, Refused, Reply
from .grammar import Grammar
from .player import Choice, LanguageModel
from .table import Played, play
from .training import RESULT_REWARDS, Rewards, fork, resume, rewards
from .trie import LegalMask, Tokens, Trie, legal_trie, tokens_of

__all__ = [
    "Answer",
    "Choice",
    "Context",
    "Endpoint",
    "EndpointError",
    "Grammar",
    "LanguageModel",
    "LegalMask",
    "Played",
    "RESULT_REWARDS",
    "Refused",
    "Reply",
    "Rewards",
    "Tokens",
    "Trie",
    "Verdict",
    "context",
    "fork",
    "legal_trie",
    "parse",
    "play",
    "resume",
    "rewards",
    "tokens_of",
]
