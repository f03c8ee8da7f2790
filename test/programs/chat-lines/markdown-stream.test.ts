// A streaming answer: however its text is divided, what is printed for good is what the whole text gives.
import { expect, test } from 'vitest';
import { MarkdownStream } from '../../../src/programs/chat-lines/markdown-stream.ts';
import { plainText } from '../../../src/programs/chat-lines/styled-text.ts';
import { markdownLines } from './markdown-text.ts';

const code = Array.from({ length: 20 }, (_, at) => `  line ${at};`).join('\n');
const text = `# What I did

I looked at **three** files, and \`npm test\` says yes.
It is a paragraph.

- one
- two
  - deep
- three

1. first
2. second

   with a paragraph
3. third

> A quote
> over two lines

\`\`\`ts
${code}
\`\`\`

| File | Lines |
|---|---:|
| chat.ts | 93 |

The end, with a [link](https://example.com).
`;

const columns = 60;

test('every division of a text prints the lines of the whole, and prints no line twice [cli.chat]', () => {
  const whole = markdownLines(text, columns).map(plainText);
  for (let size = 1; size < 80; size++) {
    const stream = new MarkdownStream();
    const printed: string[] = [];
    for (let at = 0; at < text.length; at += size) {
      stream.push(text.slice(at, at + size));
      printed.push(...stream.takeFinished(columns).map(plainText));
    }
    printed.push(...stream.takeRest(columns).map(plainText));
    expect(printed, `in pieces of ${size} characters`).toEqual(whole);
  }
});

test('the unfinished end is short, however long a code block or a list is', () => {
  const stream = new MarkdownStream();
  stream.push(`\`\`\`ts\n${code}`);
  expect(stream.takeFinished(columns).length).toBeGreaterThan(10);
  expect(stream.unfinished(columns).length).toBeLessThan(10);
  const list = new MarkdownStream();
  list.push(Array.from({ length: 30 }, (_, at) => `${at + 1}. item`).join('\n'));
  expect(list.takeFinished(columns).map(plainText).at(-1)).toBe('29. item');
  expect(list.unfinished(columns).map(plainText)).toEqual(['30. item']);
});
