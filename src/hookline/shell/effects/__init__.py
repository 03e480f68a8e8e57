"""What commands do, and what rules ask of that: effects, paths, flows, places."""
