"""What is known of pandas."""
