"""Messages, agents, worlds and teachers in ParlAI's way (seeds: parlai_core_concepts, parlai_messages)."""
