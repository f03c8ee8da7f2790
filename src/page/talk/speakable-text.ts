// Finds what of a text is spoken, and where it is divided. What is spoken has the positions of the text: what was played is reported in them.

/** Blanks out what is marked, in place: every position stays. */
const blank = (text: string): string => text.replace(/\S/g, ' ');

/** Text as it is spoken, as long as it was: without code blocks, marks of Markdown and addresses of links. */
export const speakableText = (text: string): string =>
  text
    .replace(/```[\s\S]*?(```|$)/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank)
    .replace(/https?:\/\/\S+/g, blank)
    .replace(/^[ \t]*(?:[-*+>]|#{1,6}|\d+\.)(?=\s)/gm, blank)
    .replace(/[*_`~[\]|]/g, ' ');

/** Characters of a piece at most: browsers fall silent in long ones. */
const maxPieceChars = 220;

/**
 * Returns where the next piece of a text ends that is spoken in one: at the end of a sentence or a line.
 * @param isWhole Whether the text ends here; if not, its last sentence may go on. Returns null where more of it is to be awaited.
 */
export function endOfPiece(text: string, from: number, isWhole: boolean): number | null {
  const rest = text.slice(from);
  const [sentence] = /^\s*\S[\s\S]*?(?:[.!?…:;]["')\]]*(?=\s)|\n)/.exec(rest) ?? [];
  const length = sentence?.length ?? (isWhole ? rest.length : null);
  if (length !== null && length <= maxPieceChars) return length === 0 ? null : from + length;
  if (rest.length <= maxPieceChars) return null;
  const space = rest.lastIndexOf(' ', maxPieceChars);
  return from + (space > 0 ? space : maxPieceChars);
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Words from which on an echo is recognized: a shorter one may be meant. */
const leastEchoWords = 2;

/** Whether recognized words are what the loudspeaker has just spoken: they stand there, in this order. */
export function isEcho(heard: string, spoken: string): boolean {
  const words = wordsIn(heard);
  return words.length >= leastEchoWords && ` ${wordsIn(spoken).join(' ')} `.includes(` ${words.join(' ')} `);
}
