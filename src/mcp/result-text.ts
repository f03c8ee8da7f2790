// Converts the result of a call on a server into the text that the model reads.
import type { CallToolResult, ContentBlock, Progress } from '@modelcontextprotocol/sdk/types.js';

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

/** The text of a result. Structured content repeats the text, by the protocol: it is used if there is no text. */
export function outputOf({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.map(textOf).join('\n');
}

/** One line of live output: `2/5: reading the second file`. */
export function progressLine({ progress, total, message }: Progress): string {
  const steps = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message === undefined ? `${steps}\n` : `${steps}: ${message}\n`;
}
