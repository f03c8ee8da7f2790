// Stop phrases in German. A verb may be split: "brich bitte ab".
import type { StopLexicon } from './lexicon.ts';

export const german: StopLexicon = {
  language: 'de',
  lead: `
    (ok|okay|oke|gut|na gut|alles klar|passt|schön|ja|jaja|jap|jo|nun) / (ach|och|oh|ah|äh|ähm|hm|hmm|eh|ey|uff|puh|ups|oje|tja|na) / (hey|hallo|hi|moin|komm|los|hör mal|sag mal) / (nein|nee|nö|ne|nope)
    / bitte / (warte|wart|warten sie|moment|sekunde|augenblick|stopp)( mal| kurz|) / (einfach|jetzt|sofort|endlich|eigentlich|lieber|doch lieber|dann|also|aber|doch|schnell|gleich|vielleicht besser|besser) / (sorry|entschuldigung|entschuldige|verzeihung|tut mir leid|danke|vergib mir)
    / (ich|) (sagte|sage|hab gesagt|habe gesagt|wiederhole|meine|meinte) / (mensch|mann|alter|digga|junge|verdammt|scheiße|mist|gott|oh gott|um gottes willen|bot|der bot|roboter) / (hab's|hab es|habe es|ich hab's|ich hab es|ich habe es|ich habe) mir anders überlegt
    / (kannst|könntest|würdest|willst|magst) du( bitte| mal| jetzt| endlich| mal bitte| bitte mal| bitte jetzt| nicht|) / (können|könnten|würden) sie( bitte| jetzt| mal|) / du (kannst|darfst|sollst)( jetzt| bitte| nun|) / ich (will|möchte|will,|möchte,) dass du / (lass uns|lasst uns)( lieber| bitte| jetzt| hier|) / (hab|habe|ich hab|ich habe) mich umentschieden / (ey|jo|yo|hä|boah|bro|bruder|leute|weißt du was|okay gut|guter bot|mensch,|pls|plz|please|also gut|aha|so) / stell das ein und / falsch, / das ist falsch,`,
  objectBefore: `
    das / dies / dieses / alles / das alles / das ganze
    / damit / das ding / das bitte / mit dem`,
  stop: `
    stop / stopp / stoppe / stoppen / stoppen sie / halte / halt an / halte an / haltet an / halten sie an / anhalten / abbrechen / abbruch / brich ab / brech ab / breche ab / brecht ab / brechen sie ab / brechen wir ab
    / hör auf / höre auf / hoer auf / hören sie auf / hören wir auf / aufhören / aufhoeren / beenden / beende / beende es / beenden sie / unterbrich / unterbrechen / unterbrechen sie / storniere / stornieren / stornier / storno / stornieren sie / canceln / cancel / cancle / cancelt / nvm / abort / annulliere / annullieren
    / aufhörst / stoppst / abbrichst / anhältst / aufzuhören / abzubrechen / stopf / stop it / terminieren / terminiere / stell (es|das) ein / (schieß|würg|schalt) (es|das) ab / (kill|kille|töte|beende|beend) (es|das|alles|das alles|das ding) / einstellen / halt ein / haltet ein / höre sofort auf / hoer damit auf / mach (schluss|stopp|halt) / unterlass (es|das) / sein lassen / lassen`,
  stopWithoutObject: `
    vergiss / vergiss (es|das|alles|das alles|das ganze|das wieder|was ich gesagt habe) / vergesst es / vergessen sie (es|das) / vergessen wir (es|das) / lass (es|das|das sein|es sein|gut sein|es gut sein|mal|stecken|bleiben|das bleiben|es bleiben|das lieber) / lassen sie (es|das|das sein|es sein|es gut sein) / lassen wir (es|das) / lasst (es|das)
    / schluss / schluss (jetzt|damit|aus) / aus / (aus|schluss) und vorbei / genug (davon|jetzt) / (es|jetzt) ist (jetzt |)genug / (ok|okay|oh|nein|bitte|moment|warte|ach) halt / halt stopp / halt stop / stopp halt / stop halt / (es|das) (reicht|genügt) / reicht / (jetzt|nun) reicht's / reicht's / jetzt reicht es / (ist |)schon gut / (ist |)gut jetzt / (das |)hat sich( schon|) erledigt / hör auf (zu reden|zu schreiben|zu sprechen|zu tippen) / hör auf zu antworten / komm, lass
    / (halt|haltet) (die klappe|den mund|das maul|die fresse|die schnauze|den rand|deinen mund|mal die klappe|mal den mund|endlich die klappe|deine klappe) / halt's maul / halts maul / (sei|seid|seien sie) (still|ruhig|leise) / sei (mal|jetzt|endlich|bitte) (still|ruhig) / ruhe / ruhe jetzt / schweig / schweige / klappe / klappe halten / schnauze / psst / pst / schscht / stille / fresse / mund halten / mund zu
    / lass (sein|es lieber|das lieber|liegen|es liegen|gehen|es gehen|mal gut sein|die finger davon|das mal|es mal|es jetzt|das jetzt|das jetzt sein) / lass (es|das) (gut sein|bleiben|stecken|ruhen|so|dabei|einfach) / (das ist|jetzt ist|nun ist) (genug|schluss) / (das|es|jetzt) (reicht|genügt) (jetzt|mir|völlig|schon|so|dann) / jetzt reichts / reichts / es langt / langt / mir reicht's / mir reichts / das wars / das war's / wir sind fertig / ende / ende gelände / gib auf / genug ist genug / schluss für heute / belass es dabei / nein danke
    / stoppt / hört auf( damit|) / hörst du auf( damit|) / hör mal auf( damit|) / hör (es|das) auf`,
  alone: `
    egal / (ist |ach |)egal / doch nicht / lieber nicht / nicht mehr nötig / (ist |)nicht (nötig|mehr nötig|mehr wichtig|so wichtig|wichtig) / macht nichts / mach nicht weiter / machen sie nicht weiter / nicht weiter / nicht weitermachen / tu das nicht / tu's nicht / mach das nicht / mach's nicht / (brauche|brauch) ich nicht mehr
    / (mach|mache|machen sie) (bitte |jetzt |)nicht (weiter|so weiter) / nicht (fortfahren|fortsetzen|machen|tun|weiterlaufen lassen) / fahr nicht fort / fahre nicht fort / setz das nicht fort / (brauche|brauch|brauchst du) (ich |das |es |)nicht( mehr|) / (brauchst|musst) du nicht( mehr|) / nicht mehr (notwendig|gebraucht) / (spielt |ist )keine rolle( mehr|) / kein bedarf( mehr|) / nicht notwendig / keine sorge, (vergiss|lass) es / tu (es|das) nicht / nicht tun / mach es nicht`,
  withoutLead: 'halt / genug',
  between:
    'bitte / jetzt / mal / doch / endlich / sofort / es / das / dies / alles / nun / lieber / einfach / gleich / damit / schnell / wieder / hier / sie / den / ganze / kurz',
  object: 'das / es / dies / dieses / alles / das alles / damit / mit (dem|allem|dem ganzen) / das ganze',
  tail: `
    bitte / bitte bitte / jetzt / sofort / mal / danke / vielen dank / danke trotzdem / endlich / auf der stelle / augenblicklich / umgehend / hier / da / (sorry|tut mir leid|entschuldigung) / (ok|okay|alter|mann|mensch|digga|junge|bot|verdammt|verdammt nochmal|verdammt noch mal) / doch / lieber / nun / gleich / schnell / (für|fürs) (jetzt|erste) / erstmal / erst mal / wieder / (ich |)(sagte|sagte ich|hab gesagt|habe gesagt|hab ich gesagt) / einfach / aber / um gottes willen / dann / schon
    / pls / plz / please / bro / bruder / ey / xd / lol / haha / lieber nicht / (danke|sorry|tschuldigung) / heute / komplett / ganz / du / kannst du / das war falsch / falsche datei / ich mach es selbst / ich mach's selbst / ja / nein / man / ne / ok danke / echt / bittee`,
};
