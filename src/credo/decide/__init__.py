"""What to do next: Bayes actions, studies, safe and active learning, bandits and planning."""
