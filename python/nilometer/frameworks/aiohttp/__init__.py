"""What is known of aiohttp."""
