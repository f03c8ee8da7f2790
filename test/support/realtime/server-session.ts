// One session of the strict Realtime server: what it takes, what it refuses by which code, and what it sends for it.
import {
  callsIn,
  type Fields,
  isProviderRefusal,
  itemFieldsOf,
  type ProviderRefusal,
  providerRefusal,
  readItem,
  ServerConversation,
  type ServerItem,
  unpairedIn,
} from './provider-items.ts';
import { ResponseRun, type RunningResponse, wireOf } from './response-run.ts';
import type { ResponsePlan, ServerRequest, ServerScript } from './server-script.ts';
import { VoiceDetector } from './voice-detector.ts';

const bytesPerMs = 48;
const responseFields = [
  'metadata',
  'output_modalities',
  'tools',
  'tool_choice',
  'max_output_tokens',
  'reasoning',
  'conversation',
  'instructions',
  'input',
  'audio',
];
const sessionFields = ['type', 'output_modalities', 'instructions', 'tools', 'include', 'audio', 'tool_choice'];

/** What a session needs of its socket. */
interface SessionSocket {
  readonly readyState: number;
  readonly OPEN: number;
  on(event: 'message', listener: (data: unknown) => void): unknown;
  once(event: 'close', listener: (code: number) => void): unknown;
  send(text: string): void;
  close(code: number): void;
  terminate(): void;
}

export class ServerSession {
  readonly #socket: SessionSocket;
  readonly #server: { readonly script: ServerScript };
  readonly conversation = new ServerConversation();
  readonly received: Fields[] = [];
  readonly sent: Fields[] = [];
  readonly requests: ServerRequest[] = [];
  readonly refusals: (ProviderRefusal & { readonly event: string })[] = [];
  config: Fields = {};
  /** The code of its end, as the client gave it (1000: it has closed it; 1006: without a word); null: it is open. */
  closedWith: number | null = null;
  readonly #responses = new Map<string, RunningResponse>();
  readonly #detector = new VoiceDetector();
  #hasSpoken = false;
  #outgoing = Promise.resolve();

  constructor(socket: SessionSocket, server: { readonly script: ServerScript }) {
    this.#socket = socket;
    this.#server = server;
    const lifetimeMs = server.script.lifetimeMs ?? 3_600_000;
    const expiresAt = Math.floor((Date.now() + lifetimeMs) / 1_000);
    this.send({ type: 'session.created', session: { type: 'realtime', expires_at: expiresAt } });
    socket.on('message', (data) => this.#receive(String(data)));
    socket.once('close', (code) => {
      this.closedWith = code;
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  drop(): void {
    this.#socket.terminate();
  }

  expire(): void {
    const message = 'Your session hit the maximum duration of 60 minutes.';
    this.send({ type: 'error', error: { type: 'invalid_request_error', code: 'session_expired', message } });
    this.#socket.close(1001);
  }

  send(event: Fields): void {
    const numbered: Fields = { event_id: this.conversation.name('event'), ...event };
    this.sent.push(numbered);
    if (this.isOpen) this.#socket.send(JSON.stringify(numbered));
  }

  /** Has all responses end, although their last events are still to be sent. */
  endQuietly(): void {
    for (const response of this.#responses.values()) response.state = 'done';
  }

  /** Begins a response that nobody has asked for. */
  beginUnasked(plan: ResponsePlan): void {
    void this.#run(plan, {}, { isApart: false, isAsked: false, context: [...this.conversation.items] });
  }

  #receive(text: string): void {
    const event = itemFieldsOf(JSON.parse(text));
    this.received.push(event);
    const found = this.#handle(event);
    if (!found) return;
    this.refusals.push({ ...found, event: String(event['type']) });
    const { code, message, param = null } = found;
    const error = { type: 'invalid_request_error', code, message, param, event_id: event['event_id'] ?? null };
    this.send({ type: 'error', error });
  }

  #handle(event: Fields): ProviderRefusal | null {
    switch (event['type']) {
      case 'session.update':
        return this.#configure(itemFieldsOf(event['session']));
      case 'input_audio_buffer.append':
        return this.#append(event['audio']);
      case 'input_audio_buffer.commit':
        return this.#detector.isEmpty
          ? providerRefusal('input_audio_buffer_commit_empty', 'Error committing input audio buffer: buffer too small.')
          : this.#commit(this.conversation.name('item'));
      case 'input_audio_buffer.clear':
        this.#detector.clear();
        this.send({ type: 'input_audio_buffer.cleared' });
        return null;
      case 'conversation.item.create':
        return this.#createItem(event);
      case 'conversation.item.delete': {
        const found = this.conversation.delete(event['item_id']);
        if (!found) this.send({ type: 'conversation.item.deleted', item_id: event['item_id'] });
        return found;
      }
      case 'conversation.item.truncate': {
        const found = this.conversation.truncate(event);
        const { item_id, content_index, audio_end_ms } = event;
        if (!found) this.send({ type: 'conversation.item.truncated', item_id, content_index, audio_end_ms });
        return found;
      }
      case 'response.create':
        return this.#createResponse(itemFieldsOf(event['response']));
      case 'response.cancel':
        return this.#cancel(event['response_id']);
      default:
        return providerRefusal('invalid_value', `Invalid value: '${event['type']}'.`, 'type');
    }
  }

  #configure(session: Fields): ProviderRefusal | null {
    const unknown = Object.keys(session).find((name) => !sessionFields.includes(name));
    if (unknown)
      return providerRefusal('unknown_parameter', `Unknown parameter: 'session.${unknown}'.`, `session.${unknown}`);
    if (session['type'] !== 'realtime') return providerRefusal('missing_required_parameter', 'Missing session.type.');
    const voiceOf = (of: Fields) => itemFieldsOf(itemFieldsOf(of['audio'])['output'])['voice'];
    if (this.#hasSpoken && voiceOf(session) !== voiceOf(this.config))
      return providerRefusal(
        'cannot_update_voice',
        'Cannot update a conversation’s voice if assistant audio is present.',
      );
    this.config = { ...this.config, ...session };
    this.send({ type: 'session.updated', session: this.config });
    return null;
  }

  // -- sound

  get #turnDetection(): Fields | null {
    const detection = itemFieldsOf(itemFieldsOf(this.config['audio'])['input'])['turn_detection'];
    return detection === null ? null : { type: 'server_vad', ...itemFieldsOf(detection) };
  }

  #append(audio: unknown): ProviderRefusal | null {
    const pcm = Buffer.from(String(audio), 'base64');
    if (pcm.length === 0 || pcm.length % 2 !== 0) return providerRefusal('invalid_value', 'Invalid audio.', 'audio');
    const detection = this.#turnDetection;
    for (const change of this.#detector.append(pcm, Number(detection?.['silence_duration_ms'] ?? 500))) {
      if (detection === null) continue;
      if (change.type === 'started') {
        this.#detector.item = this.conversation.name('item');
        const started = { item_id: this.#detector.item, audio_start_ms: change.ms };
        this.send({ type: 'input_audio_buffer.speech_started', ...started });
        if (detection['interrupt_response'] !== false)
          for (const response of this.#responses.values()) this.#stop(response);
      } else {
        const item = this.#detector.item ?? '';
        this.send({ type: 'input_audio_buffer.speech_stopped', item_id: item, audio_end_ms: change.ms });
        this.#commit(item);
        if (detection['create_response'] !== false) this.beginUnasked(this.#server.script.respond(null));
      }
    }
    return null;
  }

  #commit(id: string): null {
    const pcm = this.#detector.take();
    const item: ServerItem = {
      id,
      type: 'message',
      role: 'user',
      status: 'completed',
      text: '',
      audioMs: Math.floor(pcm.length / bytesPerMs),
    };
    const inserted = this.conversation.insert(item, undefined);
    const previous = 'previous' in inserted ? inserted.previous : null;
    this.send({ type: 'input_audio_buffer.committed', item_id: id, previous_item_id: previous });
    this.send({ type: 'conversation.item.added', previous_item_id: previous, item: wireOf(item) });
    this.send({ type: 'conversation.item.done', previous_item_id: previous, item: wireOf(item) });
    void this.#transcribe(id, pcm);
    return null;
  }

  async #transcribe(id: string, pcm: Buffer): Promise<void> {
    const made = await this.#server.script.transcribe?.(pcm);
    if (!made) return;
    const about = { item_id: id, content_index: 0 };
    const type = 'conversation.item.input_audio_transcription';
    if ('failed' in made) {
      this.send({ type: `${type}.failed`, ...about, error: { code: 'audio_unintelligible', message: made.failed } });
      return;
    }
    for (const delta of made.text.match(/\S+\s*/g) ?? []) this.send({ type: `${type}.delta`, ...about, delta });
    const logprobs = made.logprob === undefined ? null : [{ token: 'x', logprob: made.logprob, bytes: [] }];
    this.send({
      type: `${type}.completed`,
      ...about,
      transcript: made.text,
      logprobs,
      usage: { type: 'duration', seconds: 1 },
    });
  }

  // -- items

  #createItem(event: Fields): ProviderRefusal | null {
    const item = readItem(event['item'], callsIn(this.conversation.items));
    if (isProviderRefusal(item)) return item;
    const named = item.id === '' ? { ...item, id: this.conversation.name('item') } : item;
    const inserted = this.conversation.insert(named, event['previous_item_id']);
    if (isProviderRefusal(inserted)) return inserted;
    const previous = inserted.previous;
    this.send({ type: 'conversation.item.added', previous_item_id: previous, item: wireOf(named) });
    this.send({ type: 'conversation.item.done', previous_item_id: previous, item: wireOf(named) });
    return null;
  }

  // -- responses

  #createResponse(params: Fields): ProviderRefusal | null {
    const unknown = Object.keys(params).find((name) => !responseFields.includes(name));
    if (unknown)
      return providerRefusal('unknown_parameter', `Unknown parameter: 'response.${unknown}'.`, `response.${unknown}`);
    const modalities = params['output_modalities'] ?? ['audio'];
    if (JSON.stringify(modalities) !== '["audio"]' && JSON.stringify(modalities) !== '["text"]')
      return providerRefusal(
        'invalid_value',
        `Invalid modalities: ${JSON.stringify(modalities)}.`,
        'response.output_modalities',
      );
    const isApart = params['conversation'] === 'none';
    const active = [...this.#responses.values()].find((one) => !one.isApart && one.state !== 'done');
    if (!isApart && active)
      return providerRefusal(
        'conversation_already_has_active_response',
        `Conversation already has an active response in progress: ${active.id}. Wait until the response is finished before creating a new one.`,
      );
    const context = this.#contextOf(params['input']);
    if (!Array.isArray(context)) return context as ProviderRefusal;
    const [unpaired] = unpairedIn(context as ServerItem[]);
    if (unpaired !== undefined)
      return providerRefusal('invalid_request_error', `No tool output found for function call ${unpaired}.`);
    const isAsked = true;
    const request = { isApart, isAsked, context: (context as ServerItem[]).map((item) => ({ ...item })) };
    const plan = this.#server.script.respond({ id: '', params, ...request });
    void this.#run(plan, params, request);
    return null;
  }

  /** Returns the items that a response reads. */
  #contextOf(input: unknown): readonly ServerItem[] | ProviderRefusal {
    if (input === undefined) return this.conversation.items;
    if (!Array.isArray(input)) return providerRefusal('invalid_type', 'Invalid input.', 'response.input');
    const read: ServerItem[] = [];
    for (const value of input) {
      const { type, id } = itemFieldsOf(value);
      const item = type === 'item_reference' ? this.conversation.find(String(id)) : readItem(value, callsIn(read));
      if (!item) return providerRefusal('item_not_found', `Item with id '${id}' not found.`, 'response.input');
      if (isProviderRefusal(item)) return item;
      read.push(item as ServerItem);
    }
    return read;
  }

  #cancel(id: unknown): ProviderRefusal | null {
    const response =
      id === undefined
        ? [...this.#responses.values()].find((one) => !one.isApart && one.state === 'running')
        : this.#responses.get(String(id));
    if (response?.state !== 'running')
      return providerRefusal(
        'response_cancel_not_active',
        'Cancellation failed: no active response found',
        'response_id',
      );
    this.#stop(response);
    return null;
  }

  #stop(response: RunningResponse): void {
    if (response.state === 'running') response.state = 'cancelled';
  }

  async #run(plan: ResponsePlan, params: Fields, request: Omit<ServerRequest, 'id' | 'params'>): Promise<void> {
    const id = this.conversation.name('resp');
    const running: RunningResponse = { id, isApart: request.isApart, state: 'running' };
    this.#responses.set(id, running);
    this.requests.push({ id, params, ...request });
    await new ResponseRun(this, running, plan, params).run();
    running.state = 'done';
  }

  /** Sends an event of a response when the script lets it. */
  emit(event: Fields): Promise<void> {
    const before = this.#outgoing;
    const next = (async () => {
      await before;
      await (this.#server.script.pace ?? loopTurn)();
      await this.#server.script.gate?.(event, 'before');
      this.send(event);
      await this.#server.script.gate?.(event, 'after');
    })();
    this.#outgoing = next;
    return next;
  }

  noteSpoken(): void {
    this.#hasSpoken = true;
  }
}

const loopTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
