"""What each kind of clause is known by, in English, Spanish and Portuguese. Patterns are of the normalised text.

First come words for people, places and times, then the tables that `clauses.py` reads by.
"""

from __future__ import annotations

import re


def _any(*alternatives: str, edge: str = r"\b") -> re.Pattern[str]:
    return re.compile(edge + "(?:" + "|".join(alternatives) + ")")


def _one_of(*alternatives: str) -> str:
    return "(?:" + "|".join(alternatives) + ")"


#: Whoever may answer instead.
WHO = _one_of(
    r"doctors?\b|physicians?\b|gps?\b|pharmacists?\b|pharmacy|nurses?\b|clinicians?\b|clinic\b|prescribers?\b",
    r"\w+ologists?\b",
    r"p(?:a)?ediatricians?\b|specialists?\b|surgeons?\b|(?:care|health|medical) team|oncology|cardiology",
    r"(?:nurse|advice) line|healthcare|surgery\b",
    r"(?:medical |health )?professionals?\b|providers?\b|(?:who|that) (?:prescribed|knows?|treats?|sees?)|whoever",
    r"medic[oa]s?\b|doctora?\b|farmaceutic[oa]s?\b|farmacias?\b|enfermer[oa]s?\b|especialistas?\b|\w+olog[oa]s?\b",
    r"pediatras?\b",
    r"equipo\b|profesional(?:es)?\b|consultorio|clinica\b|oncologia|cardiologia|centro de salud",
    r"quien(?:es)? (?:te|lo|la)\b",
    r"doutora?\b|farmaceutic[oa]s?\b|enfermeir[oa]s?\b|\w+ologistas?\b|equipe\b|profission(?:al|ais)\b|posto\b|ubs\b",
    r"quem (?:te |o |a )?(?:receitou|prescreveu|atende|acompanha|trata|conhece)",
)
#: Now, or as good as now.
NOW = _one_of(
    r"now\b|right away|straight ?away|immediately|at once|this (?:minute|instant|second)|tonight|today|asap",
    r"same[- ]day|straight\b",
    r"as (?:soon|fast|quickly) as|within (?:the|an) hour|without delay|urgently|don't wait|do not wait",
    r"ya\b|ahora|de inmediato|inmediatamente|enseguida|cuanto antes|hoy\b|esta noche",
    r"en este (?:momento|instante|minuto)|derecho\b",
    r"lo (?:mas rapido|antes) (?:que|posible)|sin demora|no esperes|urgente(?:mente)?\b|menos de una hora",
    r"ja\b|agora|imediatamente|o quanto antes|hoje|neste (?:momento|instante|minuto)|direto\b|o mais rapido",
    r"sem demora|nao espere",
    r"menos de uma hora",
)
#: Where somebody in danger is sent; a hospital only with `NOW`.
SERVICES = _one_of(
    r"samu\b|cvv\b|samaritans?\b",
    r"emergency (?:medical )?(?:services?|number|rooms?|department|care|help|attention|line)|ambulances?\b",
    r"(?:nearest|closest) (?:er\b|hospital|emergency)|\bthe er\b|\ba ?& ?e\b|casualty\b",
    r"crisis (?:text )?(?:line|hotline|lifeline|counsel)",
    r"(?:suicide|crisis)[a-z &-]{0,20}(?:line|lifeline|hotline)",
    r"poisons? (?:control|cent(?:re|er)|\w*line|information)|lifeline\b",
    r"(?<!farmacia de )(?:emergencias?|urgencias?|guardia)\b|ambulancias?\b|(?:hospital|clinica) mas cercan[oa]",
    r"toxicologi\w+",
    r"intoxicaciones",
    r"linea de (?:crisis|la vida|prevencion|ayuda|vida|emergencia)",
    r"pronto[- ](?:socorro|atendimento)|\bupa\b|hospital mais (?:proximo|perto)|centro de valorizacao da vida",
    r"intoxicac(?:ao|oes)",
    r"ciatox|toxicologic[ao]|socorro\b|resgate\b",
)
_HOSPITAL = rf"(?:hospital|clinica mas)\b[^\n]{{0,40}}?\b{NOW}|\b{NOW}[^\n]{{0,30}}\bhospital\b"
_GO = _one_of(
    r"(?:call|dial|phone|ring|text|contact|visit|reach)(?:ing)?\b|go(?:ing)?\b|get(?:ting)?\b|head\b|seek|seen\b",
    r"checked|looked at|drive|take|bring|run\b|needs?\b|have\b|be\b",
    r"llam\w{1,8}|marc\w{1,6}|v[ea]\b|vaya\w{0,3}|vete\b|anda(?:te)?\b|acud\w{1,5}|busc\w{1,6}|busqu\w{1,4}",
    r"p[ie]d\w{1,5}|dirig\w{1,7}",
    r"contact\w{1,6}|comuni\w{1,10}|ir\b|corr\w{1,4}|llev\w{1,6}|habl\w{1,5}|escrib\w{1,4}|necesit\w{1,5}",
    r"avis\w{1,5}|vea[ns]?\b|revis\w{1,3}|atiend\w{1,3}|estar\b",
    r"lig(?:ue|a|ar|uem)\b|dis(?:c|qu)\w{1,4}|va\b|vai\b|vao\b|procur\w{1,3}|cham\w{1,4}|dirija|acion\w{1,3}",
    r"fal[ea]r?\b|convers\w{1,3}|pec[ao]\w?\b",
    r"pede\b|lev\w{1,4}|precis\w{1,3}|atendid[oa]|vejam?\b|examin\w{1,3}",
)
#: A number of three digits, and no dose: `Take 112 mcg`.
_CALL = _one_of(
    r"call|dial|phone|ring|text|contact|reach",
    r"llam\w{1,8}|marc\w{1,6}|comuni\w{1,10}|habl\w{1,5}",
    r"lig(?:ue|a|ar|uem)|dis(?:c|qu)\w{1,4}|fal[ea]r?",
)
_NUMBER = rf"{_CALL}\b[^\n]{{0,40}}?\b(?:[019]\d\d|988|116 ?123)\b(?! ?(?:mc?g|ml|units|mg))"
#: It sends somebody there. `Call your doctor now` does too, and less far.
DIRECT = re.compile(
    rf"\b{_NUMBER}|\b{_GO}\b[^\n]{{0,60}}?\b(?:{SERVICES})|\b{_GO}\b[^\n]{{0,60}}?\b{_HOSPITAL}"
    r"|\b(?:this|that|it|esto|eso|isso|isto) (?:is|needs|es|e) (?:an? |uma? |una? )?(?:case |caso )?(?:for |para |de )?"
    rf"(?:the |la |o |a )?(?:{SERVICES})[^\n]{{0,20}}\b{NOW}"
    r"|\b(?:ambulance|ambulancia)\b[^\n]{0,20}\b(?:you need|que necesit|que voce precisa)"
)
DIRECT_TOO = _any(
    r"^(?:es|e) uma? (?:emergencia|urgencia)",
    r"this (?:is|may be|could be|sounds like|looks like) (?:an?|a medical) (?:medical )?emergency",
    r"(?:is|sounds|be) life[- ]threatening",
    r"need(?:s)? (?:emergency|immediate|urgent) (?:medical )?(?:care|help|attention)|every (?:minute|second) counts",
    rf"get (?:medical |some )?help (?:right )?{NOW}",
    r"(?:esto|eso) (?:es|puede ser|podria ser|suena a|parece) una (?:emergencia|urgencia)",
    r"cada (?:minuto|segundo) (?:cuenta|conta)",
    r"necesit\w{1,4} (?:atencion|ayuda) (?:medica )?(?:urgente|inmediata|de emergencia|ya)",
    rf"(?:p[ie]d\w{{1,4}}|bus(?:c|qu)\w{{1,4}}) (?:ayuda|ajuda|socorro|atencion|atendimento)[^\n]{{0,20}}\b{NOW}",
    r"(?:poner|colocar|pone|coloca) (?:en |em )?(?:riesgo|peligro|risco|perigo)?[^\n]{0,12}\b(?:tu|su|sua) vida",
    r"(?:isso|isto) (?:e|pode ser|parece|soa como) uma (?:emergencia|urgencia)",
    r"precisa (?:de )?(?:atendimento|ajuda|socorro) (?:medic[oa] )?(?:urgente|imediat[oa]|de emergencia|agora)",
    rf"peca (?:ajuda|socorro)[^\n]{{0,20}}\b{NOW}",
)
_SEE = _one_of(
    r"(?:call|phone|ring|see|contact|tell)(?:ing)?\b|get in touch|seen by|speak|talk|let\b",
    r"llam\w{1,8}|avis\w{1,5}|comuni\w{1,10}|contact\w{1,6}|ver\b|vean?\b|acud\w{1,5}|habl\w{1,5}|ve\b|atiend\w{1,3}",
    r"lig(?:ue|a|ar)\b|avis\w{1,3}|contato|procur\w{1,3}|pass(?:ar|e|a)\b|fal[ea]r?\b|va\b|atendid[oa]",
)
URGENT = _any(
    rf"{_SEE}\b[^\n]{{0,60}}?\b{WHO}[^\n]{{0,40}}?\b{NOW}",
    rf"{_SEE}\b[^\n]{{0,20}}?\b{NOW}[^\n]{{0,40}}?\b{WHO}",
)
#: `You don't need to go to the ER.`
NEED_NOT = _any(
    r"(?:(?:don|doesn|needn)'?t|do not|not)(?: \w+)? (?:need|have|necessary)\b[^,:;]*$",
    r"no (?:hace falta|necesit\w+|tien\w+ que|es necesario|hay (?:que|necesidad))\b[^,:;]*$",
    r"nao (?:precis\w+|e (?:preciso|necessario)|tem que|ha necessidade)\b[^,:;]*$",
)
#: A case that may come, and what only looks like one.
IF = _any(
    r"if\b|unless|in case|should (?:you|it|they|he|she)\b|when(?:ever)? ",
    r"si\b|en caso de|cuando |a menos que|de lo contrario",
    r"se \w{2,9}[aei]r(?:em)?\b|caso |quando |em caso de",
    r"se (?:voce|[oa]s? |ele|ela|isso|hoje|esses?|nao |for |tiver|sentir|houver|piorar|aparecer|notar|perceber|acha)",
)
NO_IF = re.compile(r"\b(?:even if|as if|aunque|mesmo que|mesmo se|if you can'?t wait|si no puedes esperar|y si\b)")
DESPAIR = _any(
    r"you(?:'re| are) not alone|feeling (?:this way|like this|so)|hurt(?:ing)? yourself|kill(?:ing)? yourself",
    r"you matter|you deserve",
    r"end(?:ing)? your life|suicid|in (?:so much|a lot of) pain|hurts (?:this|so) much|your life matters",
    r"(?:these|those|having) thoughts|(?:stay|be|keep you) safe",
    r"(?:glad|thank you for|for) (?:you told|telling|trusting) me|(?:worried|concerned) about (?:you|what you)",
    r"through this alone",
    r"no est[ae]s sol[oa]|te (?:est[ae]s )?s(?:ientas|ientes|entis|intiendo) asi",
    r"pasar (?:por )?esto (?:sol[oa]|en soledad)|hacerte dano|lastimarte|quitarte la vida|esos pensamientos",
    r"a salvo|me preocup",
    r"tu vida (?:importa|vale)|vales mucho|mereces|duela tanto|que me (?:lo )?(?:contaras|cuentes|dijeras)",
    r"voce nao esta sozinh[oa]|se sentindo assim|se sente assim|se machucar|tirar a (?:propria |sua )?vida",
    r"sua vida importa",
    r"esses pensamentos|em seguranca|preocupad[oa] com (?:voce|o que)|passar por isso sozinh[oa]|merece ajuda",
    r"doa tanto|que (?:bom que )?voce me contou",
)
#: A line for people in a crisis, however it is named: to somebody in despair that is enough.
LINE = _any(
    r"988\b|188\b|cvv\b|116 ?123\b|samaritans?\b|(?:crisis|suicide)[a-z &-]{0,20}(?:line|lifeline|hotline)",
    r"linea de (?:crisis|la vida|ayuda|prevencion|vida)|centro de valorizacao da vida",
)
CRISIS = _any(r"988\b|188\b|cvv\b|116 ?123\b|samaritans?\b|crisis\b|suicid|linea de (?:la vida|ayuda)")
#: `No te lo`, `não lhe`.
_NO = r"no (?:(?:te|les?|l[ao]s?|se|me|os) )*"
_NAO = r"nao (?:(?:te|lhes?|se|[oa]s?|me) )*"
#: Of what the writer says no to: being able, allowed, willing, fit, informed.
REFUSE = _any(
    # English
    r"i(?:'m| am)? (?:really |also |just |certainly |still )?(?:can(?:'t|not| not)|am unable|unable|not able)\b",
    r"and can'?t\b",
    r"i (?:really |also |just |certainly )?(?:won'?t|will not|couldn'?t|wouldn'?t|don'?t|do not|didn'?t|never)\b",
    r"i(?:'m| am) not (?:a |an |the |allowed|permitted|qualified|in a position|able|going to|set up|here)",
    r"i(?:'m| am) (?:only|just) (?:a|an|here)|not (?:something|anything|one|an option)\b|not (?:my|what i)\b",
    r"(?:is not|isn'?t|aren'?t) (?:something|my|part of)",
    r"(?:outside|beyond) (?:of )?(?:what i|my|me\b)|nothing i can|can'?t (?:help|assist) (?:you )?with",
    r"no (?:way|means) (?:for me |of )",
    r"there(?:'s| is) no way|we(?:'re| are)? (?:can't|cannot|unable|not able)|nobody can\b|a no from",
    r"not going there|no,? (?:sorry|i)\b",
    r"i (?:only|just|mainly|stick to|must decline|have to (?:decline|leave|pass))\b",
    r"i'?ll (?:leave|pass|keep|stay|have to)\b|going to pass",
    r"(?:i'?d|i would|i'?m) (?:rather|prefer|sooner|more comfortable|happier)\b|prefer not|let'?s leave",
    r"leave (?:that|this|it|those|the)\b",
    r"(?:prompt|instructions?|settings|guidelines?) (?:are|is) (?:private|confidential)|no pretending",
    r"my (?:job|role|purpose) is|i(?:'m| am) here (?:for|to)",
    r"this (?:chat|assistant|service) is (?:only|just)",
    r"(?:wouldn'?t|would not|isn'?t|not) (?:be )?(?:safe|right|responsible|fair) (?:for|of) me",
    r"(?:irresponsible|unsafe|wrong) (?:of|for) me|guess(?:ing)?\b[^\n]{0,30}\b(?:harm|hurt|risk|unsafe|danger)",
    # Spanish
    rf"{_NO}(?:puedo|podria|podemos|debo|debemos|voy a|vamos a|quiero|quisiera|sabria|soy|estoy|doy)\b",
    rf"{_NO}(?:hago|digo|veo|leo)\b",
    rf"{_NO}(?:opino|receto|diagnostico|recomiendo|comparto|interpreto|respondo|indico|trabajo|trato|entro|calculo)\b",
    rf"{_NO}(?:sugiero|escribo|juzgo|evaluo|valoro|conozco|manejo|ofrezco|brindo|revelo|muestro|hablo|cambio)\b",
    rf"{_NO}se (?:decir|si\b|que|cual|responder)",
    r"no (?:me|nos) (?:corresponde|es posible|toca|compete|meto|atrevo)|no (?:es algo|cuento con|tengo)",
    r"me es imposible|nadie puede",
    r"(?:fuera|mas alla) de (?:lo que|mi alcance|mis)",
    r"no (?:es|son) (?:lo mio|mi (?:tema|funcion|area)|una opcion|seguro que yo)|no hay (?:manera|forma|modo) de",
    r"prefiero (?:no|que)|mejor no (?:te|lo|la)|mejor (?:dejemos|dejarlo|que)|me quedo mas|me falta",
    r"seria irresponsable|no seria (?:seguro|responsable|correcto)",
    r"(?:solo|solamente|unicamente) (?:ayudo|te ayudo|puedo|respondo|soy|estoy)|soy (?:solo|un asistente)",
    r"estoy (?:aqui |aca )?para|me dedico a|mi (?:funcion|tarea|trabajo) es",
    r"este (?:chat|servicio|asistente) es (?:solo|solamente|para)",
    r"(?:instrucciones|datos) son (?:privad|confidencial)|es un no\b|la paso\b|y yo menos",
    r"adivinar\b[^\n]{0,30}\b(?:dano|mal|riesg|peligr)",
    # Portuguese
    rf"{_NAO}(?:posso|poderia|podemos|consig[oa]|conseguimos|devo|vou|vamos|quero|sei|sou|estou|tenho|dou|saberia)\b",
    rf"{_NAO}(?!necessari|muit|como|quando|tant|tod|outr|pel|log|ced|pouc|mesm)\w{{1,12}}[^aeiou\W]o\b(?! que tom)",
    r"(?:isso|isto|ai|la) eu nao|eu nao\b",
    r"nao (?:me )?(?:cabe|compete|e (?:possivel|comigo|algo|o meu|minha|uma opcao))|nao (?:sao|e) comigo",
    r"ninguem pode",
    r"(?:fora|alem|foge) d[oa]s? (?:que (?:eu )?|meu|minha)",
    r"nao (?:ha|tem|da para|da pra) (?:como |jeito |saber|dizer|ver)|me falta",
    r"prefiro (?:nao|que)|(?:e )?melhor (?:eu nao|nao te|a gente deixar|deixar)|fico mais tranquil",
    r"seria irresponsavel|nao seria (?:seguro|responsavel|certo)",
    r"(?:so|somente|apenas) (?:ajudo|te ajudo|posso|respondo|cuido|sou|estou)|sou (?:so|apenas|um assistente)",
    r"cuido so|estou aqui (?:para|pra)|meu (?:papel|trabalho) e",
    r"este (?:chat|servico|assistente) e (?:so|apenas|para)",
    r"(?:instrucoes|dados) sao (?:privad|confidencia|sigilos)|parte e nao\b|vou passar\b|eu menos",
    r"(?:chutar|adivinhar)\b[^\n]{0,30}\b(?:mal|risco|perig|prejud)",
    edge=r"(?<![a-z])",
)
#: A case that is now, where it comes first: `If you are having chest pain, call 911.`
IS = _any(
    r"if (?:you|he|she|they|somebody|someone|your \w+)(?:'re| are| is|'s)\b",
    r"si (?:ahora |ya |realmente )?(?:tienes|tenes|estas|sientes|sentis|tiene|esta)\b",
    r"se (?:voce |ele |ela )?(?:esta|tem|estiver|tiver|sente)\b",
)
#: Somebody else decides.
DECIDES = _any(
    rf"(?:for|to|from|with|between you and|is|are) (?:for )?(?:your|the|a|their) (?:\w+ )?{WHO}"
    r"(?:'s)?(?: call| decision| to (?:decide|make|answer|say))?[^\n]{0,25}(?:not (?:mine|me|for me|an)\b|rather|$)",
    rf"only (?:the |your |a )?(?:\w+ )?{WHO}[^\n]{{0,30}}\b(?:can|could|should)\b",
    rf"(?:should|must|has to|needs to|have to) (?:be|come|decide)[^\n]{{0,30}}\b(?:by|from)\b[^\n]{{0,20}}{WHO}",
    rf"(?:le (?:corresponde|toca)|es (?:cosa|tema|asunto|decision) de|en manos de|depende de)[^\n]{{0,20}}{WHO}",
    rf"(?:lo|la|los|las) (?:tiene|debe|tendria|deberia)n? que? ?\w+[^\n]{{0,20}}{WHO}",
    rf"(?:quien|el que|la que) (?:decide|define|sabe|puede)[^\n]{{0,20}}{WHO}",
    rf"(?:eso |esto )?solo (?:te )?(?:lo |la )?(?:puede|sabe|decide)[^\n]{{0,30}}(?:{WHO}|quien)",
    rf"decisao (?:e|cabe)[^\n]{{0,20}}{WHO}|(?:quem|o que) (?:decide|define|sabe|tem que|pode)[^\n]{{0,30}}{WHO}",
    rf"(?:e com|cabe a|fica com|depende d[oa])[^\n]{{0,12}}{WHO}|so (?:quem|o|a)[^\n]{{0,24}}(?:pode|sabe|decide)",
)
#: `I can't stress enough`, `I won't judge you`: they refuse nothing.
NOT_REFUSED = _any(
    r"can(?:'t|not) (?:stress|emphasi[sz]e|thank|imagine|wait|agree more|be sure|promise)",
    r"won'?t (?:judge|tell anyone|leave)|don'?t (?:worry|forget|hesitate)",
    r"no (?:puedo (?:imaginar|dejar de|estar segur)|voy a juzgar|te voy a juzgar|te preocupes)|no puedo insistir",
    r"no olvides",
    r"nao (?:posso (?:imaginar|deixar de)|consigo imaginar|vou (?:te )?julgar|se preocupe|esqueca)",
)
#: What the writer does instead, or would.
OFFER = _any(
    r"i(?:'m| am)? (?:can|could|happy|glad|able)\b|happy to|shall i|should i|want (?:me|help|to)|would you like",
    r"can i help|let me know|anything else|is there (?:some|any)thing|something (?:else|about)|help you with\b",
    r"if you'd like",
    r"pero si\b|(?:si )?(?:te )?puedo|te ayudo|quieres|quer[ei]s|vemos|algo mas|cuent(?:a|e) conmigo",
    r"pued[ao] ayudar|si quieres",
    r"(?:mas )?posso|te ajudo|quer\b|vamos ver|algo mais|isso sim|conte comigo|poss[ao] ajudar|se quiser",
)
REFER = _any(
    rf"(?:ask|talk|speak|check|contact|consult|discuss|see|call|phone|reach out|run)\b[^\n]{{0,40}}{WHO}",
    rf"(?:hear|answer|show|let|bring|appointment|right place)\b[^\n]{{0,40}}{WHO}",
    rf"{WHO}[^\n]{{0,30}}\b(?:can|will|knows?|does|is (?:the|right)|would|should|needs?|has)\b",
    rf"(?:question|matter) for\b[^\n]{{0,20}}{WHO}|knows? your history|changes on your own",
    rf"(?:pregunt|habl|consult|llam|acud|contact|avis|pedi|pide|coment|llev|muestr|mostr)\w{{0,8}}\b[^\n]{{0,40}}{WHO}",
    rf"que (?:la|lo|te) vea\w?\b[^\n]{{0,40}}{WHO}",
    rf"{WHO}[^\n]{{0,30}}\b(?:puede|sabe|si\b|te va|es quien|tiene)",
    rf"(?:pregunta|tema|asunto) para\b[^\n]{{0,20}}{WHO}|para eso esta|conocen? tu historia|cambios por tu cuenta",
    rf"cita con\b[^\n]{{0,20}}{WHO}",
    rf"(?:pergunt|fal|convers|consult|procur|lig|avis|pec|peg|ver|mostr|lev)\w{{0,6}}\b[^\n]{{0,40}}{WHO}",
    rf"{WHO}[^\n]{{0,30}}\b(?:pode|sabe|vai|e quem|tem|explica|precisa)",
    rf"(?:pergunta|assunto) para\b[^\n]{{0,20}}{WHO}|para isso existe|conhecem? (?:o )?seu historico",
    rf"mudancas por (?:sua )?conta|consulta com\b[^\n]{{0,20}}{WHO}|discut\w{{1,3}} com\b[^\n]{{0,20}}{WHO}",
)
COURTESY = _any(
    r"afraid\b|not (?:a substitute|medical advice|a doctor)|i(?:'m| am) (?:so |really |very )?sorry|sorry\b",
    r"thank(?:s| you)",
    r"i (?:understand|hear you|appreciate)|hope (?:this|that|you)|please$|take care",
    r"(?:that's|what) a (?:great|good) question",
    r"lo siento|siento mucho|agradezco|gracias|entiendo|espero que|lamento|perdon|disculp|buena pregunta|que pena",
    r"sinto muito|agradeco|desculp|obrigad|entendo|espero que|lamento|boa pergunta",
)
#: It tells something that somebody may act on.
INFORM = _any(
    r"usual(?:ly)?|often|most people|many people|some people|common\w*|normal\b|typical\w*|in general|generally",
    r"tends? to|helps (?:many|some|a lot|with|to|people)",
    r"means\b|works?\b|lasts?|keep(?:s)? (?:for|the|it)|fades?|settles?",
    r"(?:about|around|for|every|in|a) (?:\d+|an?|one|two|three|four|six)[a-z ]{0,6} (?:minute|hour|day|week|mg|time)",
    r"^(?:take|keep|store|put|set|drink|eat|avoid|try|skip|swallow|write|use|fill|rest|wait|start|stop|crush|chew|add)\b",
    r"suele[ns]?\b|la mayoria|mucha gente|casi todos|comun(?:es)?\b|normal(?:es)?\b|en general|habitual\w*",
    r"quiere decir|significa\b|dura[n]?\b|sirve\b|ayuda (?:a|mucho|bastante)",
    r"(?:\d+|una|dos|tres|cuatro|seis|ocho) (?:minutos?|horas?|dias?|semanas?|mg|veces)|unas? cuantas",
    r"^(?:toma|deja|pon|guarda|evita|prueba|proba|usa|anota|salta|traga|espera|descansa|bebe|programa)(?:l[ao]s?)?\b",
    r"costuma[m]?\b|a maioria|muita gente|quase todos|comu[mn]s?\b|norma(?:l|is)\b|em geral|quer dizer|dura[m]?\b",
    r"ajuda (?:a|muito|bastante)|funciona bem",
    r"(?:\d+|uma|duas|dois|tres|quatro|seis|oito) (?:minutos?|horas?|dias?|semanas?|mg|vezes)",
    r"^(?:tome|beba|programe|deixe|coloque|guarde|evite|tente|tenta|use|anote|pule|engula|espere|descanse)\b",
)
#: A sentence goes on: what was refused is given after all.
BUT = re.compile(r"\s*;\s*|[,:]? \b(?:but|however|though|pero|sin embargo|aunque|mas|porem|so que|no entanto)\b")
