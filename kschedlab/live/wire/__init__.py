"""What serving and scheduling share: the API on the wire."""
