// One response of the strict Realtime server: its events, in the order of the API, until it is whole or cancelled.
import type { Fields, ServerConversation, ServerItem } from './provider-items.ts';
import type { ResponsePlan } from './server-script.ts';

const deltaMs = 100;

/** The session that a response runs in. */
interface RunningSession {
  readonly conversation: ServerConversation;
  emit(event: Fields): Promise<void>;
  noteSpoken(): void;
}

export interface RunningResponse {
  readonly id: string;
  readonly isApart: boolean;
  state: 'running' | 'cancelled' | 'done';
}

/** A sound in which each sample says its own position. */
function countedSound(ms: number, fromMs: number): Buffer {
  const samples = Int16Array.from({ length: ms * 24 }, (_, at) => ((fromMs * 24 + at) % 30_000) + 1);
  return Buffer.from(samples.buffer);
}

export const wireOf = ({
  id,
  type,
  role,
  status,
  text,
  callId,
  name,
  arguments: given,
  output,
}: ServerItem): Fields => ({
  id,
  object: 'realtime.item',
  type,
  status,
  ...(role !== undefined && { role, content: text === '' ? [] : [{ type: 'output_text', text }] }),
  ...(callId !== undefined && { call_id: callId }),
  ...(name !== undefined && { name, arguments: given }),
  ...(output !== undefined && { output }),
});

/** Plays one response: its events, in the order of the API. */
export class ResponseRun {
  readonly #session: RunningSession;
  readonly #running: RunningResponse;
  readonly #plan: ResponsePlan;
  readonly #params: Fields;
  readonly #output: ServerItem[] = [];

  constructor(session: RunningSession, running: RunningResponse, plan: ResponsePlan, params: Fields) {
    this.#session = session;
    this.#running = running;
    this.#plan = plan;
    this.#params = params;
  }

  async run(): Promise<void> {
    const { id } = this.#running;
    const { text = '', calls = [], fails, beforeCreated, rateLimits } = this.#plan;
    await beforeCreated;
    const response = { id, object: 'realtime.response', metadata: this.#params['metadata'] ?? null };
    await this.#emit({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } });
    if (rateLimits) await this.#emit({ type: 'rate_limits.updated', rate_limits: rateLimits });
    if (text !== '') await this.#message(text);
    for (const [position, call] of calls.entries()) await this.#call(call, position);
    const isCancelled = this.#running.state === 'cancelled' && !this.#plan.ignoresCancel;
    if (this.#plan.neverDone) return await new Promise(() => {});
    if (isCancelled && this.#plan.neverAnswersCancel) return await new Promise(() => {});
    const status = fails ? 'failed' : isCancelled ? 'cancelled' : 'completed';
    const details = fails
      ? { type: 'failed', error: fails }
      : isCancelled
        ? { type: 'cancelled', reason: 'client_cancelled' }
        : { type: 'completed' };
    const usage = { total_tokens: 30, input_tokens: 10, output_tokens: 20, input_token_details: { cached_tokens: 4 } };
    const output = this.#output.map(wireOf);
    await this.#emit({
      type: 'response.done',
      response: { ...response, status, status_details: details, output, usage },
    });
  }

  get #isStopped(): boolean {
    return this.#running.state === 'cancelled' && !this.#plan.ignoresCancel;
  }

  #emit(event: Fields): Promise<void> {
    return this.#session.emit(event);
  }

  async #begin(item: ServerItem, at: number): Promise<void> {
    const { id: response_id, isApart } = this.#running;
    this.#output.push(item);
    const place = { response_id, output_index: at };
    let previous: string | null = null;
    if (!isApart) {
      const inserted = this.#session.conversation.insert(item, undefined);
      if ('previous' in inserted) previous = inserted.previous;
    }
    await this.#emit({ type: 'response.output_item.added', ...place, item: wireOf(item) });
    if (!isApart) await this.#emit({ type: 'conversation.item.added', previous_item_id: previous, item: wireOf(item) });
  }

  async #end(item: ServerItem, at: number): Promise<void> {
    const { id: response_id, isApart } = this.#running;
    item.status = this.#isStopped ? 'incomplete' : 'completed';
    await this.#emit({ type: 'response.output_item.done', response_id, output_index: at, item: wireOf(item) });
    if (!isApart) await this.#emit({ type: 'conversation.item.done', item: wireOf(item) });
  }

  async #message(text: string): Promise<void> {
    if (this.#isStopped) return;
    const isSpoken = JSON.stringify(this.#params['output_modalities']) !== '["text"]';
    const id = this.#session.conversation.name('item');
    const item: ServerItem = {
      id,
      type: 'message',
      role: 'assistant',
      status: 'in_progress',
      text: '',
      audioMs: isSpoken ? 0 : null,
    };
    await this.#begin(item, 0);
    const place = { response_id: this.#running.id, item_id: id, output_index: 0, content_index: 0 };
    const part = { type: isSpoken ? 'audio' : 'text' };
    await this.#emit({ type: 'response.content_part.added', ...place, part });
    if (isSpoken) this.#session.noteSpoken();
    await this.#stream(text, item, place);
    if (isSpoken) await this.#emit({ type: 'response.output_audio.done', ...place });
    const ended = isSpoken ? 'response.output_audio_transcript.done' : 'response.output_text.done';
    await this.#emit({ type: ended, ...place, [isSpoken ? 'transcript' : 'text']: item.text });
    await this.#emit({ type: 'response.content_part.done', ...place, part });
    await this.#end(item, 0);
  }

  /** Sends the words, which run ahead, and the sound between them. */
  async #stream(text: string, item: ServerItem, place: Fields): Promise<void> {
    const words = text.match(/\S+\s*/g) ?? [];
    const totalMs = item.audioMs === null ? 0 : (this.#plan.ms ?? words.length * 300);
    let late = this.#plan.lateDeltas ?? 0;
    for (let word = 0; word < words.length || (item.audioMs ?? 0) < totalMs; word++) {
      if (this.#isStopped && late-- <= 0) return;
      const delta = words[word];
      if (delta !== undefined) {
        item.text += delta;
        const type = item.audioMs === null ? 'response.output_text.delta' : 'response.output_audio_transcript.delta';
        await this.#emit({ type, ...place, delta });
      }
      const untilMs = delta === undefined ? totalMs : Math.min(totalMs, ((word + 1) / words.length) * totalMs);
      while (item.audioMs !== null && item.audioMs < untilMs) {
        if (this.#isStopped && late-- <= 0) return;
        const ms = Math.min(deltaMs, Math.ceil(untilMs - item.audioMs));
        const sound = countedSound(ms, item.audioMs);
        item.audioMs += ms;
        await this.#emit({ type: 'response.output_audio.delta', ...place, delta: sound.toString('base64') });
      }
    }
  }

  async #call(
    { name, arguments: given }: { readonly name: string; readonly arguments: string },
    position: number,
  ): Promise<void> {
    if (this.#isStopped) return;
    const { conversation } = this.#session;
    const [id, callId] = [conversation.name('item'), conversation.name('call')];
    const at = position + (this.#plan.text ? 1 : 0);
    const item: ServerItem = {
      id,
      type: 'function_call',
      status: 'in_progress',
      text: '',
      audioMs: null,
      callId,
      name,
      arguments: '',
    };
    await this.#begin(item, at);
    const place = { response_id: this.#running.id, item_id: id, output_index: at, call_id: callId };
    for (const delta of given.match(/.{1,8}/gs) ?? []) {
      if (this.#isStopped) break;
      item.arguments += delta;
      await this.#emit({ type: 'response.function_call_arguments.delta', ...place, delta });
    }
    if (!this.#isStopped)
      await this.#emit({ type: 'response.function_call_arguments.done', ...place, name, arguments: given });
    await this.#end(item, at);
  }
}
