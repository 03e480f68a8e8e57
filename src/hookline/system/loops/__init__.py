"""Where coroutines run: asyncio, or a small poll loop for one-shot commands."""
