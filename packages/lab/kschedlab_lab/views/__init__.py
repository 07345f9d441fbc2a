"""Views: a Decision as text, tables and pictures."""
