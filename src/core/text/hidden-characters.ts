// Characters that cannot be seen, or that turn round what is seen, written out: `e<U+202E>txt.sh`. Whoever approves a text or reads a name reads all of it.
//
// 1. A joiner between two letters of a script that joins its letters stays: Persian, and the scripts of India, are spelled with them.
// 2. So do the joiners and selectors within an emoji. Everywhere else both are invisible, and make two texts of one look.

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

const hiddenInText = new RegExp(`${partsOfEmoji}|${joinerOfLetters}|\\r(?=\\n)|(?<hidden>(?![\\n\\t])${hidden})`, 'gv');
const hiddenInName = new RegExp(`\\p{RGI_Emoji}|${joinerOfLetters}|(?<hidden>${hidden})`, 'gv');
/** A blank at the beginning or the end, or after another one. */
const blankInName = /^\s|\s$|(?<=\s)\s/g;

/** Returns the text with each character that cannot be seen written out. Line feeds and tabs stay. */
export const writeOutHidden = (text: string): string =>
  text.replace(hiddenInText, (match, shown?: string) => (shown === undefined ? match : codeOf(match)));

/** Returns the name of a speaker with what no new name may hold written out: see `speakerNameProblem`. */
export const writeOutName = (name: string): string =>
  name
    .replace(hiddenInName, (match, shown?: string) => (shown === undefined ? match : codeOf(match)))
    .replace(blankInName, codeOf);

/** Returns the first character of a name that cannot be seen, written out; null: there is none. */
export function hiddenCharacterOf(name: string): string | null {
  for (const { 0: match, groups } of name.matchAll(hiddenInName))
    if (groups?.['hidden'] !== undefined) return codeOf(match);
  return null;
}

const codeOf = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
