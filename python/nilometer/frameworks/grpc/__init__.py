"""What is known of gRPC."""
