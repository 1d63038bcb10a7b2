"""What is known of Starlette, which FastAPI is one of."""
