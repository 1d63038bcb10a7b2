"""What is known of gunicorn."""
