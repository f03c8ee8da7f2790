// Readers of a model's response for the floor: as the `openai` client does, with Node's own fetch, or by Belay's transport.
import OpenAI from 'openai';
import { createHttpFetch } from '../../src/adapters/models/transport/http-fetch.ts';
import { readStreamedBody } from '../../src/adapters/models/transport/read-body.ts';
import { systemSources } from '../../src/core/sources/system.ts';

export interface ChunkReading {
  readonly signal: AbortSignal;
  /** Nothing of the response is passed on before it. */
  readonly opened: Promise<void>;
  addChunk(chunk: OpenAI.ChatCompletionChunk): void;
}

/** Resolves when the response has ended; rejects at the abort. */
export type StreamChunks = (body: OpenAI.ChatCompletionCreateParamsStreaming, reading: ChunkReading) => Promise<void>;

interface EndpointAddress {
  readonly baseURL: string;
  readonly apiKey: string;
}

export function chunksByClient({ baseURL, apiKey }: EndpointAddress): StreamChunks {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
  return async (body, { signal, opened, addChunk }) => {
    const [stream] = await Promise.all([openai.chat.completions.create(body, { signal }), opened]);
    for await (const chunk of stream) addChunk(chunk);
  };
}

export function chunksByTransport({ baseURL, apiKey }: EndpointAddress): StreamChunks {
  const openai = new OpenAI({ baseURL, apiKey, maxRetries: 0, fetch: createHttpFetch() });
  return async (body, { signal, opened, addChunk }) => {
    const sent = openai.chat.completions.create(body, { signal }).asResponse();
    const [response] = await Promise.all([sent, opened]);
    await readStreamedBody(response, {
      clock: systemSources.clock,
      onPiece: () => {},
      onEvent(data) {
        if (data === '[DONE]' || signal.aborted) return true;
        addChunk(JSON.parse(data) as OpenAI.ChatCompletionChunk); // the endpoint of the benchmark sends nothing else
        return false;
      },
      onJson: () => {
        throw new Error('The endpoint sent no stream.');
      },
    });
  };
}
