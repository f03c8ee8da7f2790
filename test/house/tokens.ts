// Splits TypeScript into tokens: enough of the grammar to tell code from comments, strings, templates and regular expressions.
// The compiler has no parser to call from JavaScript any more, and the house needs no more than this.

export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'comment' | 'punctuation';
  /** As written; of a string or template the text between the quotes, with `{}` for a template's holes. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

const wordStart = /[\p{ID_Start}$_#@]/u;
const wordPart = /[\p{ID_Continue}$\u200c\u200d]/u;
/** After these words an expression starts, so a slash there starts a regular expression. */
const beforeExpression = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield extends default'.split(' '),
);

/** Reads one source from its beginning to its end. */
class Scanner {
  readonly tokens: Token[] = [];
  readonly #source: string;
  #at = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads up to the brace that closes a template's hole (it is not consumed), or to the end. */
  readCode(until: '}' | null): void {
    let depth = 0;
    while (this.#at < this.#source.length) {
      const char = this.#source[this.#at] ?? '';
      if (char === '}' && until === '}' && depth === 0) return;
      if (char === '{') depth++;
      if (char === '}') depth--;
      this.#readToken(char);
    }
  }

  #readToken(char: string): void {
    const source = this.#source;
    const at = this.#at;
    if (/\s/.test(char)) this.#skip(at + 1);
    else if (source.startsWith('//', at) || (at === 0 && source.startsWith('#!'))) {
      const end = source.indexOf('\n', at);
      this.#push('comment', end === -1 ? source.length : end);
    } else if (source.startsWith('/*', at)) {
      const end = source.indexOf('*/', at + 2);
      this.#push('comment', end === -1 ? source.length : end + 2);
    } else if (char === "'" || char === '"') {
      const end = this.#quoteEnd(char);
      this.#push('string', end + 1, source.slice(at + 1, end));
    } else if (char === '`') this.#readTemplate();
    else if (char === '/' && !this.#divides()) this.#push('regex', this.#regexEnd());
    else if (wordStart.test(char)) this.#push('word', this.#endOf(wordPart));
    else if (/\d/.test(char)) this.#push('number', this.#endOf(/[\w.]/));
    else this.#push('punctuation', at + 1);
  }

  /** Reads a template from its backquote: its text is one token, the code in its holes follows as tokens of its own. */
  #readTemplate(): void {
    const holder = this.tokens.length;
    const line = this.#line;
    const source = this.#source;
    let text = '';
    this.#at++;
    while (this.#at < source.length && source[this.#at] !== '`') {
      if (source.startsWith('${', this.#at)) {
        text += '{}';
        this.#at += 2;
        this.readCode('}');
        this.#at++;
      } else {
        const end = this.#at + (source[this.#at] === '\\' ? 2 : 1);
        text += source.slice(this.#at, end);
        this.#skip(end);
      }
    }
    this.#at++;
    this.tokens.splice(holder, 0, { kind: 'template', text, line });
  }

  #push(kind: Token['kind'], end: number, text = this.#source.slice(this.#at, end)): void {
    this.tokens.push({ kind, text, line: this.#line });
    this.#skip(end);
  }

  #skip(end: number): void {
    for (let at = this.#at; at < end; at++) if (this.#source[at] === '\n') this.#line++;
    this.#at = end;
  }

  /** Whether a slash divides here; otherwise a regular expression starts. */
  #divides(): boolean {
    const last = this.tokens.findLast((token) => token.kind !== 'comment');
    if (!last) return false;
    if (last.kind === 'word') return !beforeExpression.has(last.text);
    if (last.kind === 'punctuation') return last.text === ')' || last.text === ']' || last.text === '}';
    return true;
  }

  #endOf(part: RegExp): number {
    let end = this.#at + 1;
    while (end < this.#source.length && part.test(this.#source[end] ?? '')) end++;
    return end;
  }

  #quoteEnd(quote: string): number {
    const source = this.#source;
    let end = this.#at + 1;
    while (end < source.length && source[end] !== quote && source[end] !== '\n') end += source[end] === '\\' ? 2 : 1;
    return end;
  }

  #regexEnd(): number {
    const source = this.#source;
    let end = this.#at + 1;
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
  }
}

/** Splits a source into its tokens, comments included. */
export function tokensOf(source: string): Token[] {
  const scanner = new Scanner(source);
  scanner.readCode(null);
  return scanner.tokens;
}

/** Splits a source into its tokens, without comments. */
export function codeTokens(source: string): Token[] {
  return tokensOf(source).filter((token) => token.kind !== 'comment');
}
