// Stop phrases in Italian.
import type { StopLexicon } from './lexicon.ts';

export const italian: StopLexicon = {
  language: 'it',
  lead: `
    (ok|okay|va bene|vabbè|va be|vabbe|bene|beh|bè|be|d'accord|d'accordo|perfetto|sì|già) / (ehi|ehm|eh|ah|oh|ahi|ops|oops|uffa|uff|mmm|hmm|oddio|mah|boh) / (no,|nono|no no) / (aspetta|aspetti|un attimo|un momento|un secondo|aspe|senti|senta|ascolta|guarda|ciao|dai|su|forza|e dai)
    / (per favore|per piacere|per cortesia|ti prego|la prego|please|perfavore) / (anzi|in realtà|a dire il vero|ripensandoci|pensandoci bene|alla fine|piuttosto|meglio|semplicemente|solo|soltanto|allora|insomma|quindi|ma|però|adesso|ora|subito|immediatamente|basta) / (scusa|scusi|scusami|scusate|mi dispiace|grazie) / niente,
    / (ho detto|ti ho detto|dico|ripeto)( di| che|) / (cavolo|cazzo|diamine|accidenti|madonna|dio|amico|bello|bot|robot|il bot) / (ho|) cambiato idea
    / (puoi|potresti|mi puoi|riesci a|vuoi|ti va di|può|potrebbe|potete)( per favore| per piacere| adesso| subito| solo|) / (voglio|vorrei|ho bisogno) che( tu|) / (ho detto|ti ho detto|dico|te l'ho detto)( di| che|) / (ok|pls|plz|xfavore|x favore|raga|bro|fra|oi|hey|lol|xd|ahah|ahaha|mannaggia|minchia|porca miseria|oddio|nah) / (ci ho ripensato|ho cambiato parere|ripensandoci) / (sbagliato|così no|è sbagliato), / sai cosa / tutto`,
  stop: `
    stop / stoppa / stoppati / stoppare / stoppalo / ferma / fermati / fermatevi / si fermi / fermi / fermalo / fermala / fermare / fermarti / fermarsi / annulla / annullare / annulli / annullalo / annullala / annullate / annullamento / interrompi / interrompere / interrompa / interrompilo / interrompiti / abortisci / abortire / blocca / bloccalo / bloccati / blocchi / sospendi / sospendere / arresta / arrestati / arrestare / cessa / cancel / nvm / abort / smetti / smettere / smetta / disdici / disdire / termina / alt / altolà
    / ti fermi / si ferma, / fermatelo / fermarci / annulla tutto / smettila / smettere / tu smetta / annulli / ti fermassi / fermarlo / annullarlo / interrompere / (uccidilo|uccidi|terminalo|chiudilo|finiscilo|troncalo|spegnilo|stoppalo) / (uccidi|termina|chiudi|tronca) (tutto|questo|quello) / terminare / concludi / piantarla / finirla / stoppami / cessare / cessate / fermi tutti / cancellare tutto`,
  stopWithoutObject: `
    no (fermati|ferma|annulla|smettila|lascia perdere|lascia stare|stop) / basta / basta (così|cosi|con questo|con questa storia|con quello|parlare|scrivere) / fermo / ferma lì / fermo (lì|là|dove sei) / smettila / smettetela / la smetta / smettiamola / smetterla / piantala / piantatela / finiscila / finitela / falla finita / (smetti|smettila) di (parlare|scrivere|farlo|fare così|rispondere) / smetti di fare quello che stai facendo
    / lascia / (lascia|lasci|lasciate|lasciamo) (stare|perdere|correre) / (lascia|lasci) (stare|perdere) (tutto|questo|quello) / (lascia|lasci) tutto / lasciatelo / dimentica / dimenticalo / dimenticatene / dimentichi / dimentichiamolo / (dimentica|dimentichi) (quello che ho detto|questo|quello) / scordalo / scordatelo / scordatene / come non detto
    / cancella / cancellalo / cancellare / può bastare / è (abbastanza|sufficiente)
    / (stai|sta'|sta|stia|state|fai) (zitto|zitta|zitti|buono|buona|silenzio) / zitto / zitta / zitti / silenzio / taci / tacete / chiudi (il becco|la bocca|quella bocca) / shh / shhh / ssh / muto / fai silenzio
    / (lascia|lascialo|lasciala|lasciamo) (stare|perdere|così|andare|lì|in pace|tutto) / lascialo / lasciala / lascia così / lasciar (perdere|stare) / lasciamo (stare|perdere|così) / (smettila|smettetela|basta|finiscila|piantala) (ora|adesso|subito|dai|qui|per oggi) / finiscila / (ora|adesso) (basta|smettila) / basta (dai|ora|adesso|per oggi|tutto|qui|cercare|lavorare) / e basta, (dai|smettila) / e basta dai / (è|sono) (abbastanza|a posto) / (smettila|smetti|basta) (di |)(cercare|lavorare|pensare|generare|fare|leggere|parlare) / la smetti / abbiamo finito / ho finito / finito / finiamola( qui|) / fermiamoci( qui|) / chiudiamola qui / ti fermi / ti fermi (ora|subito|qui) / la pianti / dacci un taglio / tagliala corta / mollalo / molla tutto / fermo (lì|tutto|subito|così)`,
  alone: `
    non importa / non fa (niente|nulla) / fa niente / fa nulla / non (serve|occorre)( più|) / non ce n'è( più|) bisogno / non è( più|) (necessario|importante) / non (continuare|continui|andare avanti|vada avanti|proseguire) / non (farlo|lo faccia|lo fare) / non mi serve più / non mi interessa più / meglio di no
    / non (continuare|continui|proseguire|prosegua|procedere|andare (avanti|oltre)|farlo|fare (così|questo|nulla|niente)|lo fare|lo faccia)( più| per favore|) / non (serve|importa|occorre|mi serve|mi interessa|è importante|è necessario)( più|) / non (ne|ne ho|ce n'è) (più |)(bisogno|ho più bisogno) / (fa|non fa) (niente|nulla) / non è niente / no grazie / non preoccuparti / lascia, non serve`,
  withoutLead: `
    abbastanza / sufficiente`,
  object: 'questo / quello / ciò / tutto / tutto quanto / tutto questo / tutto quello',
  tail: `
    (per favore|per piacere|per cortesia|ti prego|la prego|please|perfavore|grazie|grazie lo stesso|grazie comunque) / subito / adesso / ora / immediatamente / all'istante / in questo (momento|istante) / una buona volta / una volta per tutte / qui / lì / là / qua / così / (dai|su|eh|ok|scusa|scusami|mi dispiace|cavolo|cazzo|amico|bot|robot) / per (ora|il momento|adesso|l'amor di dio|carità) / ho detto / e basta / allora / pure / (ho |)cambiato idea
    / (pls|plz|xfavore|x favore|raga|bro|fra|lol|xd|ahah|ahaha|minchia|mannaggia) / ti ho detto / oggi / per oggi / tutto / no / sì / sbagliato / file sbagliato / faccio io / davvero / sul serio / un po' / di parlare / basta / bot mio`,
};
