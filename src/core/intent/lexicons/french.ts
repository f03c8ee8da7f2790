// Stop phrases in French.
import type { StopLexicon } from './lexicon.ts';

export const french: StopLexicon = {
  language: 'fr',
  lead: `
    (ok|okay|oki|d'accord|bon|bien|très bien|c'est bon|ça va|ben|bah|ouais|oui|si) / (euh|heu|ah|oh|eh|hé|hey|hep|aïe|oups|ouh|hum|hmm|mmh|pff|roh) / (salut|bonjour|allô|dis|écoute|tiens|allez|attends|attendez|attend|minute|une seconde|un instant|une minute)
    / (non,|nan|nop|non non|non mais) / (mais|alors|donc|et puis|puis|enfin|bref) / (s'il te plaît|s'il vous plaît|s'il te plait|s'il vous plait|stp|svp|please|pitié|merci de|merci) / (juste|simplement|plutôt|finalement|en fait|au final|tout compte fait|maintenant|tout de suite|immédiatement)
    / (désolé|désolée|pardon|excuse-moi|excusez-moi) / (j'ai dit|je t'ai dit|je te dis|je vous dis|je répète)( de|) / (putain|merde|zut|mince|mec|frère|bordel|mon dieu|bot|robot|le bot) / (j'ai|) changé d'avis / veuillez`,
  stop: `
    stop / stoppe / stoppez / stopper / arrête / arrêtes / arrêtez / arrêter / arrête-toi / arrêtez-vous / arrête-le / arrêtez-le / annule / annules / annulez / annuler / (annule|annulez)-(le|la|moi ça|moi) / annulation
    / interromps / interrompez / interrompre / abandonne / abandonnez / abandonner / cesse / cessez / halte / suspends / cancel / nvm / abort / (laisse|laissez)-(le|la)`,
  stopWithoutObject: `
    non (arrête|arrêtez|annule|annulez|laisse tomber|oublie|oubliez) / (laisse|laissez|laissons) (tomber|béton|faire) / (laisse|laissez) (ça|cela|tout) / (laisse|laissez) (ça|cela|tout) (tomber|tranquille) / laisse / oublie / oubliez / oublions / (oublie|oubliez|oublions) (ça|cela|tout ça|ce que j'ai dit)
    / (oublie|oubliez|oublions)-le / (ça|cela) suffit / (ça|cela) suffit (comme ça|maintenant) / suffit / c'est assez / en voilà assez / n'en parlons plus / basta
    / (arrête|arrêtez) de (parler|écrire|faire ça|répondre|générer) / (arrête|arrêtez) ce que (tu fais|vous faites) / on (arrête|annule|oublie|stoppe|laisse tomber|s'arrête) / on (arrête|annule|oublie) (tout|ça) / faut (arrêter|que tu arrêtes) / que tu arrêtes`,
  alone: `
    tant pis / peu importe / (c'est |ce n'est |)(pas|plus) la peine / (c'est |ce n'est |)(pas|plus) nécessaire / (ne |)(continue|continuez) pas / (ne |)(fais|faites) pas (ça|cela) / (c'est |ce n'est |)pas grave / (ça n'a |)(pas|aucune) d'importance / ça n'a aucune importance`,
  withoutLead: 'assez',
  object: 'ça / cela / ceci / tout / tout ça / tout cela / celui-là / celui-ci',
  tail: `
    (s'il te plaît|s'il vous plaît|stp|svp|please|pitié|je t'en prie|je vous en prie|je t'en supplie|merci|merci bien|merci quand même|merci d'avance) / (maintenant|tout de suite|immédiatement|sur-le-champ|de suite|vite|dès maintenant|à l'instant)
    / (là|ici|là-dessus|comme ça) / (pour l'instant|pour le moment) / (désolé|désolée|pardon) / (ok|d'accord|alors|finalement|en fait|plutôt|hein|enfin|quoi|donc|voilà) / (bot|robot|mec|frère|putain|merde|bordel|bon sang|mon dieu) / (j'ai dit|je te dis|je répète) / toi / (j'ai |)changé d'avis`,
};
