"""Recognises the kind of answer that a question asks for, and the periods that questions and documents name. Pure."""
