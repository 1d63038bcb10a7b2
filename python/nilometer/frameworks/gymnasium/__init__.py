"""What is known of Gymnasium."""
