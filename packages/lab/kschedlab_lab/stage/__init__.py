"""The front end of panels: one widget that shows a picture, moves its parts, and turns marked elements into handles."""
