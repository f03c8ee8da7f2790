// Reads the words of a short text in any script: Unicode is normalized, punctuation becomes a pause.

/** The token for punctuation between two words. */
export const pauseToken = ',';

const questionMark = /[?¿؟❓❔‽]/u;
/** What a function call in code ends with: `quit()`. */
const emptyCall = '()';
/** Letters of scripts that are written without spaces, or with spaces that people leave out: each is a token of its own. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const letter = /[\p{L}\p{M}\p{N}]/u;
const space = /[^\S\n\r\u2028\u2029]/u;
const apostrophe = /['`\u2018\u2019\u02bc]/u;
const hyphen = /[-\u2010\u2011]/u;
/** Characters that are removed: marks of format, variation selectors, Arabic vowel signs and tatweel. */
const silent =
  /\p{Cf}|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]|\u0640|[\u0610-\u061a]|[\u064b-\u0650\u0652-\u065f]|\u0670|[\u06d6-\u06ed]/u;
/** Sounds that are drawn out in writing: the long mark of kana and its small vowels. */
const drawnOut = /[ーぁぃぅぇぉァィゥェォ]/u;
/** Vowels of kana that draw out the syllable before them: the last letters of `やめてえええ`. */
const drawnOutKana =
  /(?<=[かさたなはまやらわがざだば])あ{2,}|(?<=[けせてねへめれげぜでべ])え{2,}|(?<=[こそとのほもよろごぞどぼ])お{2,}|(?<=[くすつぬふむゆるぐず])う{2,}/gu;
/** Letters of Korean that stand for laughing and crying. */
const koreanEmotions = /[ㅋㅎㅠㅜㅡ]+/gu;
/** Laughter, as people of several languages type it. */
const laughter = /^(?:[hj]?(?:[aei][hj]){2,}[aei]?|[hj][aei][hj][aei]|k{3,}|(?:rs){2,}|ه{2,}|(?:ह[ाेी]){2,}|5{3,})$/u;

/** A mark that is typed with the key of the digit one: `stop!!1`. */
const exclamationMark = '!';
const slippedKey = '1';

/** Letters of the Arabic script that are written for one another. */
const arabicLetters: ReadonlyMap<string, string> = new Map([
  ['أ', 'ا'],
  ['إ', 'ا'],
  ['آ', 'ا'],
  ['ٱ', 'ا'],
  ['ى', 'ي'],
  ['ی', 'ي'],
  ['ة', 'ه'],
  ['ک', 'ك'],
]);

type CharClass = 'silent' | 'question' | 'pause' | 'unspaced' | 'letter' | 'apostrophe' | 'hyphen' | 'space';

/** The classes of characters that have been read. The characters outside the first plane are few: their classes are not kept. */
const knownClasses: (CharClass | undefined)[] = [];
const lastKept = 0xffff;

function classOf(char: string): CharClass {
  const code = char.codePointAt(0) ?? 0;
  const known = knownClasses[code];
  if (known !== undefined) return known;
  const found = classify(char);
  if (code <= lastKept) knownClasses[code] = found;
  return found;
}

function classify(char: string): CharClass {
  if (silent.test(char) || drawnOut.test(char)) return 'silent';
  if (questionMark.test(char)) return 'question';
  if (unspaced.test(char)) return 'unspaced';
  if (letter.test(char)) return 'letter';
  if (apostrophe.test(char)) return 'apostrophe';
  if (hyphen.test(char)) return 'hyphen';
  return space.test(char) ? 'space' : 'pause';
}

/**
 * Returns the words of a text in lower case, with `pauseToken` where there is punctuation; null for a question, and for code with a call (`quit()`). A letter of Chinese, Japanese or Korean is a
 * word. A word keeps an apostrophe or a hyphen inside it (`that's`, `non-stop`). Takes one step for each character.
 */
export function tokenizePhrase(text: string): string[] | null {
  if (text.includes(emptyCall)) return null;
  const words: string[] = [];
  let word = '';
  let joint = ''; // an apostrophe or a hyphen that belongs to the word if a letter follows
  let isExclaiming = false; // nothing but exclamation marks and slipped keys since the last one of them
  const endWord = () => {
    if (laughter.test(word)) pause();
    else if (word !== '') words.push(word);
    word = '';
    joint = '';
  };
  const pause = () => {
    if (words.at(-1) !== pauseToken) words.push(pauseToken);
  };
  // U+00B4 is typed as an apostrophe; NFKC would make a space of it. NFKC also makes letters of another block of the Korean ones: they are replaced first
  const normal = text.replaceAll('\u00b4', "'").replaceAll(koreanEmotions, ', ').normalize('NFKC').toLowerCase();
  for (const char of normal.replaceAll(drawnOutKana, '')) {
    const charClass = classOf(char);
    if (charClass === 'silent') continue;
    if (charClass === 'question') return null;
    isExclaiming = char === exclamationMark || (isExclaiming && char === slippedKey);
    if (isExclaiming) {
      endWord();
      pause();
    } else if (charClass === 'unspaced') {
      endWord();
      words.push(char);
    } else if (charClass === 'letter') {
      word += joint + (arabicLetters.get(char) ?? char);
      joint = '';
    } else if (word !== '' && joint === '' && charClass === 'apostrophe') {
      joint = "'";
    } else if (word !== '' && joint === '' && charClass === 'hyphen') {
      joint = '-';
    } else {
      endWord();
      if (charClass !== 'space') pause();
    }
  }
  endWord();
  return words;
}

/** Returns a phrase with its hyphens, and with spaces in their place. */
export const spacingsOf = (phrase: string): readonly string[] =>
  phrase.includes('-') ? [phrase, phrase.replaceAll('-', ' ')] : [phrase];

/** Returns the spellings that people use for a word: with or without accents and apostrophes. The last one has none of them. */
export function spellingsOf(word: string): readonly string[] {
  if (!spelledInTwoWays.test(word)) return [word]; // most words
  const bare = word.replaceAll("'", '');
  return [word, bare, withoutAccents(word), withoutAccents(bare)];
}

/** Characters that may be left out: apostrophes, accents of Latin letters, dots below Devanagari letters. */
const spelledInTwoWays = /'|[\u00c0-\u024f\u1e00-\u1eff]|[\u0300-\u036f]|\u093c|[\u0958-\u095f]/u;

/** Words that are other words without their accent: "yes" and "if", "is" and "and", "what" and "that". They keep it. */
const accentCounts: ReadonlySet<string> = new Set(['é', 'è', 'sí', 'sì', 'qué']);

function withoutAccents(word: string): string {
  if (accentCounts.has(word)) return word;
  return word
    .normalize('NFD')
    .replaceAll(/(?<=\p{Script=Latin})[\u0300-\u036f]|\u093c/gu, '')
    .normalize('NFC');
}
