"""What is known of Celery."""
