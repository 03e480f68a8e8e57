"""The demo: hooks of five dialects around a real turn, on a throw-away project."""
