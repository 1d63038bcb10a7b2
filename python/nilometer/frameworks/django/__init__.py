"""What is known of Django."""
