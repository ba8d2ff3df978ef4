"""Messages, agents, worlds and teachers in ParlAI's design (seeds: parlai_core_concepts, parlai_messages)."""
