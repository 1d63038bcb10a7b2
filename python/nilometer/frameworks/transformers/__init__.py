"""What is known of Hugging Face's transformers."""
