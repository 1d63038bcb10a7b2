"""What is known of RQ."""
