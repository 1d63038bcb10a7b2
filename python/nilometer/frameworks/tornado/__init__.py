"""What is known of Tornado."""
