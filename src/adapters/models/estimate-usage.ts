// Estimates the usage of a model call whose provider sends none, from the characters sent and received.
import { tokensOfMedia } from '../../../machines/content.ts';
import type { Usage } from '../../../machines/vocabulary.ts';
import type { ModelRequest } from '../../core/contracts/provider.ts';

/** A rule of thumb for English text; other languages and code have fewer. */
export const charsPerToken = 4;

/** The estimate, never zero. `outputChars`: all that streamed, with what is not shown (arguments, reasoning). */
export function estimatedUsage(request: ModelRequest, outputChars: number): Usage {
  return { kind: 'estimated', input: tokens(requestChars(request)), output: tokens(outputChars) };
}

function tokens(chars: number): number {
  return Math.max(1, Math.ceil(chars / charsPerToken));
}

function requestChars(request: ModelRequest): number {
  let chars = request.tools.length === 0 ? 0 : JSON.stringify(request.tools).length;
  for (const message of request.messages) {
    chars += message.content.length;
    if (message.role !== 'assistant') {
      for (const part of message.parts ?? []) if (part.type !== 'text') chars += charsPerToken * tokensOfMedia(part);
      continue;
    }
    for (const call of message.calls) chars += call.name.length + call.arguments.length;
  }
  return chars;
}
