// Splits a generator's stream into events, and finds the one before which an answer that hangs or is cut stops.
import type { Answer } from './reply.ts';

/** Each event with the blank line after it, as it came. */
export async function* splitEvents(bytes: AsyncIterable<string | Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of bytes) {
    rest += piece.toString();
    for (let end = rest.indexOf('\n\n'); end !== -1; end = rest.indexOf('\n\n')) {
      yield rest.slice(0, end + 2);
      rest = rest.slice(end + 2);
    }
  }
  if (rest !== '') yield rest;
}

interface Chunk {
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: {
      readonly tool_calls?: readonly { readonly index: number; readonly function?: { readonly arguments?: string } }[];
    };
  }[];
}

/** Called with each event in turn: whether an answer that does not finish stops before it. That is the finish, or the half of its half call. */
export function createStopCheck(answer: Answer): (event: string) => boolean {
  const halfIndex = answer.half ? (answer.calls?.length ?? 0) : -1;
  const text = answer.half?.arguments ?? '';
  const halfChars = (typeof text === 'string' ? text : JSON.stringify(text)).length / 2;
  let seen = 0;
  return (event) => {
    const data = event.replace(/^data: /, '').trim();
    if (data === '[DONE]') return true;
    const choice = (JSON.parse(data) as Chunk).choices?.[0]; // the generator writes chunks of the provider's shape
    if (!choice || choice.finish_reason) return true;
    for (const call of choice.delta?.tool_calls ?? []) {
      if (call.index === halfIndex) seen += call.function?.arguments?.length ?? 0;
    }
    return seen > halfChars;
  };
}
