"""What a config file shows by itself: does it parse, who reads it, and what its matchers and times mean."""
