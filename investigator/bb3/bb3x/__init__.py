"""Conversations as records that can be kept, shared and trained on (seed: bb3x_data_card)."""
