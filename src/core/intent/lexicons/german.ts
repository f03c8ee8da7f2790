// Stop phrases in German. A verb may be split: "brich bitte ab".
import type { StopLexicon } from './lexicon.ts';

export const german: StopLexicon = {
  language: 'de',
  lead: `
    (ok|okay|oke|gut|na gut|alles klar|passt|schön|ja|jaja|jap|jo|nun) / (ach|och|oh|ah|äh|ähm|hm|hmm|eh|ey|uff|puh|ups|oje|tja|na) / (hey|hallo|hi|moin|komm|los|hör mal|sag mal) / (nein|nee|nö|ne|nope)
    / bitte / (warte|wart|warten sie|moment|sekunde|augenblick|stopp)( mal| kurz|) / (einfach|jetzt|sofort|endlich|eigentlich|lieber|doch lieber|dann|also|aber|doch|schnell|gleich|vielleicht besser|besser) / (sorry|entschuldigung|entschuldige|verzeihung|tut mir leid|danke|vergib mir)
    / (ich|) (sagte|sage|hab gesagt|habe gesagt|wiederhole|meine|meinte) / (mensch|mann|alter|digga|junge|verdammt|scheiße|mist|gott|oh gott|um gottes willen|bot|der bot|roboter) / (hab's|hab es|habe es|ich hab's|ich hab es|ich habe es|ich habe) mir anders überlegt`,
  objectBefore: 'das / es / dies / dieses / alles / das alles / das ganze',
  stop: `
    stop / stopp / stoppe / stoppen / stoppt / stoppen sie / halte / halt an / halte an / haltet an / halten sie an / anhalten / abbrechen / abbruch / brich ab / brech ab / breche ab / brecht ab / brechen sie ab / brechen wir ab
    / hör auf / höre auf / hoer auf / hört auf / hören sie auf / hören wir auf / aufhören / aufhoeren / beenden / beende / beende es / beenden sie / unterbrich / unterbrechen / unterbrechen sie / storniere / stornieren / stornier / storno / stornieren sie / canceln / cancel / cancle / cancelt / nvm / abort / annulliere / annullieren`,
  stopWithoutObject: `
    vergiss / vergiss (es|das|alles|das alles|das ganze|das wieder|was ich gesagt habe) / vergesst es / vergessen sie (es|das) / vergessen wir (es|das) / lass (es|das|das sein|es sein|gut sein|es gut sein|mal|stecken|bleiben|das bleiben|es bleiben|das lieber) / lassen sie (es|das|das sein|es sein|es gut sein) / lassen wir (es|das) / lasst (es|das)
    / schluss / schluss (jetzt|damit|aus) / aus / (aus|schluss) und vorbei / genug (davon|jetzt) / (es|jetzt) ist (jetzt |)genug / (ok|okay|oh|nein|bitte|moment|warte|ach) halt / halt stopp / halt stop / stopp halt / stop halt / (es|das) (reicht|genügt) / reicht / (jetzt|nun) reicht's / reicht's / jetzt reicht es / (ist |)schon gut / (ist |)gut jetzt / (das |)hat sich( schon|) erledigt / hör auf (zu reden|zu schreiben|zu sprechen|zu tippen) / hör auf zu antworten / komm, lass`,
  alone: `
    egal / (ist |ach |)egal / doch nicht / lieber nicht / nicht mehr nötig / (ist |)nicht (nötig|mehr nötig|mehr wichtig|so wichtig|wichtig) / macht nichts / mach nicht weiter / machen sie nicht weiter / nicht weiter / nicht weitermachen / tu das nicht / tu's nicht / mach das nicht / mach's nicht / (brauche|brauch) ich nicht mehr`,
  withoutLead: 'halt / genug',
  between:
    'bitte / jetzt / mal / doch / endlich / sofort / es / das / dies / alles / nun / lieber / einfach / gleich / damit / schnell / wieder / hier / sie / den / ganze / kurz',
  object: 'das / es / dies / dieses / alles / das alles / damit / mit (dem|allem|dem ganzen) / das ganze',
  tail: `
    bitte / bitte bitte / jetzt / sofort / mal / danke / vielen dank / danke trotzdem / endlich / auf der stelle / augenblicklich / umgehend / hier / da / (sorry|tut mir leid|entschuldigung) / (ok|okay|alter|mann|mensch|digga|junge|bot|verdammt|verdammt nochmal|verdammt noch mal) / doch / lieber / nun / gleich / schnell / (für|fürs) (jetzt|erste) / erstmal / erst mal / wieder / (ich |)(sagte|sagte ich|hab gesagt|habe gesagt|hab ich gesagt) / einfach / aber / um gottes willen / dann / schon`,
};
