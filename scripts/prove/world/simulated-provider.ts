// The provider of a speech model in the simulated world: the strict server of the tests, whose connections and events are steps of the scheduler.
import { ErrorResponse } from '../../../src/adapters/models/error-response.ts';
import type { LinkedSessionOptions } from '../../../src/adapters/models/realtime/provider-session.ts';
import type {
  ConnectionListener,
  ProviderConnection,
} from '../../../src/adapters/models/realtime/realtime-connection.ts';
import type {
  RealtimeClientEvent,
  RealtimeServerEvent,
  SessionUpdate,
} from '../../../src/adapters/models/realtime/realtime-events.ts';
import type { Script } from '../../../src/adapters/models/scripted.ts';
import { BrokenBody } from '../../../src/adapters/models/transport/broken-body.ts';
import type { ModelRequest } from '../../../src/core/contracts/provider.ts';
import { type Fields, itemFieldsOf } from '../../../test/support/realtime/provider-items.ts';
import type { ResponsePlan, ServerScript } from '../../../test/support/realtime/server-script.ts';
import { ServerSession } from '../../../test/support/realtime/server-session.ts';
import type { ConnectionEvidence, Growing, ResponseEvidence, SpeechEvidence, Stamp } from '../laws/evidence.ts';
import type { SpeechPlan } from './scenario.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** The time before a piece of text, and between the pieces of a call, in milliseconds. */
const pieceMs = 10;
/** The sound of a word, in milliseconds: it is one piece. */
const wordMs = 20;
/** The longest time of an event on its way, in milliseconds. */
const eventMs = 8;

export interface ProviderParts {
  readonly process: SimulatedProcess;
  /** The longest that the work of the model is late, in milliseconds. */
  readonly jitterMs: number;
  readonly plan: SpeechPlan;
  readonly evidence: SpeechEvidence;
  stamp(): Stamp;
  /** Receives what the provider refuses that it should have been spared. */
  report(text: string): void;
  /** Returns the script of a model call. */
  respond(request: ModelRequest): Script;
  /** Returns the request of a model call, by its number. */
  requestOf(call: number): ModelRequest;
}

export class SimulatedProvider {
  readonly #parts: ProviderParts;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
  }

  readonly connect: LinkedSessionOptions['connect'] = ({ setup }, listener) => {
    const { evidence } = this.#parts;
    const connection: Growing<ConnectionEvidence> = { number: evidence.connections.length, overAt: null };
    evidence.connections.push(connection);
    return new SimulatedConnection(this.#parts, { connection, setup, listener });
  };
}

interface ConnectionParts {
  readonly connection: Growing<ConnectionEvidence>;
  readonly setup: SessionUpdate;
  readonly listener: ConnectionListener;
}

/** One connection, with both of its ends. */
class SimulatedConnection implements ProviderConnection {
  readonly #parts: ProviderParts;
  readonly #evidence: Growing<ConnectionEvidence>;
  readonly #listener: ConnectionListener;
  readonly #opened = Promise.withResolvers<void>();
  /** By the id of the event. */
  readonly #purposes = new Map<string, string>();
  #receive: (text: string) => void = () => {};
  /** The pieces of its responses so far. */
  #deltas = 0;
  #state: 'open' | 'over' = 'open';

  constructor(parts: ProviderParts, { connection, setup, listener }: ConnectionParts) {
    this.#parts = parts;
    this.#evidence = connection;
    this.#listener = listener;
    this.#opened.promise.catch(() => {});
    this.#travel('hears', () => {
      this.#serve();
      this.#travel('says', () => this.#opened.resolve());
    });
    this.send({ type: 'session.update', session: setup }, 'setup');
  }

  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  send(event: RealtimeClientEvent, purpose: string): void {
    if (this.#state === 'over') return;
    const { evidence, stamp } = this.#parts;
    const id = `belay_${this.#purposes.size}`;
    this.#purposes.set(id, purpose);
    if (event.type === 'response.create')
      evidence.responses.push({
        key: purpose.slice('create '.length),
        connection: this.#evidence.number,
        call: Number(event.response?.max_output_tokens),
        sentAt: stamp(),
        id: null,
        createdAt: null,
        cancelSentAt: null,
        endedAt: null,
      });
    if (event.type === 'response.cancel')
      for (const response of this.#own) if (response.id === event.response_id) response.cancelSentAt ??= stamp();
    this.#travel('hears', () => this.#receive(JSON.stringify({ ...event, event_id: id })));
  }

  close(): void {
    this.#finish(null);
  }

  terminate(): void {
    this.#finish(null);
  }

  get #own(): readonly Growing<ResponseEvidence>[] {
    const { number } = this.#evidence;
    return this.#parts.evidence.responses.filter(({ connection }) => connection === number);
  }

  /** Something is on its way: the model hears, or says it, if the connection is still open then. */
  #travel(how: 'hears' | 'says', act: () => void): void {
    this.#parts.process.put(`model ${how} ${this.#evidence.number}`, eventMs, () => {
      if (this.#state === 'open') act();
    });
  }

  #finish(error: Error | null): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    this.#evidence.overAt ??= this.#parts.stamp();
    this.#opened.reject(error ?? new Error('The connection was closed.'));
    this.#listener.onOver(error);
  }

  // -- the end of the provider

  #serve(): void {
    const { plan, report } = this.#parts;
    const lose = () => this.#travel('says', () => this.#finish(new BrokenBody()));
    const socket = {
      readyState: 1,
      OPEN: 1,
      on: (_: 'message', receive: (data: unknown) => void) => {
        this.#receive = receive;
      },
      once: () => {}, // nobody asks how it was closed
      send: (text: string) => this.#travel('says', () => this.#onText(text)),
      close: lose,
      terminate: lose,
    };
    const script: ServerScript = {
      respond: (request) => this.#planOf(itemFieldsOf(request?.params)),
      pace: () => Promise.resolve(),
      gate: async ({ type }, when) => {
        const isPiece = String(type).endsWith('.delta') && when === 'before';
        if (!isPiece) return;
        await this.#wait(String(type).includes('audio.delta') ? 0 : pieceMs);
        if (++this.#deltas === plan.dropsAt && this.#evidence.number === 0) session.drop();
      },
    };
    const session = new ServerSession(socket, { script });
    const handle = this.#receive;
    this.#receive = (text) => {
      const refused = session.refusals.length;
      handle(text);
      for (const { event, message } of session.refusals.slice(refused))
        if (event !== 'response.cancel') report(`The provider of the speech model refuses ${event}: ${message}`);
    };
  }

  #planOf({ max_output_tokens: call }: Fields): ResponsePlan {
    const { plan, respond, requestOf } = this.#parts;
    const { steps } = respond(requestOf(Number(call)));
    const text = steps.map((step) => ('text' in step ? step.text : '')).join('');
    return {
      ...plan,
      text,
      ms: (text.match(/\S+\s*/g) ?? []).length * wordMs,
      calls: steps.flatMap((step) => ('call' in step ? step.call : [])),
      beforeCreated: this.#wait(plan.createdMs ?? 0),
    };
  }

  #wait(ms: number): Promise<void> {
    const { process, jitterMs } = this.#parts;
    return new Promise((resolve) => void process.workClock('model', jitterMs).after(ms, resolve));
  }

  #onText(text: string): void {
    const { stamp } = this.#parts;
    const event = JSON.parse(text) as RealtimeServerEvent; // as the strict server writes it
    if (event.type === 'error') {
      const purpose = this.#purposes.get(event.error.event_id ?? '');
      const [what, key] = purpose?.split(' ') ?? [];
      if (what === 'create' || what === 'cancel')
        for (const response of this.#own) if (response.key === key) response.endedAt ??= stamp();
      this.#listener.onError(new ErrorResponse(null, undefined, event.error), purpose);
      return;
    }
    if (event.type === 'response.created') {
      const key = event.response.metadata?.['belay'];
      for (const response of this.#own)
        if (response.key === key) Object.assign(response, { id: event.response.id, createdAt: stamp() });
    }
    if (event.type === 'response.done')
      for (const response of this.#own) if (response.id === event.response.id) response.endedAt ??= stamp();
    this.#listener.onEvent(event);
  }
}
