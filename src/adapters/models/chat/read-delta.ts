// Reads the text and the reasoning in a piece of a message, whatever the endpoint calls them and in whatever form they come.
import type { Json } from '../../../../machines/messages.ts';
import { fieldsOf, type UntrustedFields } from '../../../core/collections/untrusted-fields.ts';

export interface DeltaPieces {
  readonly text: string;
  readonly reasoning: string;
  readonly isRefusal: boolean;
  /** The parts of the content that are reasoning. */
  readonly thinking: readonly Json[];
}

/** The names of reasoning as text. An endpoint that sends several says the same by each. */
const reasoningNames = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_text', 'thought'];

/** Reads the `delta` of a chunk, or the `message` of a whole completion. */
export function readDelta(delta: UntrustedFields): DeltaPieces {
  const content = readContent(delta['content']);
  const refusal = textOf(delta['refusal']);
  const transcript = textOf(fieldsOf(delta['audio'])['transcript']);
  return {
    text: content.text + refusal + transcript + imagesOf(delta['images']),
    reasoning: content.reasoning + reasoningOf(delta),
    isRefusal: refusal !== '' || content.isRefusal,
    thinking: content.thinking,
  };
}

function reasoningOf(delta: UntrustedFields): string {
  for (const name of reasoningNames) {
    const value = delta[name];
    const text = typeof value === 'string' ? value : readContent(value).text;
    if (text !== '') return text;
  }
  return detailsOf(delta['reasoning_details']);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const none: DeltaPieces = { text: '', reasoning: '', isRefusal: false, thinking: [] };

/** Reads a content: a text, a part, or a list of parts. */
function readContent(content: unknown): DeltaPieces {
  if (content === undefined || content === null) return none;
  if (typeof content === 'string') return { ...none, text: content };
  if (Array.isArray(content)) return content.map(readPart).reduce(join, none);
  return typeof content === 'object' ? readPart(content) : none;
}

const join = (a: DeltaPieces, b: DeltaPieces): DeltaPieces => ({
  text: a.text + b.text,
  reasoning: a.reasoning + b.reasoning,
  isRefusal: a.isRefusal || b.isRefusal,
  thinking: [...a.thinking, ...b.thinking],
});

function readPart(part: unknown): DeltaPieces {
  if (typeof part === 'string') return { ...none, text: part };
  const { type, text, thinking, refusal, parts, content } = fieldsOf(part);
  if (thinking !== undefined || type === 'thinking' || type === 'reasoning') {
    const reasoning = readContent(thinking ?? text).text;
    return { ...none, reasoning, thinking: [part as Json] }; // it was read from JSON text
  }
  if (typeof refusal === 'string') return { ...none, text: refusal, isRefusal: true };
  if (typeof text === 'string') return { ...none, text };
  if (parts !== undefined || content !== undefined) return readContent(parts ?? content);
  return { ...none, text: typeof type === 'string' ? `[${type}]` : '' }; // what cannot be shown is named
}

const imagesOf = (images: unknown): string => (Array.isArray(images) ? '[image]'.repeat(images.length) : '');

/** The readable part of OpenRouter's `reasoning_details`. */
function detailsOf(details: unknown): string {
  if (!Array.isArray(details)) return '';
  return details
    .map((detail) => {
      const { text, summary } = fieldsOf(detail);
      return textOf(text) || textOf(summary);
    })
    .join('');
}
