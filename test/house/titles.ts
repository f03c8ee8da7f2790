// Reads the ids of promises from the titles of a test file: those in square brackets.
import { codeTokens, type Token } from './tokens.ts';

const id = /\[([a-z]+(?:\.[a-z_-]+)+)\]/g;
const callers = new Set(['test', 'it', 'describe']);
/** Modifiers that are called before the title is given. */
const calledFirst = new Set(['each', 'for', 'runIf']);
const notRun = new Set(['skip', 'todo', 'fails', 'skipIf']);

/**
 * Returns the ids. Titles are the first arguments of `test`, `it` and `describe`, also after `.each(…)` and the like. In a file where such an
 * argument is no plain text (the titles are in a table), every text with an id counts. Skipped tests do not count; those of `runIf` do: what they need is installed in CI, which is red without it.
 */
export function promisesNamedIn(source: string): string[] {
  const tokens = codeTokens(source);
  const texts: string[] = [];
  let fromTable = false;
  tokens.forEach((token, index) => {
    if (token.kind !== 'word' || !callers.has(token.text) || tokens[index - 1]?.text === '.') return;
    const title = titleOf(tokens, index);
    if (!title) return;
    if (title.kind === 'string' || title.kind === 'template') texts.push(title.text);
    if (title.kind === 'word' || (title.kind === 'template' && title.text.includes('[{}]'))) fromTable = true;
  });
  if (fromTable) texts.push(...tokens.filter(isText).map(({ text }) => text));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(id)].map((found) => found[1] ?? '')))].sort();
}

const isText = ({ kind }: Token): boolean => kind === 'string' || kind === 'template';

/** Returns the token after the parenthesis that calls; undefined for what is skipped or never called. */
function titleOf(tokens: readonly Token[], caller: number): Token | undefined {
  let at = caller + 1;
  for (;;) {
    const token = tokens[at];
    if (token?.text === '.') {
      const modifier = tokens[at + 1]?.text ?? '';
      if (notRun.has(modifier)) return undefined;
      at += 2;
      if (!calledFirst.has(modifier)) continue;
      if (tokens[at]?.kind === 'template') at++;
      else at = afterParentheses(tokens, at);
    } else return token?.text === '(' ? tokens[at + 1] : undefined;
  }
}

function afterParentheses(tokens: readonly Token[], at: number): number {
  let depth = 0;
  for (let index = at; index < tokens.length; index++) {
    if (tokens[index]?.kind !== 'punctuation') continue;
    if (tokens[index]?.text === '(') depth++;
    if (tokens[index]?.text === ')' && --depth === 0) return index + 1;
  }
  return tokens.length;
}
