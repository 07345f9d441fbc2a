"""The program ``kschedlab``: one module per command."""
