// Stop phrases in English.
import type { StopLexicon } from './lexicon.ts';

export const english: StopLexicon = {
  language: 'en',
  lead: `
    (ok|okay|okey|okie|k|kk|alright|all right|right|fine|cool|great|good) / (oh|ooh|ah|ahh|aw|eh|er|um|umm|uh|uhh|hm|hmm|ugh|argh|oof|huh)
    / (hey|hi|hello|yo|oi|whoa|woah) / (yes|yeah|yea|ya|yep|yup) / (no|nope|nah|naw) / (well|so|now|then|anyway|anyways|eh)
    / (please|pls|plz|kindly|just|simply|actually|honestly|quickly|immediately) / (sorry|sry|oops|whoops|my bad) / (wait|hold on|hang on|hold up|one sec|one second)
    / (thanks|thank you|thx) / (lol|haha|ha|omg|oh my god|my god|god|jesus|wtf|ffs|damn|dammit|shit|crap|fuck) / whatever
    / (on second thought|on second thoughts|scratch that) / (i |i've |)changed my mind / i said / i mean / i repeat / go ahead and / do
    / for (god's|fuck's|christ's|heaven's) sake / for the love of god / (dude|bro|man|mate|buddy) / (the |)bot / i'm begging you / i beg you`,
  stop: `
    stop / stopp / stahp / cancel / cancle / cancell / canel / abort / quit / halt
    / (never mind|nevermind|never-mind|never mine|nvm|nvmd|nvrmnd|nvrm|nevermnd|neverming|nvr mind)
    / stop (talking|typing|writing|generating|responding|replying)`,
  stopWithoutObject: `
    forget (it|that|this) / forget (all|about) (it|that|this) / forget all (of|about) (it|that|this) / forgetit
    / forget i (asked|said anything|said that|said it|ever asked|mentioned it) / forget what i (just |)said
    / scratch that / disregard / disregard (that|this|it) / call (it|that|this|the whole thing) off
    / (that's|that is|that'll be) enough / enough (already|now|of that|of this|enough) / (ok|okay|oh|please|alright) enough / cut it out / cut that out / knock it off / quit it / abort mission
    / stop doing (it|that|this) / stop (what|whatever) (you're|you are) doing`,
  alone: '',
  withoutLead: 'enough',
  object: `
    it / that / this / it all / that all / all / everything / all (of |)(it|that|this) / the whole thing / that one / this one / the lot`,
  tail: `
    (please|pls|plz|plss|kindly) / (thanks|thank you|thx|ty|tysm|cheers)( anyway| anyways| though|) / thank you (so|very) much
    / now / right now / right away / right this (second|minute|instant|moment) / this (second|minute|instant|moment) / immediately / at once / asap / quickly
    / already / here / there / right here / right there / for now / then / anymore / any more / altogether / completely
    / (ok|okay|k|alright) / (sorry|sry|my bad) / (lol|haha|god|jesus|damn it|dammit|ffs|man|dude|bro|mate|buddy|bot) / actually / i said / i repeat
    / i (beg|am begging) you / i'm begging you / for (god's|fuck's|christ's|heaven's) sake / for the love of god / (i |i've |)changed my mind`,
};
