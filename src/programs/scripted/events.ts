// Finds the event before which a scripted answer hangs or is cut.
import type { Answer } from './reply.ts';

interface Chunk {
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: {
      readonly tool_calls?: readonly { readonly index: number; readonly function?: { readonly arguments?: string } }[];
    };
  }[];
}

/**
 * Returns a function that is called with each event in order, and returns whether an answer that hangs or is cut stops before that event:
 * the finish chunk, or the chunk after the first half of the arguments of its `half` call.
 */
export function createStopCheck(answer: Answer): (event: string) => boolean {
  const halfIndex = answer.half ? (answer.calls?.length ?? 0) : -1;
  const text = answer.half?.arguments ?? '';
  const halfChars = (typeof text === 'string' ? text : JSON.stringify(text)).length / 2;
  let streamedChars = 0;
  return (event) => {
    const data = event.replace(/^data: /, '').trim();
    if (data === '[DONE]') return true;
    const choice = (JSON.parse(data) as Chunk).choices?.[0]; // the generator writes chunks of the provider's shape
    if (!choice || choice.finish_reason) return true;
    for (const call of choice.delta?.tool_calls ?? []) {
      if (call.index === halfIndex) streamedChars += call.function?.arguments?.length ?? 0;
    }
    return streamedChars > halfChars;
  };
}
