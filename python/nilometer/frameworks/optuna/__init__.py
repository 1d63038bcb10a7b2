"""What is known of Optuna."""
