"""What is known of Flask."""
