// Converts the result of a call on a server into what the model reads: a text, or parts where the server shows images, sounds or files.
import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult, ContentBlock, Progress } from '@modelcontextprotocol/client';
import { type LoadedPart, type MediaKind, mediaKinds } from '../../../machines/content.ts';
import type { ToolEnd } from '../../core/contracts/tool.ts';
import { maxPartsBytes, maxToolParts, partsSchema } from '../../core/tools/tool-parts.ts';

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

/** Returns the part of an image, a sound or a file; words for it, if it is none or too large. */
function mediaPart(block: ContentBlock): LoadedPart {
  const words = { type: 'text', text: textOf(block) } as const;
  if (block.type === 'image' || block.type === 'audio')
    return loadedPart(block.type, block.mimeType, block.data) ?? words;
  if (block.type !== 'resource' || !('blob' in block.resource)) return words;
  const { uri, mimeType = 'application/octet-stream', blob } = block.resource;
  const kind = mediaKinds.find((one) => mimeType.toLowerCase().startsWith(`${one}/`)) ?? 'file';
  const name = uri.split('/').at(-1);
  return loadedPart(kind, mimeType, blob, name === '' ? undefined : name) ?? words;
}

function loadedPart(type: MediaKind, mediaType: string, base64: string, name?: string): LoadedPart | null {
  if (base64.length > (maxPartsBytes * 4) / 3 + 4) return null;
  const [part = null] =
    partsSchema.safeParse([{ type, data: Buffer.from(base64, 'base64'), mediaType, name }]).data ?? [];
  return part;
}

/** The content of a result: a text, and the parts of one that is more than text. */
export function resultContent(result: CallToolResult): Pick<ToolEnd, 'output' | 'parts'> {
  const parts = result.content.map(mediaPart);
  const { length } = parts;
  if (length >= maxToolParts || parts.every(({ type }) => type === 'text')) return { output: outputOf(result) };
  const structured = structuredTextOf(result);
  return { output: '', parts: structured === null ? parts : [...parts, { type: 'text', text: structured }] };
}

/** More values than these are not looked for in a text. */
const maxValues = 1_000;

/** The text of a result, with the structured content after it, unless the text repeats that. */
export function outputOf(result: CallToolResult): string {
  const structured = structuredTextOf(result);
  return [...result.content.map(textOf), ...(structured === null ? [] : [structured])].join('\n');
}

/** The structured content as JSON; null: there is none, or the text repeats it. */
const structuredTextOf = ({ content, structuredContent }: CallToolResult): string | null =>
  structuredContent === undefined || repeats(content, structuredContent) ? null : JSON.stringify(structuredContent);

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
