// Splits TypeScript into tokens, by the scanner of the compiler, which tells code from comments, strings, templates and regular expressions.
// This is the only file that imports it: its entry point is not stable yet.
import { SyntaxKind } from 'typescript/unstable/ast';
import { createScanner, getShebang, tokenIsIdentifierOrKeyword } from 'typescript/unstable/ast/scanner';

export interface Token {
  /** `punctuation` is one character. */
  readonly kind: 'word' | 'number' | 'string' | 'template' | 'regex' | 'comment' | 'punctuation';
  /** As written; of a string or template the text between the quotes, with `{}` for a template's holes. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

const kinds: ReadonlyMap<SyntaxKind, Token['kind']> = new Map([
  [SyntaxKind.SingleLineCommentTrivia, 'comment'],
  [SyntaxKind.MultiLineCommentTrivia, 'comment'],
  [SyntaxKind.PrivateIdentifier, 'word'],
  [SyntaxKind.NumericLiteral, 'number'],
  [SyntaxKind.BigIntLiteral, 'number'],
  [SyntaxKind.StringLiteral, 'string'],
  [SyntaxKind.NoSubstitutionTemplateLiteral, 'template'],
  [SyntaxKind.TemplateHead, 'template'],
  [SyntaxKind.RegularExpressionLiteral, 'regex'],
]);
const blanks: ReadonlySet<SyntaxKind> = new Set([SyntaxKind.WhitespaceTrivia, SyntaxKind.NewLineTrivia]);
const slashes: ReadonlySet<SyntaxKind> = new Set([SyntaxKind.SlashToken, SyntaxKind.SlashEqualsToken]);
/** After these words an expression starts, so a slash there starts a regular expression. */
const beforeExpression = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield extends default'.split(' '),
);

/** Whether a slash divides after these tokens; otherwise a regular expression starts. */
function divides(tokens: readonly Token[]): boolean {
  const last = tokens.findLast(({ kind }) => kind !== 'comment');
  if (last?.kind === 'word') return !beforeExpression.has(last.text);
  return last !== undefined && (last.kind !== 'punctuation' || /^[)\]}]$/.test(last.text));
}

/** Returns the text of a string or of a part of a template, without its quotes, `${` and `}`. */
const insideOf = (text: string): string => text.replace(/^['"`}]/, '').replace(/(['"`]|\$\{)$/, '');

/** The file that was split last: several rules look at one after the other. */
let last: { readonly source: string; readonly tokens: readonly Token[] } | undefined;

/** Splits a source into its tokens, comments included. The code in the holes of a template follows it as tokens of its own. */
export function tokensOf(source: string): readonly Token[] {
  if (last?.source !== source) last = { source, tokens: scan(source) };
  return last.tokens;
}

function scan(source: string): readonly Token[] {
  const shebang = getShebang(source) ?? '';
  const scanner = createScanner(false, undefined, source, shebang.length);
  const tokens: Token[] = shebang === '' ? [] : [{ kind: 'comment', text: shebang, line: 1 }];
  /** The templates around the place, each with the braces that are open in its hole. */
  const templates: { readonly index: number; braces: number }[] = [];
  let line = 1;
  let startsHole = false;
  for (let found = scanner.scan(); found !== SyntaxKind.EndOfFile; found = scanner.scan()) {
    if (slashes.has(found) && (startsHole || !divides(tokens))) found = scanner.reScanSlashToken();
    const around = templates.at(-1);
    const endsHole = around?.braces === 0 && found === SyntaxKind.CloseBraceToken;
    if (endsHole) found = scanner.reScanTemplateToken(false);
    const text = scanner.getTokenText();
    const kind = tokenIsIdentifierOrKeyword(found) ? 'word' : (kinds.get(found) ?? 'punctuation');
    if (endsHole) {
      const template = tokens[around.index];
      if (template) tokens[around.index] = { ...template, text: `${template.text}{}${insideOf(text)}` };
      if (found === SyntaxKind.TemplateTail) templates.pop();
    } else if (kind === 'punctuation') {
      if (around && text === '{') around.braces++;
      if (around && text === '}') around.braces--;
      if (!blanks.has(found)) for (const char of text) tokens.push({ kind, text: char, line });
    } else {
      if (found === SyntaxKind.TemplateHead) templates.push({ index: tokens.length, braces: 0 });
      tokens.push({ kind, text: kind === 'string' || kind === 'template' ? insideOf(text) : text, line });
    }
    if (!blanks.has(found)) startsHole = found === SyntaxKind.TemplateHead || found === SyntaxKind.TemplateMiddle;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) line++;
  }
  return tokens;
}

/** Splits a source into its tokens, without comments. */
export function codeTokens(source: string): Token[] {
  return tokensOf(source).filter((token) => token.kind !== 'comment');
}
