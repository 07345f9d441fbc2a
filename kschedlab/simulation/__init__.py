"""What surrounds a scheduler: an API server in memory, informers, the clock, controllers, the running loop."""
