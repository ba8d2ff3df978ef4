"""Records conversations in a form that can be stored, shared and used for training (seed: bb3x_data_card)."""
