"""What is known of scikit-learn."""
