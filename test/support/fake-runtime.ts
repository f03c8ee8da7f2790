// A runtime that does what a test says: for tests of a door alone. What it was asked is in `asked`.
import type { CancelSettled, Fact } from '../../machines/facts.ts';
import type { TextDelta } from '../../machines/live-view.ts';
import type { BoundSession } from '../../src/embed/bound-session.ts';
import type {
  AnswerReply,
  AnswerRequest,
  Caller,
  CancelReply,
  CancelRequest,
  Joined,
  Runtime,
  SayReply,
  SayRequest,
  SessionListener,
} from '../../src/session/api.ts';

export type Asked =
  | { readonly what: 'join'; readonly session: string; readonly member: Caller; readonly after: number | null }
  | { readonly what: 'leave'; readonly session: string; readonly connection: string; readonly how: 'left' | 'lost' }
  | {
      readonly what: 'say';
      readonly session: string;
      readonly member: Caller;
      readonly text: string;
      readonly ref: string | null;
    }
  | { readonly what: 'cancel'; readonly session: string; readonly member: Caller; readonly request: CancelRequest }
  | { readonly what: 'answer'; readonly session: string; readonly member: Caller; readonly request: AnswerRequest };

/** The commands of one session, as the runtime passes them on. */
export interface FakeSession
  extends Pick<BoundSession, 'id' | 'kind' | 'policy' | 'join' | 'leave' | 'say' | 'cancel' | 'answer' | 'nodes'> {
  /** Tells a fact to every member, under the next number. */
  tell(fact: Fact): void;
  listeners(): readonly SessionListener[];
}

export interface FakeRuntime extends Runtime {
  readonly asked: Asked[];
  /** Opened when it does not exist. */
  place(id: string): FakeSession;
  /** What the next calls do instead of the usual. */
  onSession: (id: string) => Promise<void>;
  onJoin: (id: string) => Promise<void>;
  onSay: (session: FakeSession, member: Caller, said: SayRequest) => Promise<SayReply>;
  onCancel: (session: FakeSession, member: Caller, request: CancelRequest) => Promise<CancelReply>;
  onSettled: (session: string, cancel: string) => Promise<CancelSettled | null>;
  onAnswer: (session: FakeSession, member: Caller, request: AnswerRequest) => Promise<AnswerReply>;
  blocks: readonly TextDelta[];
}

export function createFakeRuntime(): FakeRuntime {
  const places = new Map<string, FakeSession>();
  let turns = 0;

  function createPlace(id: string): FakeSession {
    const facts: Fact[] = [];
    const members = new Map<string, SessionListener>();
    const numbered = (fact: Fact, seq: number) => ({ seq, fact: { ...fact, at: 1_000 + seq } });
    const session: FakeSession = {
      id,
      kind: 'text',
      policy: 'anyone',
      tell(fact) {
        facts.push(fact);
        for (const listener of members.values()) listener.fact(numbered(fact, facts.length));
      },
      listeners: () => [...members.values()],
      nodes: async () => [],
      answer(member, request) {
        runtime.asked.push({ what: 'answer', session: id, member, request });
        return runtime.onAnswer(session, member, request);
      },
      async join(member, listener, after) {
        runtime.asked.push({ what: 'join', session: id, member, after });
        await runtime.onJoin(id);
        const joined: Joined = {
          session: id,
          kind: 'text',
          policy: 'anyone',
          seq: facts.length,
          nodes: [],
          blocks: runtime.blocks,
          questions: [],
        };
        listener.joined(joined);
        if (after !== null) {
          for (const [index, fact] of facts.entries()) {
            if (index >= after) listener.fact(numbered(fact, index + 1));
          }
          listener.replayed?.();
        }
        members.set(member.connection, listener);
      },
      async leave(connection, how) {
        if (!members.delete(connection)) return;
        runtime.asked.push({ what: 'leave', session: id, connection, how });
      },
      say(member, said) {
        runtime.asked.push({ what: 'say', session: id, member, text: said.text, ref: said.ref ?? null });
        return runtime.onSay(session, member, said);
      },
      cancel(member, request) {
        runtime.asked.push({ what: 'cancel', session: id, member, request });
        return runtime.onCancel(session, member, request);
      },
    };
    return session;
  }

  const runtime: FakeRuntime = {
    asked: [],
    blocks: [],
    place(id) {
      const known = places.get(id);
      if (known) return known;
      const session = createPlace(id);
      places.set(id, session);
      return session;
    },
    onSession: async () => {},
    onJoin: async () => {},
    async onSay(session, member, { text, ref }) {
      const turn = `turn_${++turns}`;
      const owner = member.speaker.id;
      session.tell({ type: 'turn_opened', turn, kind: 'say', owner, lane: owner, text, ref: ref ?? null });
      return { type: 'turn_opened', turn };
    },
    onCancel: async (_session, _member, { target }) => ({ type: 'unknown_target', target }),
    onSettled: async () => null,
    onAnswer: async (_session, _member, { target }) => ({ type: 'answer_refused', target, code: 'expired' }),
    async open(id) {
      await runtime.onSession(id);
      return { session: id, kind: 'text', policy: 'anyone' };
    },
    join: (id, ...rest) => runtime.place(id).join(...rest),
    leave: (id, ...rest) => runtime.place(id).leave(...rest),
    say: (id, ...rest) => runtime.place(id).say(...rest),
    cancel: (id, ...rest) => runtime.place(id).cancel(...rest),
    settled: (id, cancel) => runtime.onSettled(id, cancel),
    answer: (id, ...rest) => runtime.place(id).answer(...rest),
    nodes: (id) => runtime.place(id).nodes(),
    async close() {
      for (const place of places.values()) {
        for (const listener of place.listeners()) listener.ended('shutdown');
      }
    },
  };
  return runtime;
}
