"""Words that ordinary messages to a medication agent are full of, by the share of messages that contain them.

A literal made of such words is a poor guard: it opens on every other question. Shares are rough orders of magnitude,
in normalised spelling (accents folded), English, Spanish and Portuguese together.
"""

from __future__ import annotations

#: Share of messages, and the words that common, each between spaces; the first tier that holds a word counts.
TIERS: tuple[tuple[float, str], ...] = (
    (
        0.3,
        " a and can com da de do e el en for how i in is it la me my na nao no o of que se take the to um"
        " uma what you ",
    ),
    (
        0.1,
        " about after am an any are as at be been before but como con cual cuando cuanto did does eu feel"
        " from get go had has have having he help if just keep know like lo los mas may meu mi minha muito"
        " need not now on or para pode poder por posso puedo qual quando quanto sem she should si so some"
        " son sou ta taking tengo tenho that there they this time tomando tomar tomei un una used vai very"
        " vou was when which will with would y your ",
    ),
    (
        0.04,
        " 1 2 also another back bad because blood by cada care cause day days dia dias doctor dolor donde"
        " dor dos dosagem dose doses dosis drink drug drugs eat efecto efectos efeito efeitos effect effects"
        " esta estar estou estoy faz fazer hace hacer happen happens hay her his hoje hora horas hour hours"
        " hoy info its last left long lot m many medicacao medicamento medicamentos medication medications"
        " medicina medicine medicines meds mg mismo more morning much nada night nunca old once one only out"
        " over pain pastilla pastillas pelo persona pessoa pill pills porque pq pra prescription presion"
        " pressao pressure pueda puede quero quieres quiero receita receta remedio remedios right same"
        " secundarios see side sin someone something start still stop sure symptoms te tem tener think"
        " tiempo tiene times toda todo todos tomado tomo took treatment two up usar use using veces vez want"
        " we week weeks why year years yesterday ",
    ),
    (
        0.015,
        " 10 20 3 4 5 acabei alcohol alcool almost antes around ask away ayer ayuda baixa bebe bebida being"
        " bem between bien body cabeca cabeza chest child coisa coracao corazon cosa crianca deixar dejar"
        " depois desde despues diabetes died dizzy doing dont double enough eso esse este everything"
        " exercise falta febre fever fiebre filha filho first food getting glucose going good half hard"
        " hasta headache heart hija hijo hurt hurts insulin insulina kids kill little look low make mal mes"
        " meses might month months mucho noche noite normal off ontem other pecho peito people period really"
        " safe sangre sangue seguir semana semanas sempre sick siempre since sintomas sleep sleeping stomach"
        " sugar swallow taken tanto tell than them then these thing things tipo tomou too tratamento"
        " tratamiento tres try trying vida water way weight well without wont work working ",
    ),
)
