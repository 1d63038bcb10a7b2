"""What is known of JAX."""
