"""The program ``kschedlab``: one module for each command."""
