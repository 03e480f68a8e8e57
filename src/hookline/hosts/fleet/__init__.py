"""One policy for many machines: published once over a bus, signed, and held by each, also while the bus is away."""
