"""Engines that work on protocols, not on models. No model is imported here."""
