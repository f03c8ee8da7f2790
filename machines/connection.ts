// A connection: who is it, then its commands, then the end. It opens no session and sends no byte: the gateway's actions do.
//
// 1. No command is taken before the speaker is known; those that come meanwhile are held, in their order.
// 2. Its sessions are left once, when it begins to close or when the socket is gone.
// 3. `closed` is reached only when the socket is gone.
import { type DoneActorEvent, type ErrorActorEvent, fromPromise, setup } from 'xstate';
import type { Speaker } from './vocabulary.ts';

/** A speaker that a token has proved, or that needs none. */
export interface Known {
  readonly kind: 'known';
  readonly speaker: Speaker;
  /** Milliseconds since 1970; null: for as long as the connection lives. */
  readonly expiresAt: number | null;
}

/** `because` is the name of a close code. */
export interface NotKnown {
  readonly kind: 'refused';
  readonly because: string;
}

export interface VerifyInput {
  readonly id: string;
  /** The token in HELLO. */
  readonly token: string | null;
}

/** How a membership ends: by the client's own wish, or because the connection is no good any more. */
export type Leaving = 'left' | 'lost';

/** A frame is an event: this is what the machine needs to know of one. */
interface Command {
  readonly type: (typeof commandTypes)[number];
  readonly ref: string;
}

const commandTypes = ['JOIN', 'SAY', 'CANCEL', 'APPROVE', 'DENY', 'ANSWER', 'LEAVE', 'PING'] as const;

export type ConnectionEvent =
  | { readonly type: 'HELLO'; readonly token?: string | undefined }
  | Command
  /** The gateway wants it closed, by the name of a close code. */
  | { readonly type: 'CLOSE'; readonly because: string }
  /** The deadline of the phase: for HELLO, for the peer's answer to the close. */
  | { readonly type: 'OVERDUE' }
  /** The socket is gone. */
  | { readonly type: 'GONE'; readonly how: Leaving }
  | DoneActorEvent<Known | NotKnown, 'verify'>
  | ErrorActorEvent<unknown, string>;

export interface ConnectionInput {
  readonly id: string;
}

const provided = () => Promise.reject(new Error('this worker has not been provided: see src/gateway/gateway.ts'));

const isCommand = (event: ConnectionEvent): event is Command =>
  (commandTypes as readonly string[]).includes(event.type);

const base = setup({
  types: {
    context: {} as ConnectionInput,
    events: {} as ConnectionEvent,
    input: {} as ConnectionInput,
  },
  actors: {
    /** Whose token it is. Nothing is lost when its answer is not waited for. */
    verify: fromPromise<Known | NotKnown, VerifyInput>(provided),
  },
  guards: {
    isKnown: ({ event }) => (event as DoneActorEvent<Known | NotKnown>).output.kind === 'known',
  },
  actions: {
    /** Answers HELLO, then sends the held commands in again. */
    welcome: (_, _known: Known) => {},
    /** Keeps a command until the speaker is known. */
    hold: (_, _command: Command) => {},
    /** Does what a command asks for, and answers it. */
    take: (_, _command: Command) => {},
    /** Answers by an error of this code. */
    refuse: (_, _params: { readonly code: 'hello_expected' | 'hello_repeated'; readonly ref: string | null }) => {},
    /** Leaves every joined session. */
    leaveAll: (_, _how: Leaving) => {},
    /** Begins the closing handshake, by the name of a close code, and arms its deadline. */
    close: (_, _because: string) => {},
    /** Cuts the socket. */
    cut: () => {},
  },
});

const chart = base.extend({
  actions: {
    holdIt: base.enqueueActions(({ enqueue, event }) => {
      if (isCommand(event)) enqueue({ type: 'hold', params: event });
    }),
    takeIt: base.enqueueActions(({ enqueue, event }) => {
      if (isCommand(event)) enqueue({ type: 'take', params: event });
    }),
    refuseEarly: base.enqueueActions(({ enqueue, event }) => {
      if (isCommand(event)) enqueue({ type: 'refuse', params: { code: 'hello_expected', ref: event.ref } });
    }),
    welcomeIt: base.enqueueActions(({ enqueue, event }) => {
      const { output } = event as DoneActorEvent<Known | NotKnown>;
      if (output.kind === 'known') enqueue({ type: 'welcome', params: output });
    }),
    closeUnknown: base.enqueueActions(({ enqueue, event }) => {
      const { output } = event as DoneActorEvent<Known | NotKnown>;
      if (output.kind === 'refused') enqueue({ type: 'close', params: output.because });
    }),
    closeAsAsked: base.enqueueActions(({ enqueue, event }) => {
      if (event.type === 'CLOSE') enqueue({ type: 'close', params: event.because });
    }),
    leaveGone: base.enqueueActions(({ enqueue, event }) => {
      if (event.type === 'GONE') enqueue({ type: 'leaveAll', params: event.how });
    }),
  },
});

/** What both phases of a living connection answer in the same way. */
const living = chart.createStateConfig({
  on: {
    CLOSE: { target: '#connection.closing', actions: [{ type: 'leaveAll', params: 'lost' }, 'closeAsAsked'] },
    GONE: { target: '#connection.closed', actions: 'leaveGone' },
  },
});

export const connectionMachine = chart.createMachine({
  id: 'connection',
  context: ({ input }) => input,
  initial: 'greeting',
  states: {
    greeting: {
      ...living,
      initial: 'waiting',
      on: {
        ...living.on,
        OVERDUE: { target: 'closing', actions: { type: 'close', params: 'hello_timeout' } },
      },
      states: {
        waiting: {
          meta: { CANCEL: 'refused, hello_expected: nobody knows who asks' },
          on: {
            HELLO: 'verifying',
            JOIN: { actions: 'refuseEarly' },
            SAY: { actions: 'refuseEarly' },
            CANCEL: { actions: 'refuseEarly' },
            APPROVE: { actions: 'refuseEarly' },
            DENY: { actions: 'refuseEarly' },
            ANSWER: { actions: 'refuseEarly' },
            LEAVE: { actions: 'refuseEarly' },
            PING: { actions: 'refuseEarly' },
          },
        },
        verifying: {
          meta: { CANCEL: 'held until the speaker is known, then taken in its order' },
          invoke: {
            id: 'verify',
            src: 'verify',
            input: ({ context, event }) => ({
              id: context.id,
              token: event.type === 'HELLO' ? (event.token ?? null) : null,
            }),
          },
          on: {
            'xstate.done.actor.verify': [
              { guard: 'isKnown', target: '#connection.open', actions: 'welcomeIt' },
              { target: '#connection.closing', actions: 'closeUnknown' },
            ],
            'xstate.error.actor.verify': {
              target: '#connection.closing',
              actions: { type: 'close', params: 'gateway_failed' },
            },
            HELLO: { actions: { type: 'refuse', params: { code: 'hello_repeated', ref: null } } },
            JOIN: { actions: 'holdIt' },
            SAY: { actions: 'holdIt' },
            CANCEL: { actions: 'holdIt' },
            APPROVE: { actions: 'holdIt' },
            DENY: { actions: 'holdIt' },
            ANSWER: { actions: 'holdIt' },
            LEAVE: { actions: 'holdIt' },
            PING: { actions: 'holdIt' },
          },
        },
      },
    },
    open: {
      meta: { CANCEL: 'taken: the session that it names decides' },
      on: {
        ...living.on,
        HELLO: { actions: { type: 'refuse', params: { code: 'hello_repeated', ref: null } } },
        JOIN: { actions: 'takeIt' },
        SAY: { actions: 'takeIt' },
        CANCEL: { actions: 'takeIt' },
        APPROVE: { actions: 'takeIt' },
        DENY: { actions: 'takeIt' },
        ANSWER: { actions: 'takeIt' },
        LEAVE: { actions: 'takeIt' },
        PING: { actions: 'takeIt' },
      },
    },
    closing: {
      meta: { CANCEL: 'ignored: the answer could not be sent; docs/protocol.md, races' },
      on: {
        OVERDUE: { actions: 'cut' },
        GONE: 'closed',
      },
    },
    closed: {
      meta: { CANCEL: 'cannot come: the socket is gone' },
      type: 'final',
    },
  },
});
