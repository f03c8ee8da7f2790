// The grammar of a stop phrase: lead-ins, a stop word, what to stop, and closing words; the stop word may be repeated. And the reader of phrases in several languages.
import { phrasesIn, type StopLexicon } from './lexicons/lexicon.ts';
import { defaultBotNames, type StopLanguage, type StopPhraseOptions, stopLanguages } from './stop-phrase-options.ts';
import { Vocabulary } from './vocabulary.ts';
import { pauseToken, spacingsOf, tokenizePhrase } from './words.ts';

/** The place of a phrase in the grammar. A name may stand before and after a stop word. */
export type PhraseRole =
  | 'lead'
  | 'objectBefore'
  | 'stop'
  | 'stopWithoutObject'
  | 'alone'
  | 'withoutLead'
  | 'object'
  | 'tail'
  | 'name'
  | 'leadWithName'
  | 'between'
  | 'talk';

// Each state is a bit, so that one number holds all states that reading can have reached.
const phraseStart = 1; // nothing so far, or lead-ins and a pause
const beforeStopWord = 2; // nothing but lead-ins so far
const stopWordExpected = 4; // a lead-in followed a stop word: another stop word must come
const objectNamed = 8; // what to stop has been named: a stop word that takes an object must come
const stopped = 16;
const stoppedWithoutObject = 32;
const stoppedAlone = 64;
const accepting = stopped | stoppedWithoutObject | stoppedAlone;

/** Each state has a second bit, so many places higher: the same state, after a name of the bot. */
const namedShift = 7;
const unnamed = (1 << namedShift) - 1;

const leadMoves = [
  { from: beforeStopWord | stopWordExpected | objectNamed },
  { from: stopped | stoppedWithoutObject, to: stopWordExpected },
] as const;

/** By role: from each of these states to that state; `from` alone: the state stays as it is. */
const moves: Readonly<Record<PhraseRole, readonly { readonly from: number; readonly to?: number }[]>> = {
  lead: leadMoves,
  leadWithName: leadMoves,
  objectBefore: [
    { from: beforeStopWord | stopWordExpected | objectNamed | stopped | stoppedWithoutObject, to: objectNamed },
  ],
  stop: [{ from: beforeStopWord | stopWordExpected | objectNamed | stopped | stoppedWithoutObject, to: stopped }],
  stopWithoutObject: [
    { from: beforeStopWord | stopWordExpected | stopped | stoppedWithoutObject, to: stoppedWithoutObject },
  ],
  alone: [{ from: beforeStopWord | stoppedAlone, to: stoppedAlone }],
  withoutLead: [{ from: phraseStart | stoppedAlone, to: stoppedAlone }],
  object: [{ from: stopped }],
  tail: [{ from: accepting }],
  name: [
    { from: phraseStart | beforeStopWord | stopWordExpected | objectNamed | accepting },
    { from: beforeStopWord, to: phraseStart }, // as a pause: "ok belay, enough"
  ],
  between: [],
  talk: [],
};

/** Calls a function of states for those before a name of the bot and for those after it. */
const forBoth = (states: number, next: (states: number) => number): number =>
  next(states & unnamed) | (next(states >> namedShift) << namedShift);

/** Returns the states after a phrase of that role. */
const advance = (states: number, role: PhraseRole): number => {
  const next = forBoth(states, (each) => move(each, role));
  return role === 'name' || role === 'leadWithName' ? (next | (next << namedShift)) & (unnamed << namedShift) : next;
};

function move(states: number, role: PhraseRole): number {
  let next = 0;
  for (const { from, to } of moves[role]) if (states & from) next |= to ?? states & from;
  return next;
}

/** After a pause another phrase may start, if the one before it is complete or a lead-in. */
const afterPause = (states: number): number =>
  forBoth(states, (each) => (each & (beforeStopWord | accepting) ? each | beforeStopWord | phraseStart : each));

/** The place in the tree of all phrases where each of them starts. */
const root = 0;

/** The limit of words that are skipped inside a phrase. It bounds the work for each word. */
const maxBetween = 3;

/** The roles that have a field of their name in a lexicon. */
const fieldRoles = [
  'lead',
  'objectBefore',
  'stop',
  'stopWithoutObject',
  'alone',
  'withoutLead',
  'object',
  'tail',
  'talk',
] as const;

/** The roles of stop words. Slips of the keyboard in their first words count. */
const stopRoles: ReadonlySet<PhraseRole> = new Set<PhraseRole>(['stop', 'stopWithoutObject', 'withoutLead']);

/** Words that every language knows, a greeting, and what chats of all languages have. */
export const sharedWords = {
  lead: 'ok / okay / hey / (lol|lmao|lmfao|omg|omfg|wtf|wth|xd|jk|idk|shit|fuck) / (pls|plz|please|sorry|thx|thanks)',
  stop: 'stop / cancel',
  tail: 'ok / okay / (lol|lmao|lmfao|omg|xd) / (pls|plz|please|sorry|thx|thanks)',
} as const;

/** What a grammar reads in a stop phrase. */
export interface PhraseReading {
  /** The bot is called by one of its names. */
  readonly isNamed: boolean;
}

/** The phrases of one language, with the shared words, the bot's names and the phrases of an embedder. */
export class PhraseGrammar {
  /** The tree of all phrases, a place in it being a number: by word, the place after it by the place before it. */
  readonly #after = new Map<string, Map<number, number>>();
  /** By place, the roles of the phrase that ends there. */
  readonly #roles: (PhraseRole[] | null)[] = [null];
  readonly #vocabulary: Vocabulary;
  readonly #between = new Set<string>();
  readonly #parts = new Map<string, readonly string[]>();

  /** `shared`: the words of every language. */
  constructor(
    lexicon: StopLexicon,
    names: readonly string[],
    extra: readonly string[],
    shared: Readonly<Record<keyof typeof sharedWords, string>> = sharedWords,
  ) {
    const {
      lead,
      objectBefore = '',
      stop,
      stopWithoutObject,
      alone,
      withoutLead = '',
      between = '',
      object,
      tail,
      talk = '',
      spellings,
      transliteration,
    } = lexicon;
    const fields = { lead, objectBefore, stop, stopWithoutObject, alone, withoutLead, object, tail, talk };
    this.#vocabulary = new Vocabulary(spellings, transliteration, Object.values(shared).flatMap(phrasesIn));
    for (const role of fieldRoles) for (const phrase of phrasesIn(fields[role])) this.#add(phrase, role);
    for (const role of ['lead', 'stop', 'tail'] as const)
      for (const phrase of phrasesIn(shared[role])) this.#add(phrase, role);
    for (const word of phrasesIn(between)) {
      this.#add(word, 'between');
      this.#between.add(this.#vocabulary.add(word));
    }
    for (const name of names) this.#add(name, 'name');
    // where "no" needs a pause after it, the name of the bot is one: "no belay para"
    for (const phrase of phrasesIn(lead).filter((each) => each.endsWith(pauseToken)))
      for (const name of names) this.#add(`${phrase.slice(0, -pauseToken.length)} ${name}`, 'leadWithName');
    for (const phrase of extra) this.#add(phrase, 'stopWithoutObject');
    this.#parts.clear();
  }

  #add(phrase: string, role: PhraseRole): void {
    for (const spacing of spacingsOf(phrase)) {
      let place = root;
      for (const part of spacing.split(' '))
        for (const word of this.#wordsOf(part)) {
          if (place === root && stopRoles.has(role)) this.#vocabulary.addSlipsOf(word);
          place = this.#placeAfter(word, place);
        }
      const roles = this.#roles[place];
      if (place === root || roles?.includes(role)) continue;
      if (roles) roles.push(role);
      else this.#roles[place] = [role];
    }
  }

  /** Returns the place after a word. It is made if it is not there. */
  #placeAfter(word: string, before: number): number {
    let places = this.#after.get(word);
    if (places === undefined) {
      places = new Map();
      this.#after.set(word, places);
    }
    let place = places.get(before);
    if (place === undefined) {
      place = this.#roles.push(null) - 1;
      places.set(before, place);
    }
    return place;
  }

  /** Returns the words of a part of a phrase without a space. Parts recur in most phrases: each is read once. */
  #wordsOf(part: string): readonly string[] {
    let words = this.#parts.get(part);
    if (words === undefined) {
      words = (tokenizePhrase(part) ?? []).map((token) => this.#vocabulary.add(token));
      this.#parts.set(part, words);
    }
    return words;
  }

  /** Reads the words as a stop phrase; null: they are none. Takes time in proportion to their number. */
  read(words: readonly string[]): PhraseReading | null {
    const known: string[] = [];
    for (const token of words) {
      const word = this.#vocabulary.find(token);
      if (word === undefined) return null;
      known.push(word);
    }
    const reached = new Array<number>(known.length + 1).fill(0);
    reached[0] = phraseStart | beforeStopWord;
    for (const [at, word] of known.entries()) {
      const states = reached[at] ?? 0;
      if (states === 0) continue;
      if (word === pauseToken) reached[at + 1] = (reached[at + 1] ?? 0) | afterPause(states);
      if (!this.#follow(known, at, states, reached)) return null;
    }
    const end = reached[known.length] ?? 0;
    if (!forBoth(end, (states) => states & accepting)) return null;
    return { isNamed: ((end >> namedShift) & accepting) !== 0 };
  }

  /** Marks in `reached` where each phrase that starts at `at` leads to. Returns whether none of them is talk: the longest one counts. */
  #follow(words: readonly string[], at: number, states: number, reached: number[]): boolean {
    let place = root;
    let skipped = 0;
    let isTalk = false;
    for (let end = at; end < words.length; end += 1) {
      const word = words[end] ?? '';
      const next = this.#after.get(word)?.get(place);
      if (next === undefined) {
        skipped += 1;
        if (place === root || skipped > maxBetween || !this.#between.has(word)) break;
        continue;
      }
      place = next;
      const roles = this.#roles[place];
      if (!roles) continue;
      isTalk = roles.includes('talk');
      for (const role of roles) reached[end + 1] = (reached[end + 1] ?? 0) | advance(states, role);
    }
    return !isTalk;
  }
}

/** The limit of a phrase, in UTF-16 units. A longer text is not read, and is no phrase. */
export const maxStopPhraseChars = 1000;

const defaultOptions: StopPhraseOptions = {};

/** Makes the grammar of one language; null: it has no such phrases. */
export type MakeGrammar = (
  language: StopLanguage | StopLexicon,
  options: { readonly names: readonly string[]; readonly extra: readonly string[] },
) => PhraseGrammar | null;

/** Reads phrases of one meaning in the languages that options choose. Pass the same object of options each time: each grammar is compiled once for it. */
export class PhraseReader {
  readonly #make: MakeGrammar;
  readonly #compiled = new WeakMap<StopPhraseOptions, (PhraseGrammar | null)[]>();

  constructor(make: MakeGrammar) {
    this.#make = make;
  }

  /**
   * Yields the grammar of each language. It is compiled when it is asked for first: eleven take some 370 ms of CPU. Whoever wants them ready before the
   * first words reads all of them.
   */
  *grammars(options: StopPhraseOptions = defaultOptions): Generator<PhraseGrammar, void, void> {
    const { languages = stopLanguages, names = defaultBotNames, extra = [] } = options;
    const known = this.#compiled.get(options) ?? [];
    this.#compiled.set(options, known);
    for (const [i, language] of languages.entries()) {
      known[i] ??= this.#make(language, { names, extra });
      if (known[i]) yield known[i];
    }
  }

  /** Reads a text as one such phrase, and nothing else; null: it is none. A question is none. */
  read(text: string, options?: StopPhraseOptions): PhraseReading | null {
    const words = text.length > maxStopPhraseChars ? null : tokenizePhrase(text);
    if (words === null) return null;
    for (const grammar of this.grammars(options)) {
      const reading = grammar.read(words);
      if (reading) return reading;
    }
    return null;
  }
}
