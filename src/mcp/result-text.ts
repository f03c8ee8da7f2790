// Converts the result of a call on a server into the text that the model reads.
import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult, ContentBlock, Progress } from '@modelcontextprotocol/client';

const bytesOf = (base64: string) => `${Math.floor((base64.length * 3) / 4)} bytes`;

function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${bytesOf(block.data)}: not shown]`;
    case 'resource_link':
      return `[resource ${block.uri}: ${block.title ?? block.name}]`;
    case 'resource': {
      const { resource } = block;
      return 'text' in resource
        ? `[resource ${resource.uri}]\n${resource.text}`
        : `[resource ${resource.uri}, ${resource.mimeType ?? 'binary'}, ${bytesOf(resource.blob)}: not shown]`;
    }
  }
}

/** More values than these are not looked for in a text. */
const maxValues = 1_000;

/** The text of a result, with the structured content after it, unless the text repeats that. */
export function outputOf({ content, structuredContent }: CallToolResult): string {
  const parts = content.map(textOf);
  if (structuredContent !== undefined && !repeats(content, structuredContent))
    parts.push(JSON.stringify(structuredContent));
  return parts.join('\n');
}

/** Whether a block is the value as JSON, however that is indented and ordered, or all that the value contains stands in the blocks. */
function repeats(content: readonly ContentBlock[], value: unknown): boolean {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (texts.some((text) => isDeepStrictEqual(parseJson(text), value))) return true;
  const values = primitivesIn(value);
  if (values.length === 0 || values.length > maxValues) return false;
  const text = texts.join('\n');
  return values.every((one) => (typeof one === 'string' ? text.includes(one) : hasWord(text, String(one))));
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The texts, numbers and booleans in a value, up to one more than `maxValues`. */
function primitivesIn(value: unknown): readonly (string | number | boolean)[] {
  const found: (string | number | boolean)[] = [];
  const open: unknown[] = [value];
  while (open.length > 0 && found.length <= maxValues) {
    const one = open.pop();
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) open.push(inner);
    else if (typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean') found.push(one);
  }
  return found;
}

const hasWord = (text: string, word: string) =>
  text
    .split(word)
    .some(
      (before, at, pieces) => at + 1 < pieces.length && !/[\w.]$/.test(before) && !/^\w/.test(pieces[at + 1] ?? ''),
    );

/** One line of live output: `2/5: reading the second file`. */
export function progressLine({ progress, total, message }: Progress): string {
  const steps = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message === undefined ? `${steps}\n` : `${steps}: ${message}\n`;
}
