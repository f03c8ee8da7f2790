// Texts from outside, made safe for a terminal, and the rule of what a name may hold.
//
// Joiners and variation selectors stay in a text: emoji and Persian need them.
import { hiddenCharacterOf } from './hidden-characters.ts';

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
  const character = hiddenCharacterOf(name);
  return character === null ? null : `must not hold characters that cannot be seen, and holds ${character}`;
}

/** Returns a name that a model has made up as one that may be kept and shown: cut, with `_` for each character that no name may hold. */
export const repairName = (name: string): string =>
  Array.from(name.slice(0, maxNameChars).toWellFormed(), (character) =>
    unprintable.test(character) ? '_' : character,
  ).join('');
