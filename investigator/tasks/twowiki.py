"""2WikiMultiHopQA (Ho et al. 2020): questions that need two to four articles, in HotpotQA's format.

`twowiki` shows all paragraphs and the question, `twowiki:gold` shows only the paragraphs that are needed, and
`twowiki:open` shows only the question. The triples that lead to the answer are in `reasoning`.
"""

from investigator.tasks.hotpotqa import DefaultTeacher as DefaultTeacher
from investigator.tasks.hotpotqa import GoldTeacher as GoldTeacher
from investigator.tasks.hotpotqa import OpenTeacher as OpenTeacher
