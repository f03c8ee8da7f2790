// Words that ask to go on with what was stopped, by language. Lead-ins, closing words and spellings are those of the stop phrases, and the ones here.
//
// Where the work was left ("where you left off") is an object, so that every verb may have it, and each phrase is written once.
import type { StopLexicon } from './lexicons/lexicon.ts';
import type { StopLanguage } from './stop-phrase-options.ts';

/** The words of one language: the fields of a `StopLexicon`, with what goes on in the place of what stops. */
export interface ResumeLexicon
  extends Pick<StopLexicon, 'objectBefore' | 'between' | 'talk' | 'spellings'>,
    Partial<Pick<StopLexicon, 'object' | 'lead' | 'tail'>> {
  /** Words that go on, which an object may follow: `continue` (where you left off). */
  readonly resume: string;
  /** Words that no object may precede or follow. */
  readonly resumeWithoutObject?: string;
}

export const resumeLexicons: Readonly<Record<StopLanguage, ResumeLexicon>> = {
  en: {
    lead: `
      (go ahead and|feel free to|go ahead|please do|do) / (we can|can we|could we|we should|we may) / never mind / (ignore|forget|never mind|undo) (that|the stop|my stop|the cancel) / (i didn't|didn't|i did not) mean to (stop|cancel|interrupt)( you| that| it|)
      / (whoops|wrong key|misclick|false alarm|accident|my mistake|an accident) / (i'd like|i would like|i'd love) (you|it) to / (that was|it was) (an accident|a mistake|a misclick|by mistake) / (i |)(accidentally |)stopped you( by accident| by mistake|) / ignore (my|the) last (message|command) / sorry about that / it's fine / you were doing (fine|great|well) / you should / by all means / don't stop
      / (i |)(hit|pressed) (stop|escape|cancel) by (accident|mistake) / that was fine / back to work`,
    resume: `
      continue / resume / proceed / carry on / keep going / keep at it / go on / keep on / keep on going / carry on going / continue on / (continue|resume|keep) (doing|working on) (it|that|this) / (continue|keep|go on) (working|running|writing|generating|typing|searching|talking|answering)
      / (start|get|get it) going again / pick (it|this|that|things) (back |)up( again|) / take (it|this) up again / get back (to|at|on) (it|this|that|work) / back to it / back at it / back to work / crack on / (resume|continue|restart) (work|task|operations) / (unpause|unstop|un-stop|uncancel|un-cancel) / (resume|continue|restart|go on with|carry on with|keep going with|proceed with|finish|complete) (the|your|that|this|my) (last |previous |)(work|task|job|turn|run|process|answer|reply)
      / (continuing|resuming) / keep it (going|rolling) / finish (it|that) (up|off) / roll on / move on with it / get on with it / let (it|that) (continue|run on|go on|keep going|finish)`,
    resumeWithoutObject: `
      (pick up|pick it up|pick back up|pick it back up|pick up again|start|start again|start up again|begin again|take it|take up|take it up|get going) (right |from |)where (you|we|it) (left off|left it|stopped|were|got to)
      / (from |)where you (left off|stopped) / from where we (left off|stopped) / as you were / (finish|complete) what you (started|were doing|began|were saying|were working on|were writing) / (resume|return to|go back to|get back to|back to|on with) what you were (doing|saying|working on|writing) / (do|get on with|finish|now|and) the rest / take it from (there|here) / keep doing what you were( doing|) / (pick up|start) from (there|here) / on with it / onward / onwards`,
    object: `
      it / that / this / with (it|that|this|the rest|everything|the plan|the task|the work|the job|your work|your task) / on / from (there|here) / (from |right |exactly |just |right from |)where (you|we|it) (left off|left it|stopped|were|were at|had stopped|had left off|got to|were interrupted|was|broke off|cut off|paused|were cut off) / (from |)where (i|we) (stopped|interrupted|cut) (you|it) / (with |doing |)what you (were doing|were saying|were working on|were writing|were up to|were about to do|had started|started)
      / (then|again|anyway|anyways|regardless|further|ahead|forward|onward|onwards|as before|as planned|as you were|like before|everything|all of it|the rest|there|here)`,
    tail: `
      then / from there / if you (like|please|don't mind) / when (you're|you are|) ready / i'm ready / after all / again / anyway / could you / pal / i (didn't|did not) mean to (stop|cancel|interrupt)( you| it| that|) / (i |)(hit|pressed) (stop|escape|cancel|it|the wrong key) by (accident|mistake) / that was (a mistake|an accident|a misclick|by mistake) / sorry about that / by all means / you were doing (great|fine|well) / don't stop`,
    talk: `
      (never|not|no longer|no need|can't|cannot|quit|shut up|be quiet|won't|do not) / don't / stop / enough / (stop|stop it|shut up|be quiet) and / no thanks / no thank you / not now / forget it / wrong one / undo that / would you mind / do you mind / i want (it|this|that) to / (doesn't matter|don't worry|whatever) / (i |)(don't|no longer) need (it|that|this) / go on it / go on (this|that|here|there|everything) / get on (it|that|this)`,
    spellings: `
      continue: cont|contiue|contiune|contine|continu|contnue|continute|cotinue|contiinue|continnue|conitnue|cntinue / resume: resum|reusme|resumme / proceed: procede|proceeed|preceed / going: goin|goign / carry: cary / where: wher|whre / again: agian|agn`,
  },
  es: {
    lead: `
      (era|fue) (un error|sin querer|por error) / (no quería|no quise) (pararte|detenerte|interrumpirte|cancelar|cancelarte) / (podemos|ya puedes|ya podés|debes|tienes que|hay que) / (me equivoqué|me he equivocado|sin querer|error mío) / tranquilo / dale / vamos / no espera / (ignora|olvida) (eso|lo anterior) / me equivoqué de tecla / adelante / no (pares|te detengas) / que / no hay problema / perdón / por mí / prefiero que`,
    resume: `
      continúa / continuá / continúe / continúen / continuar / continuemos / continúas / continúes / continuad / continuando / sigue / seguí / siga / sigan / sigamos / seguir / sigues / sigas / seguid / síguele / seguile / prosigue / proseguí / prosiga / prosigamos / proseguir / prosigas / prosigan
      / reanuda / reanudá / reanude / reanudar / reanudemos / reanudes / reanúdalo / retoma / retomá / retome / retomar / retomemos / retomes / retómalo / continúalo / (sigue|seguí|siga|continúa) (trabajando|escribiendo|hablando|buscando|haciéndolo|haciendo) / (volvé|vuelve|vuelva|de vuelta) (al trabajo|a ello|a eso) / (a seguir|échale) / dale (nomás|que sigue)`,
    resumeWithoutObject: `
      (empieza|arranca|vuelve a empezar|recomienza) (desde |)donde (lo |te |)(dejaste|quedaste|quedamos|ibas) / desde donde (lo |te |)(dejaste|quedaste|ibas) / (termina|terminá|termine|acaba|acabá|completa) (lo que|con lo que) (estabas haciendo|empezaste|estabas diciendo|ibas a decir|estabas escribiendo) / (termina|acaba|completa) (tu (trabajo|tarea|respuesta)|la tarea|lo que falta|el resto) / (vuelve|volvé) a lo (que estabas|que estabas haciendo|que hacías|tuyo)`,
    object: `
      eso / esto / con (eso|esto|ello|todo|todo eso|lo mismo|lo tuyo|lo demás|el resto|el trabajo|la tarea|tu tarea|tu trabajo) / (el trabajo|la tarea|tu trabajo|tu tarea|el proceso|la respuesta|el resto|lo que falta|lo demás|lo anterior|la última tarea|la ejecución|la operación|el plan) / ahí / desde (ahí|aquí|allí) / a partir de ahí / entonces / adelante / todo / de nuevo / otra vez / nomás / no más / nada más / pues / así / igual
      / (desde |en |por |justo |ahí |)donde (lo |te |nos |)(dejaste|quedaste|quedamos|dejamos|ibas|estabas|paraste|detuviste|interrumpí|interrumpiste|dejó|quedó|íbamos|estábamos|paré|detuve|cortaste|habías quedado|habías dejado) / (con |haciendo |)lo que (estabas haciendo|hacías|estabas|habías empezado|empezaste|estabas diciendo|decías|ibas a hacer|estaba haciendo|estabas escribiendo|venías haciendo) / como (ibas|antes|estabas)`,
    tail: 'pues / de nuevo / otra vez / nomás / entonces / cuando (puedas|quieras) / si puedes / tranquilo / sin problema / me equivoqué / me he equivocado / fue (un error|sin querer) / no quería (pararte|detenerte|interrumpirte) / con calma / adelante / ahí',
    talk: '(ya no|no ya no|nunca|tampoco|no gracias) / no / (no no|no no no|no mejor no) / (para|pare|cállate|calla) y / suficiente / basta / no hace falta / suficiente gracias / (da igual|no importa) / (lo|la) (puedes|podés|podrías|puede|quieres) / (sigue|siga|seguir) (todo|igual|así|ahí|adelante y)',
    spellings:
      'continúa: continia|kontinua|cntinua / sigue: sige|zigue / donde: dnd|dond|onde / dejaste: dejastes / quedaste: quedastes / prosigue: prosige',
  },
  fr: {
    lead: `
      (allez-y|allez-y,|oups|mon erreur|erreur de ma part|fausse manip|je me suis trompé|je me suis trompée|c'était une erreur|mauvaise touche) / (on peut|tu peux|vous pouvez|on) / je préfère que (tu|vous) / il faut que vous / je ne voulais pas (t'arrêter|vous arrêter|t'interrompre|arrêter|annuler) / ne t'arrête pas / pas de souci / aucun problème`,
    resume: `
      continue / continues / continuez / continuons / continuer / continuiez / reprends / reprend / reprenez / reprenons / reprendre / reprennes / repreniez / poursuis / poursuit / poursuivez / poursuivons / poursuivre / poursuives / enchaîne / enchaînez / repars / repartez / relance-toi / remets-toi au travail / remets-t'y / (retourne|retournez|retour|remettez-vous) au (travail|boulot) / au boulot / au travail
      / (continue|continuez|continuer) (à|de) (travailler|écrire|chercher|parler|répondre|bosser|le faire)`,
    resumeWithoutObject: `
      (la suite|et la suite|donne la suite|donne-moi la suite) / (recommence|recommencez|redémarre|repars|pars) (de |)là où (tu t'es arrêté|tu en étais|vous vous êtes arrêté|tu étais|on en était) / (termine|terminez|finis|finissez|achève|retourne à|reviens à) ce que (tu faisais|tu étais en train de faire|tu avais commencé|tu as commencé|tu disais|vous faisiez|tu écrivais) / (termine|finis|achève) (le travail|ton travail|ta tâche|la tâche|ta réponse|ta phrase|le reste) / là où tu (t'es arrêté|en étais)`,
    object: `
      ça / cela / ceci / avec (ça|cela|tout ça|le reste|la suite|le travail|la tâche) / tout / tout ça / là / de là / à partir de là / depuis là / alors / donc / ainsi / encore / de nouveau / tranquillement / là-dessus / dessus / comme (ça|avant|prévu|si de rien n'était) / sur ta lancée / quand même / sans t'arrêter / (le travail|ton travail|votre travail|la tâche|ta tâche|le traitement|ta réponse|votre réponse|la suite|le reste|ton explication|le processus|l'opération|l'exécution|la génération|le boulot|ton boulot|ta phrase|ce travail)
      / (là |de là |à partir de là |à l'endroit |exactement là |juste là |depuis là |)où (tu t'es arrêté|tu t'es arrêtée|tu en étais|tu en es|tu étais|tu t'étais arrêté|tu avais arrêté|tu en étais resté|vous vous êtes arrêté|vous vous êtes arrêtée|vous en étiez|vous étiez|on s'est arrêté|on en était|on s'était arrêté|nous en étions|je t'ai arrêté|je t'ai interrompu|je t'ai coupé|ça s'est arrêté) / (avec |)ce que (tu faisais|tu étais en train de faire|tu avais commencé|tu as commencé|tu disais|tu écrivais|tu étais en train de dire|tu étais en train d'écrire|vous faisiez|vous étiez en train de faire|vous aviez commencé|vous disiez)`,
    tail: `alors / donc / encore / quand même / de nouveau / tranquillement / quand tu (veux|peux) / si tu (veux|peux) / je me suis trompé / c'était une erreur / fausse manip / je ne voulais pas (t'arrêter|arrêter|t'interrompre) / je t'écoute / d'accord`,
    talk: `comme ça / continue comme ça / (pas|jamais|plus|arrête|stop|stoppez) / (tais-toi|ferme-la) et / (non merci|merci c'est bon|tant pis|peu importe) / (tu|vous) (peux|pouvez|veux|voulez|pourrais|pourriez|voudrais) pas / on va( tout| juste|) / (ta gueule,|tg,)`,
    spellings: 'continue: continu|contine|cntinue|kontinue / reprends: reprens|reprands',
  },
  de: {
    lead: `
      (dann|los|na los|gerne|klar|ruhig|wieder|oh|kommando zurück) / (kannst|könntest|würdest|magst|willst) du( jetzt| nun| wieder| einfach| ruhig| doch| gerne|) / du (kannst|darfst|sollst|könntest)( ruhig| gerne| wieder| gern| jetzt|) / (sie können|sie dürfen)( jetzt| ruhig| gerne|) / mir wäre lieber / (wir können|wollen wir|lass uns)( jetzt| bitte|) / (das war|war) (ein versehen|ein fehler|aus versehen|nur ein versehen|keine absicht|versehentlich) / (ich |)wollte (dich |das |)(gar |)nicht (stoppen|unterbrechen|abbrechen|anhalten)
      / (ich |)hab (dich |das |)(aus versehen|versehentlich) (gestoppt|unterbrochen|abgebrochen) / (mein fehler|versehentlich|vertippt|verklickt|hab mich vertippt|falsche taste|aus versehen) / (aus versehen|versehentlich) (gestoppt|abgebrochen|unterbrochen|gedrückt) / (ich |)hab mich (vertippt|verklickt) / nicht (aufhören|abbrechen|stoppen)`,
    resume: `
      weiter / weitermachen / weiterarbeiten / weiterschreiben / weiterreden / weitersuchen / weiterlaufen / weitersprechen / weitererzählen / weiterführen / fortfahren / fortsetzen / fortführen / weiterzumachen / fortzufahren / weitermachst / fortfährst / weiterarbeitest / weiterschreibst / fortsetzt / wiederaufnehmen / wieder aufnehmen / (mach|mache|machen sie|macht|machen wir|fahr|fahre|fahren sie|arbeite|arbeiten sie|schreib|schreibe|schreiben sie|rede|sprich|such|suche|lauf|erzähl|erzähle|rechne) weiter / (fahr|fahre|fahren sie|fahrt|fahren wir) fort / (setz|setze|setzen sie|führ|führe) fort / (setz|setze|setzen sie|führ|führe) (die arbeit|die aufgabe|deine arbeit|den vorgang|deine antwort) fort
      / (nimm|nehmen sie) (die arbeit|die aufgabe|deine arbeit|den faden) wieder auf / nimm wieder auf / weiter (geht's|gehts|geht es|im text|im programm) / (los |)weitergeht's / (kann|darf) weitergehen / (mach|mache|fahr|fahre) mit (dem rest|der arbeit|der aufgabe|deiner arbeit|deiner antwort|dem ganzen) (weiter|fort) / machweiter / mach's fertig / (arbeite|mach) (daran|an der aufgabe) weiter / (mach|mache|bring|bringe|machen sie|bringen sie|schreib|führ) (deine arbeit |die aufgabe |deine aufgabe |den rest |deinen satz |)(fertig|zu ende) / (zurück|wieder) an die arbeit / lass weiterlaufen / (continue|continuen|resume)`,
    resumeWithoutObject: `
      (fang|setz|leg) (wieder |)(da |dort |)(an|los) wo (du aufgehört hast|wir aufgehört haben|du warst) / fang (da|dort) wieder an wo du (aufgehört hast|warst) / (den rest|und den rest|den rest noch)`,
    between:
      'bitte / jetzt / mal / doch / nun / einfach / ruhig / gerne / gern / wieder / dann / schnell / gleich / da / dort / aber / also / schon / sofort / damit / so / genau / trotzdem / es / das / noch / nur',
    object: `
      damit / so / da / dort / genau da / genau dort / mit (dem|dem rest|der arbeit|der aufgabe|deiner arbeit|deiner aufgabe|deiner antwort|dem ganzen|allem) / von (dort|da) / ab (da|dort) / an der stelle / wieder / dann / alles / nun / ruhig / die arbeit / die aufgabe / deine arbeit / den rest / das / es
      / (genau |)(da |da, |dort |dort, |an der stelle |an der stelle, |an dem punkt |an dem punkt, |ab da |)wo (du|wir|sie|es) (aufgehört hast|aufgehört haben|aufgehört hat|aufgehört hattest|stehen geblieben bist|stehengeblieben bist|stehen geblieben sind|stehengeblieben sind|stehen geblieben ist|stehengeblieben ist|warst|waren|war|gestoppt hast|abgebrochen hast|unterbrochen wurdest|gestoppt wurdest|angehalten hast) / wie (bisher|vorher|zuvor|geplant|gehabt) / (mit dem |mit dem, |)was du (gemacht hast|angefangen hast|gerade gemacht hast|gerade getan hast|getan hast|gesagt hast)`,
    objectBefore:
      'damit / mit (dem rest|der arbeit|der aufgabe|deiner arbeit|deiner antwort) / die arbeit / die aufgabe / deine arbeit / (genau |)(da|dort|an der stelle) / von (da|dort) / ab da / (da |da, |dort |dort, |)wo (du|wir) (aufgehört hast|aufgehört haben|stehen geblieben bist|stehengeblieben bist|warst|waren)',
    tail: 'dann / wieder / ruhig / gern / gerne / nun / (das war|war) (ein versehen|keine absicht|aus versehen|nur ein versehen|ein fehler) / aus versehen / wenn (du kannst|es geht|du magst|du willst) / trotzdem / so / da / (ich |)hab mich (vertippt|verklickt) / falsche taste / (ich |)wollte (dich |)nicht (stoppen|unterbrechen|abbrechen)',
    talk: 'nicht / nie / niemals / kein / keine / ohne / hör / hör auf / schluss / stopp / stop / genug / (nein|bitte|jetzt) nicht / nein nicht / (kannst|könntest|würdest|willst) du nicht / (sei still|halt die klappe) und / schluss jetzt und / stell das ein und / (nein danke|nee danke) / weiter (so|nichts) / mach weiter so ',
    spellings:
      'weiter: weida|weita|weiterr|wieter|weitre / weitermachen: weitermach|weitermachn / mach: mahc / fortfahren: fort-fahren',
  },
  pt: {
    lead: `
      (vai|bora|vá|anda|ops|foi sem querer|foi engano|foi um erro|me enganei|enganei-me|erro meu|sem problema|sem problemas) / já (pode|podes) / (é para|é pra|podemos) / prefiro que( você| tu|) / não (queria|era para|era pra|quis) (te |)(parar|interromper|cancelar)( você|) / não (para|pare|pares) / pode`,
    resume: `
      continua / continue / continuar / continuem / continues / continuemos / continuando / segue / siga / seguir / sigas / seguindo / prossegue / prossiga / prosseguir / prossigas / prossigam / retoma / retome / retomar / retomes / retomem / retomemos / (continua|continue|segue) (a trabalhar|trabalhando|escrevendo|fazendo|a escrever|falando) / (vai|vá|segue|siga|continua|continue|pode ir|podes ir) em frente / (toca em frente|toca o barco|segue o baile) / (de volta|volta|volte) ao trabalho / vai continuando`,
    resumeWithoutObject: `
      (recomeça|recomece|volta|volte|começa|comece|parte) (a partir |)(de |)onde (você |tu |vc |)(parou|paraste|ficou|ficaste|estava|estavas) / de onde (você |tu |vc |)(parou|paraste) / (termina|termine|acaba|conclui|conclua|finaliza|finalize|volta|volte) (a |para |)o que (você |tu |)(estava fazendo|estavas a fazer|estava a fazer|fazias|começaste|começou) / (termina|termine|conclui|conclua) (o trabalho|a tarefa|a sua resposta|o resto|o que falta)`,
    object: `
      isso / isto / tudo / com (isso|isto|tudo|o resto|o trabalho|a tarefa) / nisso / aí / daí / dali / por aí / então / assim / em frente / adiante / de novo / novamente / outra vez / pois / normalmente / em diante / como (antes|estava|estavas) / (o trabalho|a tarefa|o seu trabalho|o teu trabalho|o processo|a resposta|o resto|a sua tarefa|a execução|a operação|a última tarefa|o que falta|a tua resposta|a sua resposta|o plano)
      / (a partir |exatamente |exactamente |)(de onde|onde|do ponto onde|do ponto em que) (você |tu |a gente |nós |vc |)(parou|paraste|ficou|ficaste|estava|estavas|parámos|paramos|tinha parado|tinhas parado|deixou|deixaste|ia|ias|ficamos|ficámos|estávamos|foi interrompido|largou) / (com |a |)(o que|aquilo que) (você |tu |vc |)(estava fazendo|estavas a fazer|estava a fazer|começou|começaste|fazia|fazias|ia fazer|estava dizendo|estavas a dizer|estava escrevendo)`,
    tail: 'então / de novo / novamente / quando (puder|puderes) / se (puder|puderes) / foi (sem querer|engano|um erro) / me enganei / enganei-me / não queria parar / erro meu / em frente / outra vez / pois / tranquilo',
    talk: '(não|nunca|sem|nem|já não|chega|nao|n) / (cala a boca|fica quieto) e / (não precisa|não importa|tanto faz) / (não não|não não não) / (continua|continue|segue|siga|seguir) (assim|isso|isto|tudo|aí|então) / ah não / não preciso / (deixa estar|deixa pra lá) / siga',
    spellings:
      'continua: cntinua|kontinua / continue: contnue|continui / parou: paro / onde: ond|aonde / você: vc|voce',
  },
  it: {
    lead: `
      (forza|pure|errore mio|mi sono sbagliato|mi sono sbagliata|ho sbagliato|è stato un errore|prego|tranquillo|per sbaglio) / (possiamo|devi|potete) / preferirei che( tu| lei|) / non volevo (fermarti|interromperti|fermare|interrompere|annullare) / non fermarti / nessun problema`,
    resume: `
      continua / continui / continuate / continuare / continuiamo / continuando / prosegui / prosegua / proseguite / proseguire / proseguiamo / riprendi / riprenda / riprendete / riprendere / riprendiamo / riprendilo / (vai|vada|andate|andiamo|andare|tira) avanti / procedi / proceda / procedere / procedete / procediamo / riparti / riparta / (continua|continui|vai avanti) a (lavorare|scrivere|parlare|cercare|farlo) / (torna|rimettiti|torniamo) al lavoro`,
    resumeWithoutObject: `
      (ricomincia|ricominci|parti|riparti) (da |)dove (eri|eravamo|hai lasciato|avevi lasciato|ti sei fermato|ti eri fermato|eri rimasto) / da dove (eri rimasto|ti eri fermato|avevi lasciato|ti sei fermato|eravamo rimasti) / (finisci|finisca|completa|concludi|torna a) (quello|ciò|quel) che (stavi facendo|facevi|avevi iniziato|hai iniziato|stavi dicendo|stavi scrivendo) / (finisci|completa|concludi) (il lavoro|il tuo lavoro|il compito|la risposta|il resto)`,
    object: `
      questo / quello / ciò / tutto / con (questo|quello|ciò|tutto|il lavoro|il compito|il resto|la risposta|il tuo lavoro) / (il lavoro|il tuo lavoro|l'attività|il compito|il tuo compito|la risposta|la tua risposta|il resto|il processo|l'esecuzione|l'operazione|il discorso|l'ultimo compito) / da (lì|là|qui) / allora / così / come prima / pure / avanti / di nuovo / ancora / quindi / oltre / tranquillo / tranquillamente / senza problemi / lo stesso / comunque
      / (esattamente |proprio |)(da |dal punto |da là |da lì |)(dove|in cui) (eri|eravamo|hai lasciato|avevi lasciato|ti sei fermato|ti sei fermata|ti eri fermato|ci eravamo fermati|ci siamo fermati|avevamo lasciato|eri rimasto|eri rimasta|eravamo rimasti|sei rimasto|hai interrotto|si era fermato|si è fermato|ti ho (fermato|interrotto)|eri arrivato|sei arrivato) / (con |)(quello|ciò|quel) che (stavi facendo|facevi|avevi iniziato|hai iniziato|stava facendo|stavi dicendo|stavi scrivendo|dicevi)`,
    tail: 'pure / allora / di nuovo / ancora / quando (puoi|vuoi) / se puoi / mi sono sbagliato / mi sono sbagliata / è stato un errore / errore mio / non volevo (fermarti|interromperti) / avanti / senza problemi / tranquillo',
    talk: '(non|mai|senza|nemmeno|basta|smetti|fermati|stop) / (zitto|stai zitto) e / (no grazie|niente|non importa|non serve più) / (continua|continui|prosegui) (così|tutto|questo|ancora) / lascia (andare|continuare)',
    spellings: 'continua: cntinua|kontinua / prosegui: prosegu',
  },
  ja: {
    lead: `
      それでは / さあ / さて / ええ / (大丈夫|問題ない|平気)(なので|だから|から|ので) / もう少し / (キャンセル|停止|中止)は(間違い|ミス)(です|だから|) / 問題ない / 問題ないので / 問題ありません / 引き続き / ひきつづき / そのまま / このまま / もう一度 / また / 再び / どんどん / 構わず / かまわず / 気にせず / 遠慮なく / (間違えて|間違って|うっかり|誤って)(止めた|止めちゃった|止めてしまった|止めました|押した|押しちゃった|停止した|停止しちゃった|止めてしまいました)(だけ|だけだから|ので|けど|) / 押し間違えた / 押し間違えました / さっきの停止は(間違い|ミス|誤り|なし)(です|だから|) / 止めてごめん / (止める|止めた)つもりは(なかった|ない|ありません)(から|です|) / やめないで / 止めないで / とめないで`,
    objectBefore: `
      それ / それを / その(作業|処理|タスク|仕事|話|続き)(を|) / (作業|処理|タスク|仕事|話|回答|返事|説明|実行|生成|検索|さっき|さっきの作業|さっきの処理|さっきのタスク|さっきの話|さっきの|先ほどの作業|先ほどの|前の作業|中断した作業|残り|残りの作業|やっていたこと|やってたこと|さっきやってたこと|さっきやっていたこと|中断していた作業|止めた作業|元の作業)(を|は|も|の続きを|の続きから|) / (やりかけ|途中|やり残し|残り)の(作業|仕事|こと|処理)(を|) / (続き|つづき|さっきの続き|先ほどの続き|前回の続き)(を|は|から|も|) / (そこ|途中|先ほど|ここ)から / 引き続き / そのまま / このまま
      / (止めた|止まった|中断した|やめた|止まってた|止まっていた|さっき止めた|途切れた|終わった|中断していた|止めてた|止めていた|さっき止まった|停止した)(ところ|とこ|箇所|場所|所|地点)(から|の続きを|の続きから) / (さっき|先ほど)の(ところ|とこ|所)から / 最後まで / (先|さき)(を|に|へ)`,
    resume: `
      (続け|つづけ)(て|ろ|よう|ましょう|なさい|てて|な|てくれ|てほしい|ちゃって|といて|や|てや|てな) / (続け|進め|再開し|続行し|継続し)て(いい|いいよ|いいです|もいいよ|もいいです|も大丈夫|も大丈夫です|もらえますか|もらえる|もらえませんか|もらっていい|大丈夫|大丈夫です|どうぞ|ok|構わない|構いません|結構です|みて|もらって) / (続行|継続|再開)(して|しろ|しよう|しましょう|しな|しなさい|させて|で|) / コンティニュー / コンテニュー / (進め|すすめ)(て|ろ|よう|ましょう|ちゃって|といて) / 進んで / 続けてください / 続けるように / 続けさせて`,
    resumeWithoutObject: `
      (続き|つづき)(お願い|お願いします|おねがい|おねがいします|頼む|頼みます|よろしく|よろしくお願いします|やって|どうぞ|ください|をお願い|をお願いします|を頼む|をどうぞ|をやって|を書いて|を進めて|をください|を聞かせて|を話して|をよろしく|をして|いこう|行こう|はよ|書いて) / (続き|つづき|途中|さっきの続き|そこ|さっきの続き|さっきのところ|止めたところ|止まったところ|中断したところ|中断した箇所|止めた所|やめたところ|先ほどの続き|止めたとこ)から(お願い|お願いします|おねがいします|やって|始めて|頼む|どうぞ|いこう|行こう|スタート|よろしく|よろしくお願いします|) / (さっきの|先ほどの)(続き|続きを)
      / (さっき|先ほど|前回|さっきの作業|さっきの話|作業|話)の続きを(お願い|お願いします|やって|進めて) / 続きを始めて / (さっき|先ほど|前回)の続きを(やって|お願い|お願いします|して|書いて|進めて|どうぞ) / (そのまま|このまま|引き続き|ひきつづき)(お願い|お願いします|おねがいします|頼む|やって|やってて|どうぞ|よろしく|よろしくお願いします|いって|行って|いこう|行こう|進んで|作業して) / (作業|仕事|処理)に戻って / (残り|残りも|残りを|残りの作業を)(やって|お願い|お願いします|やってしまって|終わらせて|片付けて|頼む|書いて|やっちゃって|進めて) / (最後まで)(やって|お願い|お願いします|やってしまって|やり切って|書いて) / 再開お願いします / (続行|継続|再開)(を|)(お願い|お願いします|頼む|よろしく)`,
    tail: `
      どうぞ / いいよ / いいです / 大丈夫 / 大丈夫です / 構わない / 構いません / かまいません / よろしく / よろしくお願いします / しまって / みて / そのまま / このまま / (間違えた|間違えました|間違えただけ|押し間違えた|押し間違えました|間違って止めた|間違えて止めた) / 止めるつもりはなかった / すまん / ください`,
    talk: '(やめて|止めて|とめて|ストップ|stop|中止) / (もういい|もういいよ|もういいです|結構です|もう大丈夫|もう十分|十分です) / (再開|続行|継続|進行)(しない|するな|しなく|された|した|中|は|しません) / (続け|つづけ|進め)(ない|るな|なく|ず|ません|た|ている|ている|ています|てる|てた|てき) / (続き|つづき)(が|ある|ない|まだ) / (だめだ|だめ|違うから|違います) / (見つかった|見つけた|解決した) / (続ける|進める)(な|か|の|と|べき|こと)',
  },
  zh: {
    lead: `
      (请|麻烦你|现在|没事|刚才|刚刚|来|然后|不用停|别停|不要停|别停下|别停下来|不要停下来|别管我|按错了|点错了|手滑|手滑了|误触|误操作|我按错了|我点错了|不小心按错了|不小心按到了|不小心停了|刚才是误操作|刚才按错了|刚才点错了|唔好停|我不是想停|我没想让你停|没想停) / (让我们|你就|那你|你) / (再|又|重新) / (可以|能|你可以|你能)`,
    objectBefore: `
      (把|)(刚才|刚刚|之前|前面|上面|原来|剩下|未完成|没做完|中断|手头|上次)的(工作|任务|事|事情|话|话题|内容|部分|活|) / 从(刚才|刚刚|之前|上次|你刚才|你|)(停下来|停下|停止|停|中断|断开|断|打断|断掉|停低)(的地方|的位置|处|那里|嘅地方) / 从(断点|断点处|刚才的地方|刚刚的地方|那里|那儿|这里|这儿|刚才那里|刚才那儿) / (按|照)(原计划|计划|原来的)`,
    resume: `
      继续 / 继续(下去|做|做下去|干|写|说|讲|跑|搞|弄|执行|运行|工作|处理|任务|生成|输出|回答|操作|进行|往下|完成|查|找|搜索|分析|编写|聊|前进|来|走|干活|跑下去|说下去|写下去|干下去|讲落去|落去|做嘢|前面的|之前的|刚才的|上面的|原来的|未完成的|剩下的) / 继续(你|)(刚才|刚刚|之前|前面|上面|原来|先前|剩下|未完成|没做完|没完成|中断|手头|上次|手头上|未完)的(工作|任务|事|事情|话|话题|内容|部分|活|回答|步骤|操作) / 继续(你|您)(刚才|刚刚)(做|说|写|讲)的 / 继续(你|您)的(工作|任务|回答|操作|活|步骤|话|表演) / 接着 / 接着(来|做|干|写|说|讲|跑|弄|搞|往下|执行|工作|干活|查|走|做下去|说下去) / (接着|继续)(往下|)(说|做|写|讲|走) / 往下(说|做|写|讲|走|继续|来|执行|进行) / 恢复(工作|执行|运行|任务|) / 接住(做|讲|写|落去) / (做|讲|写|搞|跑|干|说)(落去|下去) / 接上 / 接下去 / 接下去(做|说|写|讲)`,
    resumeWithoutObject: `
      (从|就从)(刚才|你|上次|)(停下来|停下|停|中断|断)的地方(开始|重新开始|接上|做起) / (接着|继续|按|照)(刚才|刚刚|之前|上次|原来|前面|你刚才|原计划|上面)(的|)(来|做|说|讲|写|干|继续|往下|进行|执行|做下去) / 把(剩下|余下|后面|没做完|未完成|没写完)的(都|也|工作|任务|部分|)(做完|完成|写完|说完|弄完|干完|搞完) / (做|写|说|干|跑|弄|讲)完(它|剩下的) / 回去(工作|干活) / 接着上(次|面|文)(来|说|写|做)`,
    object:
      '(刚才|刚刚|之前|上次)的(事|事情|工作|任务|活) / 它 / 这个 / 那个 / 这些 / 全部 / 所有 / 下去 / 之前的 / 刚才的 / 未完成的 / 刚才在做的(事|事情|) / 你刚才(做|说|写|在做|正在做)的(事|事情|) / 你(正|)在做的(事|事情|)',
    tail: '了 / 喽 / 就可以 / 辛苦了 / 辛苦 / 没事 / 没关系 / 麻烦你了 / (我|刚才|)(按错|点错|手滑|误触)了 / 不用管我 / 加油 / 嘢 / 不好意思 / 啊唔该',
    talk: '(不要|不用|别再|别|不再|不必|无需|没法|不能|没有|不想|唔好|唔使|停止|停|取消|闭嘴|停下|别说) / (算了|够了|不用了|不了|夠了|算啦|算喇|算数啦) / 别再 / 快停, / 继续(努力|加油|教育|保持|关注|学习|观察|不|没) / 再(说|见|来|也|继续不|做|写|讲) / (做|讲|写|说|跑|干)(掉|完它) / 说(说|了|讲)',
    spellings: '续: 續 / 继: 繼',
  },
  ko: {
    lead: `
      실수야 / 실수였어 / 실수로 (멈췄어|눌렀어|눌렀어요|멈췄어요|껐어) / 잘못 (눌렀어|눌렀어요|눌렀네) / 멈추려(던|고 한) 게 아니야 / (다시|마저|계속|쭉|이어서|이대로|그대로|하던 대로|신경 쓰지 말고|멈추지 말고|쉬지 말고|걱정 말고|멈추지 마|멈추지 마세요) / (괜찮으니까|괜찮으니|문제 없어|문제 없으니까|응응|그럼 이제)`,
    objectBefore: `
      (하던|하던 거|하던거|하던 걸|하던 것|하던 일|하던 작업|하던 일을|하던 것을|하던 작업을|하던 대로|아까 하던 거|아까 하던 일|아까 하던 작업|방금 하던 거|작업|작업을|일|일을|하던 말|하던 말을|하던 얘기|답변|답변을|나머지|나머지도|나머지를|남은 거|남은 작업|남은 일|남은 것|이전 작업|중단된 작업|중단한 작업|멈춘 작업|뒷부분|그 작업|그 일|중단된 작업을|중단한 작업을|이전 작업을) / (멈춘|멈췄던|중단한|중단된|중단했던|끊긴|끊어진|하던|그만둔|멈춘 그|아까 멈춘|아까 하던|끊겼던|아까 중단한|방금 멈춘|네가 멈춘)( 데| 곳| 부분| 지점| 자리)(에서|부터|에서부터|서|서부터) / (거기|여기|아까 거기)(서|서부터|부터|에서)`,
    resume: `
      계속 / 계속(해|하자|해라|하세요|해요|해봐|해보자|하면 돼|하면 돼요|하면 됩니다|해도 돼|해도 돼요|해도 됩니다|해도 좋아|해도 괜찮아|하십시오|하시죠|하라고|하기|하렴|하도록 해|하셔도 돼요|하셔도 됩니다|하시면 돼요|하시면 됩니다|해나가) / 계속( 써| 말해| 얘기해| 작업해| 일해| 돌려| 실행| 실행해| 가| 가자| 이어가| 이어가자| 나아가| 해 나가| 설명해| 찾아| 검색해| 쭉) / 진행 / 진행(해|하자|하세요|시켜|해도 돼|해도 돼요|하면 돼|해요|해봐|하십시오|하시죠) / 이어서 / 이어서( 해| 하자| 진행| 진행해| 써| 말해| 가자| 가| 하세요| 작업해) / (이어|이어 )(가|가자|가세요|나가|나가자|해|갑시다) / 이어 / 재개 / 재개(해|하자|하세요|하십시오) / 속행 / 속행(해|하자) / 마저( 해| 하자| 하세요| 써| 끝내| 진행해| 말해|) / 다시 (진행해|이어가|이어 가) / 쭉 (해|가|가자|진행해|이어가) / 컨티뉴 / 계속 ㄱㄱ`,
    resumeWithoutObject: `
      (멈춘|중단된|중단한|하던|끊긴|멈췄던) (데서|데부터|곳에서|곳부터|부분부터|지점부터|데서부터) 다시 (시작해|시작하자|시작하세요) / (멈춘|중단된|중단한|하던) (작업|작업을|일|일을) 다시 (시작해|시작하자|시작하세요) / 거기(서|서부터|부터) 다시 (시작해|시작하자) / (하던|아까 하던|방금 하던) (거|일|작업|것) (해|하자|하세요|마저 끝내|끝내|끝까지 해) / 하던 대로 (해|하자) / (일|작업)하러 가 / (작업|일)으로 돌아가 / (나머지|나머지도|남은 거|남은 거도|남은 것) (해|부탁해|끝내|하자|완성해|써) / (계속|이어서|마저) (부탁해|부탁드려요|부탁드립니다|부탁해요|부탁합니다)`,
    object: '그거 / 이거 / 그걸 / 이걸 / 나머지 / 하던 거 / 하던 일 / 거기서 / 거기부터',
    tail: 'ㄱㄱ / 고고 / 다시 / 실수였어 / 실수야 / 실수로 눌렀어 / 잘못 눌렀어 / 잘못 눌렀어요 / 그대로 / 이대로 / 쭉 / ㅇㅇ / 봐 / 보자 / 나가 / 나가자 / 갑시다 / 합시다',
    talk: '(하지 마|하지마|하지 말고|지 마|지마|못|안|그만|멈춰|중단해|중지|정지|필요 없어|필요 없으니까|필요없어|됐어|됐어요|됐으니까|됐습니다|됐다|충분해|충분해요|충분하니까|됐고|괜찮습니다) / (그만하고|말 그만하고|떠들지 말고|말하지 말고|잔말 말고|여러 말 말고|인제 그만) / 계속 (그러|이러) / (고마운데|고맙지만|감사하지만) / 다시 생각 / 계속(했|한|되) / 진행(했|한|되|중)',
    spellings: '계속: 게속',
  },
  hi: {
    lead: `
      (फिर|फिर से|वापस|गलती से (रुक गया|रोक दिया|दब गया|बंद हो गया)|गलती हो गई|मेरी गलती|कोई बात नहीं|रुको मत|रुकना मत|रुकिए मत|मत रुको|चलो अब|तो अब) / (चाहता|चाहती) हूँ कि( तुम| आप|) / (phir|fir|phir se|fir se|wapas|vapas|galti se (ruk gaya|rok diya|dab gaya|band ho gaya)|galti ho gayi|meri galti|koi baat nahi|ruko mat|rukna mat|mat ruko|to ab|toh ab|to|toh) / (तुम|आप|tum|aap) / (सॉरी|sorry)`,
    objectBefore: `
      (इसे|उसे|इसको|उसको|काम|काम को|अपना काम|बाकी काम|बाकी|बाकी का|बाकी का काम|बाक़ी|आगे का|आगे का काम|पिछला काम|अधूरा काम|वही काम|वही|जो कर रहे थे|जो कर रहे थे वही|जो कर रहे थे वो|जो काम कर रहे थे|जो काम कर रहे थे वो|जो बोल रहे थे|अपनी बात|बात|टास्क|प्रोसेस|जवाब|अपना जवाब) / (जहाँ|जहां)( से| पर|)( तुमने| आपने| हमने| तुम| आप| हम|) (छोड़ा था|रुके थे|रुका था|छोड़ा|थे|बंद किया था|रोका था|रुक गए थे|रुक गया था|रुके|छोड़ दिया था|रुकी थी) / (वहीं|वहाँ|वहां|वही|उसी जगह|यहीं|यहाँ|उधर)( से|) / फिर से / दोबारा / वापस / पहले की तरह
      / (ise|use|isko|usko|kaam|kaam ko|apna kaam|baaki kaam|baki kaam|baaki|baki|baki ka|baki ka kaam|aage ka|aage ka kaam|pichla kaam|adhura kaam|wahi kaam|wahi|jo kar rahe the|jo kar rhe the|jo kar rahe the wahi|jo kar rahe the wo|jo kar rahe the woh|jo kaam kar rahe the|jo bol rahe the|apni baat|baat|task|process|jawab|apna jawab) / (jahan|jaha)( se| pe| par|)( tumne| aapne| humne| tum| aap| hum|) (chhoda tha|choda tha|chora tha|ruke the|ruka tha|chhoda|choda|the|band kiya tha|roka tha|ruk gaye the|ruk gaya tha|ruke|chod diya tha) / (wahin|wahi|vahin|vahi|wahan|waha|usi jagah|yahin|yahi)( se|) / (phir se|fir se|dobara|wapas|vapas|pehle ki tarah)`,
    resume: `
      जारी (रखो|रखिए|रखिये|रखें|रखना|रख|रखे|रखिएगा|करो|रहने दो|रखने दो|रहने दें|रख सकते हो|रख सकते हैं|रखा जाए) / आगे (बढ़ो|बढ़िए|बढ़ें|बढ़ना|बढ़|बढ़ाओ|बढ़ाइए|चलो|चलिए|चलें|करो|कीजिए|करें|बोलो|बोलिए|लिखो|लिखिए|काम करो|जारी रखो|जारी रखें|बढ़ते रहो|चलते रहो|बढ़ सकते हो|बढ़ सकते हैं|शुरू करो) / चालू (रखो|रखिए|रखें|करो|कीजिए|करें|रख|रहने दो) / (चलता रहने दो|चलने दो|चलने दीजिए|चलने दें|करते रहो|करते रहिए|करते रहें|लगे रहो|लगे रहिए|चलते रहो|चलाते रहो|लिखते रहो|बोलते रहो|बढ़ते रहो|काम करते रहो) / (फिर से|दोबारा|वापस|वहीं से|वही से) (शुरू|चालू) (करो|कीजिए|करें|कर दो|करिए|हो जाओ) / (कंटिन्यू|कॉन्टिन्यू|कन्टिन्यू|कंटीन्यू|रिज़्यूम|रिज्यूम|continue|resume|proceed)( करो| कर| कीजिए| करें| कर दो| करिए| रखो| करते रहो| karo| kar| kijiye| kare| karen| kar do| kardo| kariye| rakho| karte raho| kro| krdo| karna| kr|) / (वहीं|वही|वहाँ) से (शुरू करो|करो|उठाओ|शुरू कीजिए|शुरू करें|कीजिए) / (wahin|wahi|vahin|wahan) se (shuru karo|karo|uthao|shuru kijiye|start karo) / (काम पूरा|इसे पूरा|उसे पूरा) (करो|कीजिए|करें|कर दो)
      / (jaari|jari) (rakho|rakhiye|rakhie|rakhen|rakhna|rakh|rakhe|karo|rehne do|rakhne do|rakh sakte ho) / aage (badho|badhiye|badhie|badhen|badhna|badh|badhao|chalo|chaliye|karo|kijiye|bolo|boliye|likho|likhiye|kaam karo|jaari rakho|badhte raho|chalte raho|badh sakte ho|shuru karo) / (chalu|chaalu) (rakho|rakhiye|rakhen|karo|kijiye|rakh|rehne do) / (chalta rehne do|chalne do|chalne dijiye|karte raho|karte rahiye|lage raho|lage rahiye|chalte raho|chalate raho|likhte raho|bolte raho|badhte raho|kaam karte raho) / (phir se|fir se|dobara|wapas|vapas|wahin se|wahi se) (shuru|chalu|start) (karo|kijiye|karen|kar do|kardo|kariye|ho jao) / (kaam pura|kaam poora|ise pura) (karo|kijiye|kar do|kardo)`,
    resumeWithoutObject: `
      (काम|अपने काम) पर (वापस |)(लग जाओ|लौटो|लग जाइए|आ जाओ) / (बाकी|बाकी का काम|बाकी का|बाकी काम) (भी |)(कर दो|करो|पूरा करो|पूरा कर दो|खत्म करो|कीजिए|निपटाओ) / जो कर रहे थे (वो |वही |वह |उसे |)(करो|पूरा करो|कीजिए)
      / kaam (pe|par) (wapas |)(lag jao|lauto|lag jaiye|aa jao) / (baaki|baki|baki ka|baki ka kaam|baki kaam) (bhi |)(kar do|kardo|karo|pura karo|pura kar do|khatam karo|kijiye) / jo kar rahe the (wo |woh |wahi |use |)(karo|pura karo|kijiye)`,
    between: 'भी / bhi / ही / hi / ज़रा / zara / अब / ab / प्लीज़ / please / कृपया / तो / to / na / ना',
    object:
      'इसे / उसे / काम / फिर से / ise / use / kaam / phir se / fir se / (wahin|wahi|vahin) se / वहीं से / जहाँ (छोड़ा था|रुके थे|थे) / jahan (chhoda tha|choda tha|ruke the|the)( wahin se| wahi se|)',
    tail: `
      फिर से / वहीं से / गलती से (रुक गया था|दब गया|रुक गया) / गलती हो गई / दोस्त / सकते हो / सकते हैं / अभी / आराम से / phir se / fir se / wahin se / galti se (ruk gaya tha|dab gaya|ruk gaya) / galti ho gayi / dost / sakte ho / sakte hain / abhi / aaram se`,
    talk: '(मत|बंद|रोको|रोक|रुको|रुक|रोक दो) / (mat|band|roko|rok|ruko|ruk) / (जारी|आगे|चालू|शुरू|पूरा|कंटिन्यू|continue) (मत|नहीं|न करो) / (jaari|jari|aage|chalu|shuru|pura|continue) (mat|nahi|nhi|na karo) / (बस|bas) (करो|karo|कर|kar|चलने|chalne) / (फिर मिलेंगे|phir milenge) / (नहीं|nahi|nhi) (जारी|आगे|करते|चालू|शुरू|continue|jaari|jari|aage|karte|chalu|shuru) / (रहने दो|rehne do)',
    spellings:
      'जारी: जारि|ज़ारी / रखो: रक्खो|रखों / बढ़ो: बढो|बड़ो / badho: bado|barho|bdho / karo: kro|karro / aage: agey|aagey|age / raho: rho / rakho: rkho / rahe: rhe',
  },
  ar: {
    lead: `
      لا مشكله / مش مشكله / لا باس / (ضغطت |)(بالغلط|بالخطا|خطا بالغلط) / ضغطت خطا / كان خطا / كانت غلطه / لم اقصد (ايقافك|التوقف|الايقاف) / (ما كان|مكنش|ماكان) قصدي( اوقفك|) / ما قصدت اوقفك / لا تتوقف / لا توقف / متوقفش / ما توقفش / ما تقفش / عد و / ارجع و / روح / خطا مني / غلطتي / اذا / رجع / ايوا / يمكنك / لك ان`,
    resume: `
      تابع / تابعي / تابعوا / تتابع / نتابع / متابعه / المتابعه / واصل / واصلي / واصلوا / تواصل / نواصل / مواصله / المواصله / استمر / استمري / استمروا / تستمر / نستمر / الاستمرار / استمرار / اكمل / اكملي / اكملوا / تكمل / تكملي / نكمل / كمل / كمّل / كملي / كملوا / كملها / كمله / اكمله / اكملها / الاكمال / استانف / استئناف / الاستئناف / استانفي / تستانف / نستانف / (امض|امضي) قدما / كمل لي / كمللي / زيد كمل / كونتينيو / كنتنيو / (ارجع|ارجعي|عد|عودي) (كمل|تابع|للعمل|للشغل|لشغلك|لعملك|الى العمل|الى عملك)
      / kammel / kamel / kammil / kamil / kamli / kammeli / kamelha / kammelha / kammelo / tabe3 / tabi3 / tabe3i / wasel / wasil / waseli / estamer / istamer / istamir / akmel / akmil / ekmel / ikmel / estanef`,
    resumeWithoutObject: `
      من (حيث|مكان ما|مطرح ما|وين ما) (توقفت|انتهيت|وصلت|وقفت|توقفنا) / (ابدا|ارجع) من (حيث|مكان ما|مطرح ما) (توقفت|وقفت|انتهيت) / (انه|انهي|اتمم|اتم|خلص) (ما بداته|ما بدات|اللي بديته|اللي بداته|شغلك|عملك|المهمه|الباقي|كلامك)`,
    object: `
      ذلك / هذا / عليه / به / فيه / من (هناك|هنا|هون|هنيك|جديد) / الامر / كله / كل شيء / الان / قدما / ده / دا / هالشي / مره اخرى / الى الامام / للامام / كما (كنت|هو|كان|خططت) / على نفس المنوال / عادي / زي ما (انت|كنت) / مثل ما كنت / على راحتك / بقى
      / (في |)(العمل|عملك|المهمه|مهمتك|شغلك|الشغل|الكتابه|الكلام|كلامك|البحث|الرد|الاجابه|اجابتك|الحديث|حديثك|التنفيذ|الباقي|البقيه|الموضوع|العمليه|الشرح|ردك|جوابك|المهمه السابقه|اللي باقي|ما تبقى) / (في |)(ما|الذي) (بداته|بدات|كنت تفعل|كنت تفعله|كنت تعمله|كنت تقوله|كنت تقول|تفعله) / (في |)اللي كنت (بتعمله|تعمله|بتقوله|تسويه|تسوي|تقوله|بتعمل) / اللي (بديته|بداته|بدات فيه)
      / (من |)(حيث|عند النقطه التي|النقطه التي|المكان الذي|المكان اللي|النقطه اللي|مكان ما|مطرح ما|وين ما|محل ما|حيثما) (توقفت|انتهيت|كنت|وقفت|وصلت|تركت|توقفنا|وصلنا|وقفنا|انتهينا|وقفتي|توقفت فيه|توقفت عنده|توقفت عندها|وقفت فيه|وقفت عنده|وقفت عندها|وصلت اليه|وصلت له)
      / (men|min|mn) (hena|hina|hon|henak|hinak) / (men|min|mn) (7ais|7ays|hais|makan ma|mkan ma|matra7 ma|wein ma|ween ma) (wa2aft|w2eft|waqaft|twa2aft|tawaqaft|wselt|weselt|wasalt|kont|kunt)`,
    tail: `
      من جديد / مره (اخرى|ثانيه) / تاني / ثاني / اذن / يلا / كان خطا / كانت غلطه / (ضغطت |)(بالغلط|بالخطا) / لم اقصد ايقافك / ما كان قصدي / مكنش قصدي / على راحتك / عادي / كما كنت / tany / tani / من هنا / من هناك`,
    talk: '(لا|لم|لن|ما|بدون|مش|مو|ليس|متكملش|ماتكملش|كفى|كفايه|توقف|قف|وقف) / لا (داعي|حاجه|تكمل|تتابع|تستمر|تواصل) / ما (تكمل|عليك) / (la|ma|mat|laa) / (la|ma) (tkammel|tkamel|tkml) / (khalas|5alas|bas|kefaya|خلاص|بس) (kammel|kamel|كفايه) / (لا شكرا|ولا يهمك|بلاش|خلاص لا|لا عليك) / (لا لا|لا لا لا|لالا) / (tab|tayeb) la',
    spellings: 'تابع: تابعع / توقفت: توقفتت',
  },
};
