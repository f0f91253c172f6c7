"""Phases, results and saved games."""
