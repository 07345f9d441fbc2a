"""Panels: sliders set a cluster, the engine decides, and the picture is redrawn in place."""
