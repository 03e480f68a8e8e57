# `signal` without the enums that loading it costs: the same functions and numbers.
from signal import *  # noqa: F403
from signal import default_int_handler as default_int_handler
