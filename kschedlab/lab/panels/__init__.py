"""Panels: settings on sliders, the decision that follows from them, and its picture, redrawn in place."""
