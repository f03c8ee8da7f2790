// The stops that this page has asked for: each is sent until its reply, then what the reply says is shown if it stopped nothing.
//
// 1. A stop is no status: that something is being stopped, and how it ended, is said by receipts (node-status.ts).
import type { CancelReplyFrame } from '../../client/cancel-in-flight.ts';
import { ownerOf } from '../../client/view/node-names.ts';
import { Listeners } from '../../core/collections/listeners.ts';
import { refusalText } from '../../core/words/receipt-words.ts';
import type { OpenSession } from '../page-state/page-connection.ts';

/** `sent`: no reply yet. `refused`: nothing was stopped, and why. */
export type StopRequest =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'none' };

const none: StopRequest = { kind: 'none' };
const requestsOfSessions = new WeakMap<OpenSession, StopRequests>();

/** Returns the stops of a session that is open in this tab. */
export function stopsOf(opened: OpenSession): StopRequests {
  const existing = requestsOfSessions.get(opened) ?? new StopRequests(opened);
  requestsOfSessions.set(opened, existing);
  return existing;
}

export class StopRequests {
  readonly #opened: Pick<OpenSession, 'session' | 'view'>;
  readonly #listeners = new Listeners<void>();
  readonly #requests = new Map<string, StopRequest>();

  constructor(opened: Pick<OpenSession, 'session' | 'view'>) {
    this.#opened = opened;
    this.subscribe = this.subscribe.bind(this);
  }

  /** Calls the listener after each change, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    return this.#listeners.on('change', listener);
  }

  /** The last stop of a target. */
  of(target: string): StopRequest {
    return this.#requests.get(target) ?? none;
  }

  /** Asks for a stop. `target`: a node id, `mine`, `session`, or `tools:` or `lane:` with the id of a turn. Resolves with the reply. */
  async stop(target: string, { force = false, reason }: { force?: boolean; reason?: string } = {}): Promise<void> {
    this.#put(target, { kind: 'sent' });
    const { accepted } = this.#opened.session.cancel(target, { ...(force && { force }), reason });
    const reply = await accepted.catch((error: Error) => error);
    if (reply instanceof Error) return this.#put(target, { kind: 'refused', text: `Not stopped: ${reply.message}` });
    this.#put(target, this.#requestAfter(reply));
  }

  #requestAfter(reply: CancelReplyFrame): StopRequest {
    if (reply.type === 'cancel_accepted') return none;
    if (reply.type === 'already_settled')
      return { kind: 'refused', text: 'There was nothing to stop: it has ended already.' };
    if (reply.type === 'unknown_target')
      return { kind: 'refused', text: 'There was nothing to stop: it is not known.' };
    const [first] = reply.refused;
    if (!first) return { kind: 'refused', text: 'Not stopped: you may not stop it.' };
    const owner = ownerOf(this.#opened.view.getSnapshot(), first.node);
    return { kind: 'refused', text: `Not stopped: ${refusalText(first.reason, owner)}.` };
  }

  #put(target: string, request: StopRequest): void {
    this.#requests.set(target, request);
    this.#listeners.emit('change', undefined);
  }
}
