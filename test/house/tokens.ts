// Splits TypeScript into tokens: enough of the grammar to tell code from comments, strings, templates and regular expressions.
// The compiler has no parser to call from JavaScript any more, and the house needs no more than this.

export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'comment' | 'punctuation';
  /** As written; of a string or template what stands between the quotes, a template's holes shown as `{}`. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

const wordStart = /[\p{ID_Start}$_#@]/u;
const wordPart = /[\p{ID_Continue}$\u200c\u200d]/u;
/** Behind these words an expression begins, so a slash there begins a regular expression. */
const beforeExpression = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield extends default'.split(' '),
);

export function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;

  const count = (text: string): void => {
    for (const char of text) if (char === '\n') line++;
  };
  const push = (kind: Token['kind'], end: number, text = source.slice(at, end)): void => {
    tokens.push({ kind, text, line });
    count(source.slice(at, end));
    at = end;
  };
  const divides = (): boolean => {
    const last = tokens.findLast((token) => token.kind !== 'comment');
    if (!last) return false;
    if (last.kind === 'word') return !beforeExpression.has(last.text);
    if (last.kind === 'punctuation') return last.text === ')' || last.text === ']' || last.text === '}';
    return true;
  };
  const quoted = (quote: string): number => {
    let end = at + 1;
    while (end < source.length && source[end] !== quote && source[end] !== '\n') end += source[end] === '\\' ? 2 : 1;
    return end;
  };
  const regexEnd = (): number => {
    let end = at + 1;
    let inClass = false;
    while (end < source.length && source[end] !== '\n') {
      const char = source[end];
      if (char === '\\') end++;
      else if (char === '[') inClass = true;
      else if (char === ']') inClass = false;
      else if (char === '/' && !inClass) break;
      end++;
    }
    end++;
    while (end < source.length && wordPart.test(source[end] ?? '')) end++;
    return end;
  };
  /** Reads a template from its backquote: its text is one token, the code in its holes follows as tokens of its own. */
  const template = (): void => {
    const holder = tokens.length;
    const began = line;
    let text = '';
    at++;
    while (at < source.length && source[at] !== '`') {
      if (source.startsWith('${', at)) {
        text += '{}';
        at += 2;
        code('}');
        at++;
      } else {
        const step = source[at] === '\\' ? 2 : 1;
        text += source.slice(at, at + step);
        count(source.slice(at, at + step));
        at += step;
      }
    }
    at++;
    tokens.splice(holder, 0, { kind: 'template', text, line: began });
  };

  /** Reads up to the brace that closes a hole (it is not consumed), or to the end. */
  const code = (until: '}' | null): void => {
    let depth = 0;
    while (at < source.length) {
      const char = source[at] ?? '';
      if (char === '\n') {
        line++;
        at++;
      } else if (/\s/.test(char)) at++;
      else if (source.startsWith('//', at) || (at === 0 && source.startsWith('#!'))) {
        const end = source.indexOf('\n', at);
        push('comment', end === -1 ? source.length : end);
      } else if (source.startsWith('/*', at)) {
        const end = source.indexOf('*/', at + 2);
        push('comment', end === -1 ? source.length : end + 2);
      } else if (char === "'" || char === '"') {
        const end = quoted(char);
        push('string', end + 1, source.slice(at + 1, end));
      } else if (char === '`') template();
      else if (char === '/' && !divides()) push('regex', regexEnd());
      else if (wordStart.test(char)) {
        let end = at + 1;
        while (end < source.length && wordPart.test(source[end] ?? '')) end++;
        push('word', end);
      } else if (/\d/.test(char)) {
        let end = at + 1;
        while (end < source.length && /[\w.]/.test(source[end] ?? '')) end++;
        push('number', end);
      } else {
        if (char === '{') depth++;
        if (char === '}') {
          if (until === '}' && depth === 0) return;
          depth--;
        }
        push('punctuation', at + 1);
      }
    }
  };
  code(null);
  return tokens;
}

/** The tokens without comments. */
export function codeTokens(source: string): Token[] {
  return tokensOf(source).filter((token) => token.kind !== 'comment');
}
