"""What is known of uvicorn."""
