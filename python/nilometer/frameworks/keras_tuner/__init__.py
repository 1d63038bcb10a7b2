"""What is known of KerasTuner."""
