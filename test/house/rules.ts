// The rules of the house that one file keeps or breaks: each returns what breaks it, in words. test/house/rules.test.ts holds the tree to them.
import { headerOf } from './file-header.ts';
import { type CastSpan, callableDefinitions, castsIn, exportedFunctions, functionSpans } from './syntax.ts';
import { codeTokens, type Token, tokensOf } from './tokens.ts';

export interface HouseRule {
  readonly name: string;
  readonly id: string;
  /** Where it holds: folders of the checkout. */
  readonly folders: readonly string[];
  /** Returns what breaks the rule in a file with that text. */
  readonly breaches: (path: string, source: string) => string[];
}

export const longestFunction = 70;

const sources = ['machines', 'src'];
const everything = [...sources, 'test', 'bench', 'scripts', 'docs/examples'];

/** Verbs that say nothing without their object. `say` is the protocol's own verb, and so is `leave` in a file with `join` or `say`. */
const bareVerbs = new Set(['tell', 'told', 'take', 'end', 'leave', 'look', 'give', 'hear', 'talk']);

/** The beginning of a docblock that says when something holds, or is left out, before it says what that is. */
const exceptionFirst =
  /^\/\*\*[\s*]*((Null|Undefined|None|Absent|Missing|Empty|False|True|Left out|Default|With|Without|Of|If|Set if|Given|Only|Once|Also|Not|Never|Otherwise)\b|0:)/;

/** The docblock of a function that begins with a question word: it does not say what the function does. */
const questionFirst =
  /^[^\S\n]*\/\*\* ?(?:What|Who|Whose|How|Which|Where|When)\b.*\*\/\n\s*(?:export )?(?:async )?(?:function\b|const \w+ = (?:async )?(?:<.*>)?\().*/gm;

const at = (line: number, text: string): string => `line ${line}: ${text}`;

/** The lines on which a comment stands, all lines of a block included. */
function commentLines(source: string): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const { kind, text, line } of tokensOf(source)) {
    if (kind === 'comment') for (const i of text.split('\n').keys()) lines.add(line + i);
  }
  return lines;
}

/** The casts without a comment on the line above them or on one of their own lines. */
function uncommentedCasts(source: string): string[] {
  const casts = castsIn(source);
  if (casts.length === 0) return [];
  const commented = commentLines(source);
  const isCommented = ({ line, lastLine }: CastSpan) => {
    for (let at = line - 1; at <= lastLine; at++) if (commented.has(at)) return true;
    return false;
  };
  return casts.filter((cast) => !isCommented(cast)).map(({ line, text }) => at(line, `as ${text}`));
}

/** They make printable what they print, or print what a program reads. */
const printers = new Set([
  'src/core/text/print-line.ts',
  'src/programs/plain-screen.ts',
  'src/programs/scripted/program.ts',
]);

/** The places that print to the terminal as it is what may be from outside: anything but a usage. */
function rawPrints(source: string): string[] {
  const code = tokensOf(source).filter(({ kind }) => kind !== 'comment' && kind !== 'string' && kind !== 'template');
  return code.flatMap(({ text, line }, i) => {
    const isConsole = text === 'console' && code[i + 1]?.text === '.';
    const isWrite = text === 'write' && /^std(out|err)$/.test(code[i - 2]?.text ?? '') && code[i + 2]?.text !== 'usage';
    return isConsole || isWrite ? [at(line, text)] : [];
  });
}

/** The spreads of an object or array that is written out right there, and of which nothing else is asked. */
function foldedLines(source: string): string[] {
  const code = codeTokens(source);
  return code.flatMap(({ text, line }, i) => {
    if (text !== '.' || code[i - 1]?.text !== '.' || code[i - 2]?.text !== '.') return [];
    const start = code[i + 1]?.text === '(' ? i + 2 : i + 1;
    const open = code[start]?.text ?? '';
    if ((open !== '{' && open !== '[') || code[start + 1]?.text === '.') return [];
    const end = endOfBrackets(code, start);
    const rest = code.slice(end + 1, end + 5).map(({ text }) => text);
    const isFolded = start === i + 1 ? /^[,}\])]/ : /^(asconst)?\)[,}\])]/;
    return isFolded.test(rest.join('')) ? [at(line, `...${open}`)] : [];
  });
}

/** Returns the index of the token that closes the bracket at `open`. */
function endOfBrackets(code: readonly Token[], open: number): number {
  let depth = 0;
  return code.findIndex(({ kind, text }, i) => {
    if (i < open || kind !== 'punctuation') return false;
    if (/^[({[]$/.test(text)) depth++;
    if (/^[)}\]]$/.test(text)) depth--;
    return depth === 0;
  });
}

export const rules: readonly HouseRule[] = [
  {
    id: 'long-function',
    name: `no function is over ${longestFunction} lines`,
    folders: everything,
    breaches: (_, source) =>
      functionSpans(source)
        .filter(({ lines }) => lines > longestFunction)
        .map(({ line, lines }) => at(line, `${lines} lines`)),
  },
  {
    id: 'docblock',
    name: 'every exported function has a docblock',
    folders: sources,
    breaches: (_, source) =>
      exportedFunctions(source)
        .filter(({ hasDocblock }) => !hasDocblock)
        .map(({ name, line }) => at(line, name)),
  },
  {
    id: 'exception-first',
    name: 'a docblock begins with what the thing is or does, not with its exception',
    folders: everything,
    breaches: (_, source) =>
      tokensOf(source)
        .filter(({ kind, text }) => kind === 'comment' && exceptionFirst.test(text))
        .map(({ line, text }) => at(line, text)),
  },
  {
    id: 'question-first',
    name: 'the docblock of a function says what it does, and asks no question',
    folders: everything,
    breaches: (_, source) => [...source.matchAll(questionFirst)].map(([text]) => text.trim()),
  },
  {
    id: 'first-line',
    name: 'a first line opens with a noun or a verb',
    folders: everything,
    breaches: (_, source) => {
      const [first = ''] = headerOf(source).split('\n');
      return /^\W*(What|Who|How|Whose|Whom|That which)\b/.test(first) ? [first] : [];
    },
  },
  {
    id: 'bare-verb',
    name: 'no function is named by a bare verb',
    folders: sources,
    breaches: (_, source) => {
      const definitions = callableDefinitions(source);
      const isProtocol = definitions.some(({ name }) => name === 'join' || name === 'say');
      return definitions
        .filter(({ name }) => bareVerbs.has(name.replace(/^#/, '')) && !(isProtocol && name === 'leave'))
        .map(({ name, line }) => at(line, name));
    },
  },
  {
    id: 'folded-line',
    name: 'no literal is spread only to put several fields or elements on one line',
    folders: everything,
    breaches: (_, source) => foldedLines(source),
  },
  {
    id: 'raw-print',
    name: 'what is printed goes through src/core/text/print-line.ts, which makes it printable',
    folders: sources,
    breaches: (path, source) => (printers.has(path) ? [] : rawPrints(source)),
  },
  {
    id: 'cast',
    name: 'a comment says why a cast is safe',
    folders: sources,
    breaches: (_, source) => uncommentedCasts(source),
  },
];
