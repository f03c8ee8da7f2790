// Decides how surely words were directed at the bot, by what a bridge says of it, and by the names of the bot in the words.

/** What a bridge says of words that it relays. */
export interface AddressingEvidence {
  /** How surely they were directed at the bot, from 0 to 1. */
  readonly addressed?: number | undefined;
  /** They reply to something that the bot has said. */
  readonly replyToBot?: boolean | undefined;
}

/** Greetings that may stand before a name of the bot. */
const greetings = /^(?:hey|hi|hello|ok|okay|oh|yo)[\s,]+/u;

/** Returns the text in the form in which it is compared: case, width and composition of letters make no difference. */
const plain = (text: string): string => text.normalize('NFKC').toLowerCase().trim();

const isWordCharacter = (character: string): boolean => /[\p{L}\p{M}\p{N}_]/u.test(character);

/** Returns the text without the spaces and marks at its end. A loop: a regular expression with `$` takes quadratic time on a long row of marks. */
function withoutEndMarks(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s\p{P}]/u.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/**
 * Whether the text calls the bot by one of its names: at its beginning, also after a greeting, or at its end, alone or as `@name`. A name in the middle is
 * talk about the bot. Takes time in proportion to the length of the text.
 */
export function callsByName(text: string, names: readonly string[]): boolean {
  const words = withoutEndMarks(plain(text));
  const head = words.replace(greetings, '').replace(/^@/u, '');
  return names.map(plain).some((name) => {
    if (name === '') return false;
    const after = String.fromCodePoint(head.codePointAt(name.length) ?? 0);
    if (head.startsWith(name) && !isWordCharacter(after)) return true;
    return words.endsWith(name) && !isWordCharacter(words.slice(-name.length - 2, -name.length).slice(-1));
  });
}

/** Returns how surely words were directed at the bot, from 0 to 1; undefined: nothing is known. The strongest evidence counts. */
export function addressingOf(
  text: string,
  { addressed, replyToBot }: AddressingEvidence,
  names: readonly string[],
): number | undefined {
  return replyToBot || callsByName(text, names) ? 1 : addressed;
}
