"""Training of the project's graph net in torch. The engine plays the trained weights (selfplay/nets)."""
