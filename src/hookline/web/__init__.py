"""HTTP, server-sent events and the page."""
