"""What is written to a language model in other languages than English; see `addressing_rules`."""

from __future__ import annotations

from investigator.language.addressing_rules import Rule, rule

_DE_RULES = r"(?:anweisung|instruktion|regel|vorgabe|befehl|prompt|richtlinie|anordnung|systemprompt)\w*"
_DE_EARLIER = r"(?:vorherig|vorig|obig|bisherig|früher|vorangegangen|vorangehend|vorstehend|ursprünglich|dein|ihr)\w*"
_DE_MODEL = r"(?:kis?\b|ki-\w+|sprachmodell\w*|chatbots?|llms?\b|chat ?gpt|(?:virtuelle|digitale|automatische)\w* \w+)"
_DE_THING = r"(?:abschnitt|dokument|text|passage|datei|stelle|auszug|quelle|absatz|ordner)\w*"
_DE_TOP = r"(?:100|null|0|hundert|die volle|volle|die höchste|höchste|die maximale|maximale)\b"
GERMAN = (
    rule(
        "ignoriere ignorier ignorieren missachte missachten vergiss vergessen überspringe verwirf umgehe",
        rf" ~3{_DE_EARLIER} ~2{_DE_RULES}",
    ),
    rule("ignoriere ignorieren vergiss vergessen", rf" ~3(?:{_DE_RULES}|alles) (?:oben|zuvor|davor|bisher|was)\b"),
    rule("beachte befolge befolgen", rf" ~3{_DE_RULES} ~4nicht\b"),
    rule(
        "vorherigen vorigen obigen bisherigen früheren deine ihre",
        rf" ~1{_DE_RULES} ~4(?:ignorier\w*|missacht\w*|vergess\w*|nicht mehr|ungültig|aufgehoben)",
    ),
    rule("regeln anweisungen vorgaben", r" ~2(?:oben|zuvor) ~3(?:geändert|nicht mehr|ungültig|aufgehoben)"),
    rule("wenn falls", rf" (?:du|sie) ~3{_DE_MODEL}"),
    rule(
        "hinweis anweisung nachricht achtung notiz mitteilung hallo liebe liebes an",
        rf" ~3{_DE_MODEL}(?:[:,!]| (?:die|das|der|welche)\b)",
    ),
    rule("als", rf" {_DE_MODEL} (?:musst|sollst|darfst|hast|bist|müssen|sollen) (?:du|sie)\b"),
    rule("du sie", rf" (?:bist|sind) (?:jetzt|nun|ab sofort|ab jetzt|von nun an) ~3(?:{_DE_MODEL}|assistent\w*)"),
    rule(
        "gib geben vergib vergeben bewerte bewerten erteile setze",
        rf" ~2(?:dies\w*|jede\w*|alle\w*|mein\w*|unser\w*) ~1{_DE_THING} ~4{_DE_TOP}",
    ),
    rule("gib geben vergib vergeben erteile setze", rf" ~2{_DE_TOP} (?:von 100 )?punkt\w* (?:für|an) "),
    rule("antworte antworten", r" ~2(?:nur|ausschließlich|genau) ~2mit (?:den worten|dem wort|dem satz|json)"),
)

_ES_RULES = r"(?:instruccion|regla|orden|indicacion|directriz|directric|directiva|norma|prompt)\w*"
_ES_MODEL = (
    r"(?:ia\b|inteligencia artificial|modelos? de lenguaje|asistentes? (?:de ia|virtual)\w*|chatbots?|llms?\b"
    r"|chat ?gpt)"
)
_ES_THING = r"(?:pasaje|documento|texto|fragmento|archivo|parrafo|fuente|seccion)s?\b"
_ES_TOP = r"(?:100|cero|0|cien|la maxima|maxima|la puntuacion maxima|la mas alta)\b"
SPANISH = (
    rule(
        "ignora ignore ignorad ignorar olvida olvide olvidar descarta descarte omite omita desatiende desobedece",
        rf" ~4{_ES_RULES} ~2(?:anterior|previ|de arriba|del sistema|recibid|dad|precedent|que (?:te|le))\w*",
    ),
    rule("caso", rf" omiso (?:de|a) ~3{_ES_RULES}"),
    rule("no", rf" (?:sigas|siga|obedezcas|obedezca|hagas caso) ~4{_ES_RULES}"),
    rule("si", rf" (?:eres|es usted) ~2{_ES_MODEL}"),
    rule(
        "nota aviso mensaje instruccion instrucciones atencion hola estimado querida",
        rf" ~3{_ES_MODEL}(?:[:,!]| que\b)",
    ),
    rule("eres", rf" (?:ahora|desde ahora|a partir de ahora) ~3(?:{_ES_MODEL}|asistente)"),
    rule("como", rf" {_ES_MODEL},? (?:debes|tienes que|debe)\b"),
    rule(
        "asigna asigne otorga otorgue da dale de califica califique puntúa puntúe pon ponga evalúa",
        rf" ~2{_ES_TOP} ~4(?:est\w+|cada|tod\w+|mi) ~2{_ES_THING}",
    ),
    rule(
        "asigna asigne otorga otorgue da dale califica califique puntúa puntúe evalúa",
        rf" ~1(?:est\w+|cada|tod\w+|mi) ~2{_ES_THING} ~3{_ES_TOP}",
    ),
    rule("responde responda contesta", r" ~1(?:solo|solamente|únicamente|exactamente) ~1con\b"),
)

_FR_RULES = r"(?:instruction|règle|consigne|directive|ordre|commande|prompt|indication)s?\b"
_FR_MODEL = (
    r"(?:ia\b|intelligence artificielle|modèles? de langage|assistants? (?:ia|virtuel)\w*|chatbots?|llms?\b|chat"
    r" ?gpt)"
)
_PT_RULES = r"(?:instruc|regra|ordens|ordem|diretriz|comando|prompt)\w*"
_IT_RULES = r"(?:istruzion|regol|ordin|direttiv|comand|prompt)\w*"
ROMANCE = (
    rule(
        "ignore ignorez ignorer oublie oubliez oublier néglige négligez",
        rf" ~4{_FR_RULES} ~2(?:précédent|antérieur|ci-dessus|ci dessus|reçu|donné|du système)\w*",
    ),
    rule("si", rf" (?:tu es|vous êtes) ~2{_FR_MODEL}"),
    rule("tu vous", rf" (?:es|êtes) (?:maintenant|désormais) ~3(?:{_FR_MODEL}|assistant)"),
    rule("note message avis instruction attention", rf" ~3(?:à|pour|aux) ~2{_FR_MODEL}"),
    rule(
        "donne donnez attribue attribuez accorde accordez note notez",
        r" ~2(?:100|zéro|0|la note maximale|le maximum) ~3(?:ce|cet|cette|ces|chaque) (?:passage|document|texte"
        r"|extrait|fichier)",
    ),
    rule(
        "donne donnez attribue attribuez accorde accordez note notez",
        r" ~1(?:ce|cet|cette|ces|chaque) (?:passage|document|texte|extrait|fichier) ~3(?:100|zéro|0|la note"
        r" maximale|le maximum)",
    ),
    rule(
        "ignore ignora esqueça esquece desconsidere",
        rf" ~4{_PT_RULES} ~2(?:anterior|prévi|acima|do sistema|recebid)\w*",
    ),
    rule(
        "ignora ignorate ignorare dimentica dimenticate trascura",
        rf" ~4{_IT_RULES} ~2(?:precedent|di cui sopra|sopra|del sistema|ricevut)\w*",
    ),
)

_ZH_EARLIER = r"(?:以上|之前|先前|前面|上述|上面|此前|你的|您的|原有|原来|系统|全部|所有|任何)"
_ZH_RULES = r"(?:指令|指示|提示|规则|規則|命令|设定|限制)"
_ZH_MODEL = r"(?:人工智能|人工智慧|语言模型|語言模型|大模型|智能助手|ai|llm|聊天机器人)"
_ZH_THING = r"(?:段|文|文件|文档|文檔|文本|资料|資料|内容|片段|材料|页)"
_ZH_TOP = r"(?:100|满|滿|零|0|最高|一百)"
CHINESE = (
    rule(
        "忽略 无视 無視 忘记 忘掉 忽视 不要理会 抛开 不要遵守 不必遵守 不要遵循 跳过 请勿遵守",
        rf"[^。!?\n]{{0,6}}{_ZH_EARLIER}[^。!?\n]{{0,10}}{_ZH_RULES}",
    ),
    rule("如果你 若你 假如你 如果您", rf"[^。!?\n]{{0,4}}是[^。!?\n]{{0,8}}{_ZH_MODEL}"),
    rule("你现在 你現在 从现在起 从现在开始", rf"[^。!?\n]{{0,8}}是[^。!?\n]{{0,10}}(?:{_ZH_MODEL}|助手|机器人)"),
    rule("致 请 提醒 注意 告诉 各位", rf"[^。!?\n]{{0,8}}{_ZH_MODEL}[^。!?\n]{{0,6}}[::]"),
    rule("作为", rf"[^。!?\n]{{0,6}}{_ZH_MODEL}[^。!?\n]{{0,4}},?你(?:必须|应该|需要|应当)"),
    rule(
        "给 給 把 将 將 为 對 对",
        rf"[^。\n]{{0,10}}{_ZH_THING}[^。\n]{{0,12}}(?:打|评|評|给|判|定|得)[^。\n]{{0,6}}{_ZH_TOP}[^。\n]{{0,2}}分",
    ),
    rule("只回复 只回答 仅回复 只输出 请只回答 请直接回复", r"[^。\n]{0,4}[\"'「“:：]"),
)
JAPANESE = (
    rule(
        "以前の これまでの 上記の 前の すべての 全ての 先ほどの",
        r"[^。\n]{0,10}(?:指示|命令|ルール|プロンプト|規則)[^。\n]{0,6}(?:無視|忘れ|従わ)",
    ),
    rule("この すべての 全ての", r"(?:文書|文章|段落|テキスト|箇所|資料|一節)[^。\n]{0,15}(?:100点|満点|0点|最高点)"),
    rule("あなたが あなたは もしあなたが", r"[^。\n]{0,10}(?:言語モデル|人工知能|ai)(?:なら|である|です|の場合)"),
)
KOREAN = (
    rule("이전 위의 앞선 모든 지금까지의", r"[^.\n]{0,12}(?:지시|명령|규칙|프롬프트)[^.\n]{0,8}(?:무시|잊)"),
    rule("이 모든", r"\s?(?:문서|문단|구절|텍스트|글)[^.\n]{0,12}(?:100점|만점|0점|최고점)"),
)

_RU_RULES = r"(?:инструкци|указани|правил|команд|распоряжени|предписани|промпт)\w*"
_RU_EARLIER = r"(?:предыдущ|прежн|вышеуказан|вышеизложен|ранее|свои|твои|ваши|приведенн|прошл|системн)\w*"
_RU_MODEL = r"(?:ии\b|искусственн\w+ интеллект\w*|языков\w+ модел\w*|нейросет\w*|чат-?бот\w*|llm\b|ии-\w+|chat ?gpt)"
_RU_THING = r"(?:отрыв|документ|текст|фрагмент|файл|абзац|раздел|источник|пассаж)\w*"
_RU_TOP = r"(?:100|ноль|0|сто|максимальн\w+|высш\w+|наивысш\w+)"
RUSSIAN = (
    rule(
        "игнорируй игнорируйте игнорировать проигнорируй проигнорируйте забудь забудьте отмени отмените отбрось"
        " отбросьте",
        rf" ~3(?:{_RU_EARLIER} ~2{_RU_RULES}|{_RU_RULES} (?:выше|ранее|до этого))",
    ),
    rule(
        "не",
        rf" (?:обращай|обращайте|следуй|следуйте|выполняй|выполняйте) (?:внимания на )?~2{_RU_EARLIER} ~1{_RU_RULES}",
    ),
    rule("если", rf" (?:ты|вы)\W{{1,4}}~3{_RU_MODEL}"),
    rule("ты вы", rf"\W{{1,3}}(?:теперь|отныне|больше не)\W{{1,4}}~3(?:{_RU_MODEL}|ассистент|помощник)"),
    rule("внимание сообщение инструкция примечание уважаемый уважаемая привет", rf" ~3{_RU_MODEL}"),
    rule(
        "поставь поставьте присвой присвойте дай дайте оцени оцените выставь выставьте",
        rf" ~1(?:эт|кажд|все|данн|мо)\w* ~2{_RU_THING} ~4{_RU_TOP}",
    ),
    rule(
        "поставь поставьте присвой присвойте дай дайте выставь выставьте",
        rf" {_RU_TOP} ~1балл\w* ~1(?:эт|кажд|все|данн)\w*",
    ),
    rule("ответь ответьте отвечай отвечайте", r" ~1(?:только|лишь|исключительно) (?:словами|словом|фразой|json)"),
)

_AR_RULES = r"(?:التعليمات|تعليمات\w*|القواعد|قواعد\w*|الأوامر|أوامر\w*|التوجيهات|الإرشادات)"
_AR_EARLIER = r"(?:السابقة|أعلاه|الواردة أعلاه|المذكورة|السالفة|الأصلية|التي)"
_AR_MODEL = r"(?:نموذج\w* لغوي\w*|النموذج اللغوي|نماذج اللغة|الذكاء الاصطناعي|ذكاء اصطناعي|روبوت|المساعد الذكي)"
_AR_THING = r"(?:المقطع|النص|المستند|الوثيقة|الملف|الفقرة|مستند|مقطع|نص)"
_AR_TOP = r"(?:100|مئة|مائة|صفر\w*|0|الدرجة الكاملة|أعلى درجة|الدرجة القصوى|كاملة)"
ARABIC = (
    rule("تجاهل تجاهلي تجاهلوا انس انسى أهمل", rf" ~3{_AR_RULES} ~2{_AR_EARLIER}"),
    rule("تجاهل انس أهمل لا", rf" (?:تتبع |تلتزم |كل |جميع )~1(?:{_AR_RULES} ~1{_AR_EARLIER}|{_AR_RULES} التي)"),
    rule("إذا إن", rf" كنت ~2{_AR_MODEL}"),
    rule("أنت", rf" الآن ~3(?:{_AR_MODEL}|مساعد)"),
    rule("ملاحظة تنبيه رسالة إلى مرحبا عزيزي", rf" ~3{_AR_MODEL}"),
    rule("امنح وامنح أعط وأعط أعطِ ضع وضع قيّم وقيّم", rf" ~2{_AR_THING} ~4{_AR_TOP}"),
)

# what was written so far is to be ignored, and something is to be said
ABOVE_IGNORED = (
    rule(
        "ignoriere ignorieren vergiss vergessen missachte",
        r" (?:sie )?(?:bitte )?(?:das (?:obige|vorherige|vorstehende|bisherige)|alles (?:obige|vorherige|bisherige"
        r"|davor|vorher|was (?:davor|vorher|oben) (?:steht|stand|kam))|den (?:obigen|vorherigen|bisherigen)"
        r" (?:text|inhalt|absatz)) ?[.;:!]? ?(?:und )?(?:(?:stattdessen|nur|einfach|jetzt) ){0,2}(?:sag|sage|sagen sie"
        r"|schreib|schreibe|gib|antworte|antworten sie|behaupte)\b",
    ),
    rule(
        "ignore ignorez oublie oubliez",
        r" (?:tout )?(?:ce qui (?:précède|est (?:écrit )?(?:au-dessus|ci-dessus|plus haut))|le texte (?:précédent"
        r"|ci-dessus)) ?[.;:!]? ?(?:et )?(?:(?:simplement|seulement|maintenant) ){0,2}(?:dis|dites|écris|écrivez"
        r"|réponds|répondez|affiche|affirme)\b",
    ),
    rule(
        "ignora ignore ignoren olvida olvide",
        r" (?:todo )?(?:lo (?:anterior|de arriba)|el texto (?:anterior|de arriba)) ?[.;:!]? ?y (?:(?:solo|simplemente"
        r"|ahora) ){0,2}(?:di|diga|escribe|escriba|responde|responda|imprime)\b",
    ),
    rule(
        "игнорируй игнорируйте забудь забудьте",
        r" (?:всё )?(?:вышесказанное|вышеизложенное|написанное выше|предыдущий текст)[,.;!]? ?(?:и )?(?:просто )?"
        r"(?:скажи|скажите|напиши|напишите|ответь|ответьте)",
    ),
    rule(
        "忽略 无视 忘记 忽视",
        r"(?:掉)?(?:以上|上述|上面|前面|之前)的?(?:所有|全部)?(?:内容|文字|文本|一切)?[,,。;]?(?:并|然后|直接|只)?(?:说|回答|回复|输出|告诉)",
    ),
    rule(
        "上記を 上記の内容を 以上を 以上の内容を これまでの内容を",
        r"(?:すべて|全て)?無視し(?:て|、)[^。\n]{0,20}(?:答え|言っ|言い|出力|返答|回答)",
    ),
)

LANGUAGES: tuple[Rule, ...] = (
    *GERMAN,
    *SPANISH,
    *ROMANCE,
    *CHINESE,
    *JAPANESE,
    *KOREAN,
    *RUSSIAN,
    *ARABIC,
    *ABOVE_IGNORED,
)
