// Makes what is said of the content of a prompt: texts, images, sounds, files that it names, and files that it brings.

import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import type { LoadedPart } from '../../../machines/content.ts';
import { fieldsOf } from '../../core/collections/fields.ts';

/** Parts of one prompt. */
const maxBlocks = 64;

/** Returns the parts that are said. Throws the error of a request whose prompt cannot be said. */
export function saidParts(prompt: readonly ContentBlock[]): readonly LoadedPart[] {
  if (prompt.length > maxBlocks) throw promptError(`has ${prompt.length} blocks: the limit is ${maxBlocks}`);
  const parts = joinTexts(prompt.map(partOf));
  if (parts.every((part) => part.type === 'text' && part.text.trim() === '')) throw promptError('says nothing');
  return parts;
}

const promptError = (why: string): RequestError => RequestError.invalidParams({ field: 'prompt' }, `the prompt ${why}`);

function partOf(block: ContentBlock): LoadedPart {
  switch (block.type) {
    case 'text':
      return block;
    case 'image':
      return { type: 'image', data: bytesOf(block.data), mediaType: block.mimeType };
    case 'audio':
      return { type: 'audio', data: bytesOf(block.data), mediaType: block.mimeType };
    case 'resource_link':
      return { type: 'text', text: `[${block.name}](${readableUri(block.uri)})` };
    case 'resource': {
      const { resource } = block;
      if ('text' in resource)
        return { type: 'text', text: `\n<file path="${readableUri(resource.uri)}">\n${resource.text}\n</file>\n` };
      const mediaType = resource.mimeType ?? 'application/octet-stream';
      const type = mediaType.startsWith('image/') ? 'image' : 'file';
      return { type, data: bytesOf(resource.blob), mediaType, name: basename(readableUri(resource.uri)) };
    }
    default:
      throw promptError(`has a block of an unknown type: ${String(fieldsOf(block)['type'])}`);
  }
}

function bytesOf(base64: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw promptError('has data that is not base64');
  return new Uint8Array(Buffer.from(base64, 'base64'));
}

/** Returns the path of a file, and any other address as it is. */
function readableUri(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : uri;
  } catch {
    return uri;
  }
}

/** The texts of a prompt are pieces of one: a mention in the middle of a sentence is a block of its own. */
function joinTexts(parts: readonly LoadedPart[]): readonly LoadedPart[] {
  const joined: LoadedPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      joined[joined.length - 1] = { type: 'text', text: last.text + part.text };
    else joined.push(part.type === 'text' ? { type: 'text', text: part.text } : part);
  }
  return joined;
}
