// Stop phrases in English.
import type { StopLexicon } from './lexicon.ts';

export const english: StopLexicon = {
  language: 'en',
  lead: `
    (ok|okay|okey|okie|k|kk|alright|all right|right|fine|cool|great|good) / (oh|ooh|ah|ahh|aw|eh|er|um|umm|uh|uhh|hm|hmm|ugh|argh|oof|huh|meh|tbh|ngl|smh)
    / (hey|hi|hello|yo|oi|whoa|woah) / (yes|yeah|yea|ya|yep|yup) / (no|nope|nah|naw) / (well|so|now|then|anyway|anyways|eh)
    / (please|pls|plz|kindly|just|simply|actually|honestly|quickly|immediately) / (sorry|sry|oops|whoops|my bad) / (wait|hold on|hang on|hold up|one sec|one second)
    / (thanks|thank you|thx) / (lol|haha|ha|omg|oh my god|my god|god|jesus|wtf|ffs|damn|dammit|shit|crap|fuck) / whatever
    / (on second thought|on second thoughts|scratch that) / (i |i've |)changed my mind / i said / i mean / i repeat / go ahead and / do
    / for (god's|fuck's|christ's|heaven's) sake / for the love of god / (dude|bro|man|mate|buddy) / (the |)bot / i'm begging you / i beg you
    / (can|could|will|would|can't|won't) you( please| just| kindly| maybe|) / (i want|i need|i would like|i'd like) you to / (you can|you may|let's|lets|let us)( just|)
    / (you know what|on reflection|second thoughts|listen|look|ey|bruh|omfg|jfc|ffs) / (i have|i) changed my mind / (i |)(told|asked|am telling|'m telling) you to / i'm telling you to / (undo that|not that|wrong|that's wrong|wrong one|my mistake),
    / (would|do) you mind / (maybe|perhaps|ok so|okay so|no wait|wait no|not now) / (jesus|christ|jesus christ|holy shit|bloody hell|hell) / (it's|that's|all) (fine|ok|okay|alright|all right|good) / (doesn't matter|don't worry|no worries|no problem|no thanks|no thank you) / (can|could|would) you (maybe|at least|all) / (you|you're) (can|may|free to) / i (want|need) (it|this|that|you) to / (i'd|i would) (want|love|prefer|appreciate it if) you to / (that's it|that is it)
    / uhm / gah / aargh / welp / (aight|ight|erm|sure|perfect) / (fucking|goddamn|goddammit|goddamnit|damn it) / bad bot / (quick|hurry|hurry up) / enough / (stop|stop it|shut up|be quiet) and / (gonna|imma|i'm gonna|i'm going to) need you to / (can|could) ya( please| just|) / (wouldja|couldja|willya) / thanks but / pretty please / if you could( please| just|) / (that's|this is|it's) wrong / i (don't|no longer) need (it|that|this)( anymore| any more| now|) / (oops|whoops|sorry|no) wrong (one|file|thing|button) / (i |)made a mistake / my mistake / hey you / (i |)(told|asked) you / it doesn't matter / why don't you just / (ayo|wth|dafuq|hol up|chill|fr|nahh) / (i'm|im) good / (oh dear|goodness|good heavens|heavens|dear me) / i should like you to / (please |)be so kind as to / that will be all / i think( you can|) / (that|it) was a mistake / i take it back / i'm sorry
    / (no |)seriously / (jeez|geez|sheesh) / good (lord|grief) / for crying out loud / whoa there / (i'm|i am) serious / i mean it / for real / whatever (you're|you are) doing / never mind about (it|that)
    / for (now|today|the moment) / (i've|i have) had enough / i can't (take|stand) (it|this)( anymore| any more|)`,
  stop: `
    stop / stopp / stahp / cancel / cancle / cancell / canel / abort / quit / halt
    / (never mind|nevermind|never-mind|never mine|nvm|nvmd|nvrmnd|nvrm|nevermnd|neverming|nvr mind)
    / stop (talking|typing|writing|generating|responding|replying)
    / cease / desist / halt / terminate / stawp / stop (searching|working|explaining|thinking|running|reading|running it|working on (it|that|this)) / (stpo|sotp|stpp|sop it|stop-it|canclle|cancal|nm|nvrm) / make it stop / freeze / (kill|end) (it|that|this|everything|all of it|all of that|all of this|the whole thing)
    / nevrmind
    / stop with / (stop|end|cancel|cease|drop|quit|enough with|stop with) (this|that|the) (nonsense|madness|bullshit|crap|shit)
    / (stop|quit) (speaking|answering|trying|yapping|rambling|babbling|blabbering|blabbing|chattering) / stop (wait|hold on|enough) / stopit / stopthat / s t o p / s-t-o-p / s, t, o, p / stop this thing / discontinue
    / (stop|end|cease|quit) (all |your |all your |)work
    / (stop|quit) (inputting|entering|printing|scanning|editing|coding|processing|checking|guessing|explaining|translating|summarizing|browsing|scrolling|loading|retrying|reciting|narrating)`,
  stopWithoutObject: `
    (scrap|ditch|bin|nix) (it|that|this|all of it|all of that) / forget (it|that|this) / forget (all|about) (it|that|this) / forget all (of|about) (it|that|this) / forgetit
    / forget i (asked|said anything|said that|said it|ever asked|mentioned it) / forget the (whole|entire) thing / forget what i (just |)said
    / scratch that / disregard / disregard (that|this|it) / call (it|that|this|the whole thing) off
    / (that's|that is|that'll be) enough / enough (already|now|of that|of this|enough) / (ok|okay|oh|please|alright) enough / cut it out / cut that out / knock it off / quit it / abort mission
    / stop doing (it|that|this) / stop (what|whatever) (you're|you are) doing
    / (shut|zip) (up|it) / shutup / shut the (hell|fuck) up / stfu / be (quiet|silent) / quiet / silence / hush / shush / (shh|shhh|ssh) / pipe down
    / (leave|drop|skip) (it|that|this) / (leave|drop|skip) (it|that|this) (be|alone|there) / leave it at that / let (it|that) (go|be|drop) / let it rest / give it (a rest|up) / give up / pack it in / call it (off|quits|a day) / hold it( right there|) / hold it there / cease and desist
    / (enough|ok enough) is enough / (that'll|that will|this will) do / (that's|that is) (plenty|quite enough) / (we're|we are) done( here|) / stop right there / stop (everything|all of this|all of that|what you were doing) / fuggedaboutit / forget about it / quit (talking|typing|that|it) / drop everything
    / (that's|that is) not what i (meant|wanted|asked for)(,| so) (stop|cancel)
    / stop what you're (doing|saying|working on) / stop (what|whatever) you (do|r doing) / (would|do) you mind (please |)(stopping|ending|quitting|cancelling|dropping)( it| that| this|) / (enough with|stop with) (it|that|this|everything) / (cutting it out|being quiet|shutting up|knocking it off) / (leaving|letting) it( go| be| there| alone|)
    / (this is|it's|it is) enough / enough (talking|chatter) / (ignore|disregard|never mind) what i (just |)said / forget that i asked / strike that / scratch it / knock that off / break it off / shut your (mouth|face|trap) / (shaddup|shuttup|shaddap) / button it / put a sock in it / (gotta|i have to|i gotta) stop you (there|here) / (stop|quit) doing (what|whatever) you're doing / quit doing (it|that|this) / stop everything you're doing / forget bout it / fuhgeddaboudit / wheesht / (can|could|will|would) you (please |)be quiet for a (second|minute|moment) / abort the mission / quiet down / that's enough of (that|this)
    / (drop|leave|quit|cancel|abort|forget|abandon|end) (what|whatever) (you're|you are) (doing|working on|saying) / stop (what|whatever) it is (that |)(you're|you are) doing / (abandon|discard|trash|toss|dump|axe) (it|that|this|everything|all of it) / abandon / (drop|scrap|ditch) the (whole thing|subject|idea) / never mind (about |)(it|that|this|all that) / (cancel|scrap|drop) what i (just |)(said|asked|asked for) / forget what i asked( for|) / (say no more|not (another|one more) word) / (stay|keep) (quiet|silent) / (hush|clam) up / cut the (crap|chatter|talk) / (stuff it|stand down) / stop your (chatter|chattering|yapping|rambling|babbling|blabbing) / stop going on / that's enough (from|out of) you / enough (chatter|chitchat|yapping|rambling) / (pack|jack) it in
    / (that's |)enough for (now|today) / (lower your voice|keep it down) and (stop|be quiet|shut up)`,
  alone: `
    (do not|don't|dont) (continue|go on|go any further|proceed|carry on|keep going|do (it|that|this)|bother|run it|run that|finish|finish it) / (there's |)no need( for (that|it)| to continue| to go on|) / (not|no longer|isn't) (needed|necessary)( anymore| any more|) / no more / no more of (it|that|this) / (it |it's |that |)(doesn't|does not) matter( anymore| now|)
    / (don't|do not) do (anything|any of (it|that|this))( else|) / (please |)(don't|do not) do (it|that|this) / (no |no no |nope |nah )don't / no don't do (it|that|this)
    / no more talking / (never mind|nevermind|nvm|forget it|stop|cancel) (don't|do not|dont) (bother|worry|do (it|that|this)) / you (don't|do not|needn't) (need to|have to|) (continue|go on|keep going|do (it|that|this)|finish)( anymore| any more|) / (that's|that is|it's|it is) (not|no longer) (needed|necessary)( anymore| any more|) / (don't|do not) (speak|talk|say (anything|another word|any more|anything else))( anymore| any more|) / (please |)don't trouble yourself / no please don't
    / (actually|wait|ok|okay) (don't|do not) / no need to (finish|keep going|carry on|proceed|keep talking)( with it| with that|) / (don't|do not) (keep talking|go further|finish that|finish this|bother (with|about) (it|that)|keep (doing|at) (it|that)) / (i |)(don't|do not) need (it|this|that) (anymore|any more|any longer|now) / (i |)no longer need (it|this|that) / no longer necessary / (nevermind|never mind|nvm|forget it|drop it|leave it) no need
    / (don't|do not) (continue|go on|carry on|proceed|keep going|keep on) with (it|that|this|any of (it|that|this)) / (don't|do not) (read|write|type|search|talk|go) (on|any further|any more|anymore)`,
  withoutLead: 'enough',
  object: `
    it / that / this / it all / that all / all / everything / all (of |)(it|that|this) / the whole thing / that one / this one / the lot`,
  tail: `
    (please|pls|plz|plss|kindly) / (|and )(thanks|thank you|thx|ty|tysm|cheers)( anyway| anyways| though|) / thank you (so|very) much
    / now / right now / right away / right this (second|minute|instant|moment) / this (second|minute|instant|moment) / immediately / at once / asap / quickly
    / already / here / there / right here / right there / for now / then / anymore / any more / altogether / completely
    / (ok|okay|k|alright) / (sorry|sry|my bad) / (lol|haha|god|jesus|damn it|dammit|ffs|man|dude|bro|mate|buddy|bot) / actually / i said / i repeat
    / i (beg|am begging) you / i'm begging you / for (god's|fuck's|christ's|heaven's) sake / for the love of god / (i |i've |)changed my mind
    / bruh / fam / will you / would you / can you / if you (can|could) / wrong (one|file|thing|button|folder|repo) / (that's|that is) (wrong|not it|not what i (meant|want|wanted|asked for)) / i'll do it (myself|later) / you're done / for (good|today) / (jfc|omg|wtf|pls pls|af|tho|though|anyway) / i (told|asked) you / xd / k / i said so / thank god / friend / buddy / yes / no
    / (it's|that's) (fine|ok|okay|alright|all right|all) / (for now|for today) / (a bit|a little)
    / pretty please / (quick|fast) / innit / will ya / yeah / (lah|la|liao|yaar|na) / for the moment / at this point / (goddamnit|goddammit) / you( stupid| dumb| damn|) (bot|thing|idiot|moron|machine) / all good / (i |i've |)(found|got|fixed|solved) it( myself| now|) / (i |i've |)figured it out / (it|it's) (works|working|fixed)( now|) / (i made a|my) mistake / this is wrong / i (don't|no longer) need (it|that|this)( anymore| any more| now|)
    / (you |)(stupid|dumb|dumbass|idiot|moron) / (dumb|stupid|useless) (bot|thing|machine|ai) / wrong (chat|window|button|key|person|bot|channel) / (it's |that's |it is |)(too|taking too|way too) (long|slow|much|late) / (i'm|i am) (in a meeting|busy|driving|on a call|on the phone|in a hurry) / i've heard enough / fr / ignore (that|me) / (i'm|im) good / dear / i meant (the other|another) (one|file|thing)
    / seriously / for real / (i'm|i am) serious / i mean it / for crying out loud / (jeez|geez)
    / (it's|that's) (ok|okay|alright|fine) now / no problem / no worries / (i've|i have) had enough / i can't (take|stand) (it|this)( anymore| any more|) / (it's |that's |)too much / i'm done with this`,
  spellings: `
    you: u|yu / you're: ur|youre|your / are: r / please: pls|plz|plss|plzz|pleas|plese|plase|pleaze|pleeease|pliz|plox / thanks: thx|thnx|tks|tnx|thanx|ty|tysm|tyvm / what: wat|wut|wht / now: rn|nw / want: wnt / stop: stap|stob|sstop|stiop|st0p|stpo|sotp|stpp / enough: enuf|enuff|enogh|enought / just: jst|jus / that: dat|tht|taht / this: dis / it: ti / mind: mimd / never: nevr / nevermind: neverminde / to: 2 / don't: dnt|dun / need: ned / and: n / okay: okey|okie|k|kk|kay|oki / cancel: cancle|cancell|canel|cancal|canclle / forget: forgt|foget|4get|forgte|froget|forgert / right: rite|rihgt / could: cud|coud / would: wud|woud / doing: doin|doign|dong / talking: talkin / shut: shutt / cancel: cancl|canceel / it: itt|ti`,
};
