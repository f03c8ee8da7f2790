// Texts from outside, made safe for a terminal or written out for whoever approves them, and the rule of what a name may hold.
//
// Joiners and variation selectors stay in a text that is made safe: emoji and Persian need them. Written out is each character that cannot be seen, or that turns
// round what is seen: `e<U+202E>txt.sh`.
// 1. A joiner between two letters of a script that joins its letters stays: Persian, and the scripts of India, are spelled with them.
// 2. So do the joiners and selectors within an emoji. Everywhere else both are invisible, and make two texts of one look.

/** Controls, separators of lines and paragraphs, and marks that change the writing direction. */
const unprintable = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const unprintableInText = new RegExp(`(?![\\n\\t])${unprintable.source}`, 'gu');

/** Removes what could move the cursor of a terminal or change what a line seems to say. Keeps line feeds and tabs. */
export const makePrintable = (text: string): string => text.replace(unprintableInText, '');

/** Returns the JSON of a value with such characters escaped: a program that reads it loses nothing. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    unprintableInText,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Characters (UTF-16 code units) of the name of a speaker, a session or a tool. */
export const maxNameChars = 128;

/** Returns what is wrong with the name of a tool, a session, or of a speaker who is stored already; null: nothing. */
export function nameProblem(name: string): string | null {
  if (name.length === 0 || name.length > maxNameChars)
    return `must have 1 to ${maxNameChars} characters, and has ${name.length}`;
  if (!name.isWellFormed()) return 'must be well-formed Unicode';
  if (unprintable.test(name))
    return 'must not hold control characters, line separators or marks of the writing direction';
  if (name.trim() === '') return 'must not be blank';
  return null;
}

/**
 * Returns what is wrong with the name of a speaker who is new; null: nothing. Two names that look alike must not be two speakers: blanks that cannot be
 * seen, and characters that cannot, are no part of a name. Old stores may have such names: they open, and are shown by `writeOutName`.
 */
export function speakerNameProblem(name: string): string | null {
  const problem = nameProblem(name);
  if (problem !== null) return problem;
  if (/^\s|\s$/.test(name)) return 'must not begin or end with a blank';
  if (/\s\s/.test(name)) return 'must not hold two blanks in a row';
  if (plainIn.name.test(name)) return null;
  const hidden = [...name.matchAll(hiddenIn('name'))].find(({ groups }) => groups?.['hidden'] !== undefined);
  return hidden ? `must not hold characters that cannot be seen, and holds ${codeOf(hidden[0])}` : null;
}

/** Returns a name that a model has made up as one that may be kept and shown: cut, with `_` for each character that no name may hold. */
export const repairName = (name: string): string =>
  Array.from(name.slice(0, maxNameChars).toWellFormed(), (character) =>
    unprintable.test(character) ? '_' : character,
  ).join('');

/** Controls, separators of lines, marks of the writing direction, blanks without a width, fillers, tags, halves of a pair. */
const hidden = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]`;

/** The scripts whose letters change their shape, or their meaning, by a joiner. */
const joiningScripts =
  'Arab Syrc Mand Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Laoo Bali Java'
    .split(' ')
    .map((script) => String.raw`\p{Script_Extensions=${script}}`)
    .join('');
const letter = String.raw`[[\p{L}\p{M}]&&[${joiningScripts}]]`;
const joinerOfLetters = String.raw`(?<=${letter})[\u200c\u200d](?=${letter})`;

/** The parts of an emoji, by their neighbors alone: to look each up in the table of all emoji would take too long in a long text. */
const partsOfEmoji = [
  String.raw`(?<=[\p{Extended_Pictographic}--\p{Emoji_Presentation}])\ufe0f`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
  String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\u{1f3f4})[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`,
].join('|');

const sources = {
  text: `${partsOfEmoji}|${joinerOfLetters}|\\r(?=\\n)|(?<hidden>(?![\\n\\t])${hidden})`,
  name: `\\p{RGI_Emoji}|${joinerOfLetters}|(?<hidden>${hidden})`,
} as const;

/** Match texts and names that have no hidden characters, without the expressions above. */
const plainIn = { text: /^[\n\t\x20-\x7e]*$/, name: /^[\x20-\x7e]*$/ } as const;

const compiled: Partial<Record<keyof typeof sources, RegExp>> = {};

/** Returns the expression for hidden characters. It is compiled at its first use, as that takes some 30 ms. */
function hiddenIn(place: keyof typeof sources): RegExp {
  compiled[place] ??= new RegExp(sources[place], 'gv');
  return compiled[place];
}

function writeOut(text: string, place: keyof typeof sources): string {
  if (plainIn[place].test(text)) return text;
  return text.replace(hiddenIn(place), (match, shown?: string) => (shown === undefined ? match : codeOf(match)));
}

/** A blank at the beginning or the end, or after another one. */
const blankInName = /^\s|\s$|(?<=\s)\s/g;

/** Returns the text with each character that cannot be seen written out. Line feeds and tabs stay. */
export const writeOutHidden = (text: string): string => writeOut(text, 'text');

/** Returns the name of a speaker with what no new name may hold written out: see `speakerNameProblem`. */
export const writeOutName = (name: string): string => writeOut(name, 'name').replace(blankInName, codeOf);

const codeOf = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
