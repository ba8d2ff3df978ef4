"""Mark-up that prompts, chats and replies are made of, where it stands in a document; see `addressing_rules`."""

from __future__ import annotations

from investigator.language.addressing_rules import Hint, rule

_UP_TO = r"[\s\S]{0,400}?"

MARKUP = (
    # roles of chat templates
    rule(
        "<|im_ <|system <|user <|assistant <|endof <|eot_ <|start_ <|end_ <|begin_of <|channel <|message",
        r"\w{0,20}\|>",
    ),
    rule("<|user <|assistant <|system", r"\|>"),
    rule("[inst [/inst", r"\]"),
    rule("<<sys <</sys", r">>"),
    rule("<start_of_turn <end_of_turn", r">"),
    rule("human user", rf":{_UP_TO}\s(?:assistant|ai|bot): "),
    rule("assistant ai bot", rf":{_UP_TO}\s(?:user|human): "),
    rule("###", r" (?:system|instruction|assistant|response)s?(?: prompt| message)?\b", Hint.RULES),
    # tags of our templates, which no mark-up of another kind has in this form
    rule("</passage </memory </evidence </turn </fact", r"\s*>\s*(?:</\w{1,20}\s*>\s*)?(?=[^<\s])"),
    rule("</passage", r"\s*>\s*</passage"),
    rule("< </", r"\s+/?\s*(?:passage|memory|evidence|turn)\s*>"),
    rule(
        "<passage <document <memory <evidence <turn <fact",
        r"\s[^<>]{0,100}?\b(?:point|speaker|about|match|asked|source)=",
    ),
    rule("<evidence <memory", r"\s+id\s*="),
    rule("<passage", r"\s*>\s*(?=$|[^<\s])", Hint.RULES),
    # replies in the form that our templates ask for
    rule("\"point\" 'point'", rf"""\s*:{_UP_TO}["'](?:quotes|reply|needed|sentences|fact_id)["']\s*:"""),
    rule("\"quotes\" 'quotes' \"reply\" 'reply'", rf"""\s*:{_UP_TO}["']point["']\s*:"""),
    rule("\"claims\" 'claims'", rf"""\s*:\s*\[{_UP_TO}["']evidence["']\s*:"""),
    rule("\"steps\" 'steps'", rf"""\s*:\s*\[{_UP_TO}["']document_id["']\s*:"""),
    rule("\"needs\" 'needs'", rf"""\s*:\s*\[{_UP_TO}["']term["']\s*:"""),
    rule("\"knowledge\" 'knowledge'", rf"""\s*:\s*\[{_UP_TO}["']known_infos["']\s*:"""),
    rule("point", rf":\s*\d{{1,3}}\b{_UP_TO}\n\s*(?:quotes?|reply|answer):"),
    # calls of tools
    rule("<tool_call <tool_calls <function_call <function_calls <tool_use <invoke", r"\b[^<>]{0,100}>"),
    rule('"name" "tool" "function"', r"""\s*:\s*"[\w.-]{1,60}"\s*,\s*"(?:arguments|parameters)"\s*:"""),
    # template syntax that reaches for our variables or out of the template
    rule(
        "{{",
        r"[^{}]{0,80}(?:__\w+__|\b(?:passages|sub_question|main_question|memories|evidence|config|lipsum|cycler|self)\b)",
    ),
    rule("{{", r"-?\s*\d+\s*[*+]\s*\d+"),
    rule("{%", r"-?\s*\w+[^{}%]{0,60}\b(?:passages|sub_question|main_question|memories|evidence|range)\b"),
)
