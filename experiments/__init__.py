"""Programs to run: they read configurations, and drive agents and the engine."""
