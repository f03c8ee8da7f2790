// The statechart of a connection: greeting, open, closing, closed. The gateway's actions do the work.
//
// 1. No command is performed before the speaker is known; commands that arrive meanwhile are queued in their order.
// 2. Its sessions are left once: when it starts to close, or when the socket is gone.
// 3. `closed` is reached only when the socket is gone.
import { type DoneActorEvent, type ErrorActorEvent, fromPromise, setup } from 'xstate';
import type { LeaveReason, Speaker } from './vocabulary.ts';

/** The speaker is known: a token has proven it, or none is needed. */
export interface Known {
  readonly kind: 'known';
  readonly speaker: Speaker;
  /** The names of sessions in its token, `*` for any characters. Left out: the token names none. */
  readonly sessions?: readonly string[] | null;
  /** In milliseconds since 1970; null: never. */
  readonly expiresAt: number | null;
}

/** The connection is refused; `because` is the name of a close code. */
export interface NotKnown {
  readonly kind: 'refused';
  readonly because: string;
}

export interface VerifyInput {
  readonly id: string;
  /** The token in HELLO. */
  readonly token: string | null;
  /** The sound that HELLO has asked for. Left out: none. */
  readonly sound?: AskedForSound | undefined;
}

/** Whether the connection sends sound, and receives it. */
interface AskedForSound {
  readonly send?: boolean | undefined;
  readonly receive?: boolean | undefined;
}

const commandTypes = [
  'JOIN',
  'SAY',
  'RESUME',
  'STEER',
  'CANCEL',
  'APPROVE',
  'DENY',
  'ANSWER',
  'INVITE',
  'INVITE_LINK',
  'REVOKE',
  'REMOVE',
  'DELEGATE',
  'SET_TIMEOUT',
  'RENAME',
  'SPEAKER',
  'TRANSCRIPT',
  'BARGE_IN',
  'PLAYED',
  'OPEN_CALL',
  'REPORT_CALL',
  'SETTLE_CALL',
  'READ',
  'FORK',
  'LEAVE',
  'PING',
] as const;
type CommandType = (typeof commandTypes)[number];

/** A frame is an event; the machine needs these fields of a command. */
interface Command {
  readonly type: CommandType;
  readonly ref?: string | undefined;
}

export type ConnectionEvent =
  | { readonly type: 'HELLO'; readonly token?: string | undefined; readonly sound?: AskedForSound | undefined }
  | Command
  /** Closes the connection; `because` is the name of a close code. */
  | { readonly type: 'CLOSE'; readonly because: string }
  /** The deadline of the phase has passed: for HELLO, or for the peer's part of the closing handshake. */
  | { readonly type: 'OVERDUE' }
  /** The socket is gone. */
  | { readonly type: 'GONE'; readonly how: LeaveReason }
  | DoneActorEvent<Known | NotKnown, 'verify'>
  | ErrorActorEvent<unknown, string>;

export interface ConnectionInput {
  readonly id: string;
}

const notProvided = () =>
  Promise.reject(new Error('This worker was not provided. See src/gateway/connection-machines.ts.'));

const chart = setup({
  types: {
    context: {} as ConnectionInput,
    events: {} as ConnectionEvent,
    input: {} as ConnectionInput,
  },
  actors: {
    /** Finds the speaker of a token. A connection that closes meanwhile does not wait for it. */
    verify: fromPromise<Known | NotKnown, VerifyInput>(notProvided),
  },
  guards: {
    isKnown: (_, result: Known | NotKnown) => result.kind === 'known',
  },
  actions: {
    /** Replies to HELLO, then sends the queued commands to the machine again. */
    welcome: (_, _known: Known) => {},
    /** Keeps the command that the event is until the speaker is known. */
    queue: () => {},
    /** Performs the command that the event is, and replies to it. */
    perform: () => {},
    /** Replies with an error of this code. */
    refuse: (_, _params: { readonly code: 'hello_expected' | 'hello_repeated'; readonly ref: string | null }) => {},
    /** Leaves every joined session. */
    leaveSessions: (_, _how: LeaveReason) => {},
    /** Starts the closing handshake, by the name of a close code, and arms its deadline. */
    close: (_, _because: string) => {},
    /** Destroys the socket without a handshake. */
    terminate: () => {},
  },
});

/** One row for each command. Not `'*'`: it would swallow the events of XState itself. */
const onCommands = <Action>(actions: Action): Record<CommandType, { readonly actions: Action }> =>
  // Object.fromEntries() forgets the names of the keys
  Object.fromEntries(commandTypes.map((type) => [type, { actions }])) as Record<CommandType, { actions: Action }>;

const refuseRepeatedHello = { type: 'refuse', params: { code: 'hello_repeated', ref: null } } as const;

/** The rows that both phases of a living connection share. */
const living = chart.createStateConfig({
  on: {
    CLOSE: {
      target: '#connection.closing',
      actions: [
        { type: 'leaveSessions', params: 'lost' },
        { type: 'close', params: ({ event }) => event.because },
      ],
    },
    GONE: { target: '#connection.closed', actions: { type: 'leaveSessions', params: ({ event }) => event.how } },
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
          meta: { CANCEL: 'refused, hello_expected: the speaker is not known' },
          on: {
            HELLO: 'verifying',
            ...onCommands({
              type: 'refuse',
              params: ({ event }: { readonly event: Command }) => ({ code: 'hello_expected', ref: event.ref ?? null }),
            } as const),
          },
        },
        verifying: {
          meta: { CANCEL: 'queued until the speaker is known, then performed in its order' },
          invoke: {
            id: 'verify',
            src: 'verify',
            input: ({ context, event }) => ({
              id: context.id,
              token: event.type === 'HELLO' ? (event.token ?? null) : null,
              sound: event.type === 'HELLO' ? event.sound : undefined,
            }),
          },
          on: {
            'xstate.done.actor.verify': [
              {
                guard: { type: 'isKnown', params: ({ event }) => event.output },
                target: '#connection.open',
                // the guard has excluded the other kind
                actions: { type: 'welcome', params: ({ event }) => event.output as Known },
              },
              {
                target: '#connection.closing',
                // the guard has excluded the other kind
                actions: { type: 'close', params: ({ event }) => (event.output as NotKnown).because },
              },
            ],
            'xstate.error.actor.verify': {
              target: '#connection.closing',
              actions: { type: 'close', params: 'gateway_failed' },
            },
            HELLO: { actions: refuseRepeatedHello },
            ...onCommands('queue' as const),
          },
        },
      },
    },
    open: {
      meta: { CANCEL: 'performed: the session that it names decides' },
      on: {
        ...living.on,
        HELLO: { actions: refuseRepeatedHello },
        ...onCommands('perform' as const),
      },
    },
    closing: {
      meta: {
        CANCEL: 'ignored: a reply could not be sent; docs/protocol.md, races',
        STEER: 'ignored: a reply could not be sent',
        BARGE_IN: 'ignored: a reply could not be sent',
      },
      on: {
        OVERDUE: { actions: 'terminate' },
        GONE: 'closed',
      },
    },
    closed: {
      meta: { CANCEL: 'cannot arrive: the socket is gone' },
      type: 'final',
    },
  },
});
