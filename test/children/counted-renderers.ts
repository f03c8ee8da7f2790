// Renders hostile texts on the page and at the terminal, once and twice as long, and prints how many functions of the sources were called for each.
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.tsx')) return next(url, context);
    const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), { loader: 'tsx', jsx: 'automatic' });
    return { format: 'module', source: code, shortCircuit: true };
  },
});

const { createElement } = await import('react');
const { renderToStaticMarkup } = await import('react-dom/server');
// not a literal: the types of the page are checked by its own configuration
const page = new URL('../../src/page/chat-view/markdown.tsx', import.meta.url).href;
const { TextPiece } = await import(page);
const { GrowingText } = await import('../../src/core/markdown/markdown-blocks.ts');
const { MarkdownStream } = await import('../../src/programs/chat-lines/markdown-stream.ts');
const { wrapReasoning } = await import('../../src/programs/chat-lines/streamed-answer.ts');
const { clipLine } = await import('../../src/programs/chat-lines/line-width.ts');
const { lineOf } = await import('../../src/programs/chat-lines/styled-text.ts');
const { makePrintable } = await import('../../src/core/text/printable.ts');

const source = new URL('../../src/', import.meta.url).href;
const inspector = new Session();
inspector.connect();
inspector.post('Profiler.enable');
inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Returns the calls of functions of the sources since the last time. */
function takeCalls(): number {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  // the reply to a session in the same thread comes before `post` returns
  inspector.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    scripts = result;
  });
  return scripts
    .filter(({ url }) => url.startsWith(source))
    .flatMap(({ functions }) => functions)
    .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
}

const columns = 80;

const renderers: Readonly<Record<string, (text: string) => void>> = {
  page: (text) => {
    for (const blocks of new GrowingText().read(text).parts) renderToStaticMarkup(createElement(TextPiece, { blocks }));
  },
  'page, streamed': (text) => {
    const reader = new GrowingText();
    for (let at = 4_000; at < text.length + 4_000; at += 4_000) reader.read(text.slice(0, at));
  },
  'terminal, whole': (text) => {
    const stream = new MarkdownStream();
    stream.push(text);
    stream.takeFinished(columns);
    stream.unfinished(columns);
    stream.takeRest(columns);
  },
  'terminal, streamed': (text) => {
    const stream = new MarkdownStream();
    for (let at = 0; at < text.length; at += 4_000) {
      stream.push(text.slice(at, at + 4_000));
      stream.takeFinished(columns);
      stream.unfinished(columns);
    }
    stream.takeRest(columns);
  },
  reasoning: (text) => wrapReasoning(text, columns),
  'a clipped line': (text) => clipLine(lineOf(makePrintable(text)), columns),
};

/** Each as a piece that is repeated, and the length of the shorter text. */
const texts: Readonly<Record<string, readonly [piece: string, chars: number]>> = {
  'quotes in each other': ['>', 8_000],
  'lists in each other': ['1. ', 24_000],
  'emphasis that does not end': ['*a', 24_000],
  'one word': ['a', 60_000],
  'titles of windows': ['\u001b]0;', 32_000],
  'links of windows': ['\u001b]8;;a', 96_000],
  'open brackets': ['[', 24_000],
  'open pictures': ['![', 24_000],
  underlines: ['_', 120_000],
  // so long that an expression that tries each length of the mark would exceed the time limit of the test
  'code that does not end': ['`', 240_000],
  'code of the other mark': ['~', 240_000],
  'cells without a table': ['|', 24_000],
  'a table': ['|a|b|\n|-|-|\n', 24_000],
  'items of a list': ['- a\n', 24_000],
  'lines of code': ['```\na\n', 24_000],
  'combining marks': ['a\u0301', 24_000],
  paragraphs: ['a *b*\n\n', 24_000],
};

const results = Object.entries(texts).flatMap(([text, [piece, chars]]) =>
  Object.entries(renderers).map(([renderer, render]) => {
    const count = (length: number) => {
      takeCalls();
      try {
        render(piece.repeat(Math.ceil(length / piece.length)));
        return takeCalls();
      } catch (error) {
        return String(error);
      }
    };
    return { text, renderer, once: count(chars), twice: count(2 * chars) };
  }),
);
console.log(JSON.stringify(results));
