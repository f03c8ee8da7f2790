// Stop phrases in French.
import type { StopLexicon } from './lexicon.ts';

export const french: StopLexicon = {
  language: 'fr',
  lead: `
    (ok|okay|oki|d'accord|bon|bien|très bien|c'est bon|ça va|ben|bah|ouais|oui|si) / (euh|heu|ah|oh|eh|hé|hey|hep|aïe|oups|ouh|hum|hmm|mmh|pff|roh) / (salut|bonjour|allô|dis|écoute|tiens|allez|attends|attendez|attend|minute|une seconde|un instant|une minute)
    / (non,|nan|nop|non non|non mais) / (mais|alors|donc|et puis|puis|enfin|bref) / (s'il te plaît|s'il vous plaît|s'il te plait|s'il vous plait|stp|svp|please|pitié|merci de|merci) / (juste|simplement|plutôt|finalement|en fait|au final|tout compte fait|maintenant|tout de suite|immédiatement)
    / (désolé|désolée|pardon|excuse-moi|excusez-moi) / (j'ai dit|je t'ai dit|je te dis|je vous dis|je répète)( de|) / (putain|merde|zut|mince|mec|frère|bordel|mon dieu|bot|robot|le bot) / (j'ai|) changé d'avis / veuillez
    / (peux-tu|tu peux|pourrais-tu|tu pourrais|veux-tu|tu veux bien|est-ce que tu (peux|pourrais)|peux tu|pouvez-vous|vous pouvez|pourriez-vous|vous pourriez|est-ce que vous pouvez)( bien| juste| maintenant| s'il te plaît| stp|) / (je veux|je voudrais|j'aimerais|il faut|faut|je te demande) (que tu|que vous|de) / on va( tout| juste|) / (changement d'avis|je change d'avis|j'ai changé d'idée) / (je t'ai dit|je vous ai dit|j'ai dit|je t'ai demandé) d' / (ta gueule,|tg,|pff|purée|prière de|wesh|yo|coucou|bof|roh|ouf|oulah|mdr|lol|xd|ptn|stp stp|mauvais fichier|c'est faux|erreur), / (prière de|coucou|bof|yo|wesh|mdr|lol|ptn|purée|tout de suite|c'est bon,|mais non|eh oh|stoppez) / tout`,
  stop: `
    stop / stoppe / stoppez / stopper / arrête / arrêtes / arrêtez / arrêter / arrête-toi / arrêtez-vous / arrête-le / arrêtez-le / annule / annules / annulez / annuler / (annule|annulez)-(le|la|moi ça|moi) / annulation
    / interromps / interrompez / interrompre / abandonne / abandonnez / abandonner / cesse / cessez / halte / suspends / cancel / nvm / abort / (laisse|laissez)-(le|la)
    / arrêter ça / t'arrêter / vous arrêter / s'arrêter / m'arrêter / t'arrêtes / arrêtes / arrêtiez / annules / d'arrêter / d'annuler / arrête là / arrêtez là / arrêt / arrêt immédiat / cesser / cessez-le / (tue|termine|terminez|tuez|coupe|stoppe)-(le|la|ça) / (tue|termine|coupe|terminez) (ça|tout|tout ça) / (stoppe|annule|arrête|interromps|suspends|abandonne)-(le|la|moi ça) / stoppes / areter / arete / aretes / arrèt / arete toi`,
  stopWithoutObject: `
    non (arrête|arrêtez|annule|annulez|laisse tomber|oublie|oubliez) / (laisse|laissez|laissons) (tomber|béton|faire) / (laisse|laissez) (ça|cela|tout) / (laisse|laissez) (ça|cela|tout) (tomber|tranquille) / laisse / oublie / oubliez / oublions / (oublie|oubliez|oublions) (ça|cela|tout ça|ce que j'ai dit)
    / (oublie|oubliez|oublions)-le / (ça|cela) suffit / (ça|cela) suffit (comme ça|maintenant) / suffit / c'est assez / en voilà assez / n'en parlons plus / basta
    / (arrête|arrêtez) de (parler|écrire|faire ça|répondre|générer) / (arrête|arrêtez) ce que (tu fais|vous faites) / on (arrête|annule|oublie|stoppe|laisse tomber|s'arrête) / on (arrête|annule|oublie) (tout|ça) / faut (arrêter|que tu arrêtes) / que tu arrêtes
    / tais-toi / taisez-vous / (ta|vos) (gueule|gueules) / (la ferme|ferme-la|fermez-la|ferme la) / ferme ta (gueule|bouche) / tg / silence / chut / chuuut / du calme / tais-toi donc / la paix / motus
    / (laisse|laissez|laissons) (-le |)(tranquille|comme ça|ainsi|de côté|couler) / (laisse|laissez)-(le|la) (tomber|tranquille) / laisse-moi tranquille / (arrête|arrêtez)-(toi|vous) (là|ici|maintenant) / (on en|restons-en|reste-en) (reste |)là / (c'est|cela|ce sera) (fini|terminé|tout|bon là|assez) / c'est bon, (arrête|laisse|merci) / (c'est bon|ça va) là / (ça|ca) (ira|ira comme ça|va comme ça) / en voilà assez / on (stoppe|s'arrête|arrête|laisse) (là|tout|ça) / on laisse / on s'en va / tout (arrêter|annuler|stopper) / (arrête|arrêtez) de (chercher|travailler|bosser|générer|réfléchir|courir) / stop net / point final / suffit comme ça / terminé / basta / d'arrêter (ça|tout|de parler)
    / laisser tomber`,
  alone: `
    tant pis / peu importe / (c'est |ce n'est |)(pas|plus) la peine / (c'est |ce n'est |)(pas|plus) nécessaire / (ne |)(continue|continuez) pas / (ne |)(fais|faites) pas (ça|cela) / (c'est |ce n'est |)pas grave / (ça n'a |)(pas|aucune) d'importance / ça n'a aucune importance
    / (ne |n'|)(poursuis|poursuivez|continue|continuez|continues) (pas|plus) / (ne |)(le |)(fais|faites) (pas|plus)( ça| cela|) / ne (le|la) (fais|faites) pas / n'y va pas / (j'en ai |)(plus|pas) besoin / (je n'en ai |)plus besoin / (t'inquiète|laisse), (pas la peine|plus besoin) / ça ne fait rien / (ce n'est pas|c'est pas|pas) (important|nécessaire|utile|la peine) / plus (important|utile) / non merci / pas maintenant, (arrête|stop) / (aucune|pas d')importance`,
  withoutLead: 'assez',
  object: 'ça / cela / ceci / tout / tout ça / tout cela / celui-là / celui-ci',
  tail: `
    (s'il te plaît|s'il vous plaît|stp|svp|please|pitié|je t'en prie|je vous en prie|je t'en supplie|merci|merci bien|merci quand même|merci d'avance) / (maintenant|tout de suite|immédiatement|sur-le-champ|de suite|vite|dès maintenant|à l'instant)
    / (là|ici|là-dessus|comme ça) / (pour l'instant|pour le moment) / (désolé|désolée|pardon) / (ok|d'accord|alors|finalement|en fait|plutôt|hein|enfin|quoi|donc|voilà) / (bot|robot|mec|frère|putain|merde|bordel|bon sang|mon dieu) / (j'ai dit|je te dis|je répète) / toi / (j'ai |)changé d'avis
    / xfavor / pls / plz / bordel de merde / purée / quand même / mdr / lol / xd / wesh / ptn / c'est (bon|faux|pas ça) / ça (ira|suffit) / je m'en occupe / tout / non / oui / là maintenant / net / donc / de parler / aussi / mauvais fichier / à la fin / un peu / toi là / complètement`,
};
