"""Learning from games: the project's graph net in torch, whose weights the engine plays (selfplay/nets)."""
