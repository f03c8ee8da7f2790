// The chart of one response of a model that speaks, from its request until its provider has ended it.
//
// 1. An abort before the provider has named the response is kept: the response is cancelled as soon as its id is known.
// 2. After an abort the response is over when the provider says so, or when its connection is terminated: nothing is assumed.
// 3. It has no timer: its runner sends OVERDUE.
import { setup } from 'xstate';

export type ResponseEvent =
  /** No other response is in the way. */
  | { readonly type: 'SEND' }
  /** The provider has started it, and has given its id. */
  | { readonly type: 'CREATED' }
  /** The provider has refused its request. */
  | { readonly type: 'REFUSED' }
  /** The provider has ended it. */
  | { readonly type: 'DONE' }
  /** It is not wanted any more: its node is cut, or its speech is. */
  | { readonly type: 'ABORT' }
  /** The provider has refused its cancel: it has ended before. */
  | { readonly type: 'CANCEL_REFUSED' }
  /** The provider has not ended it in time after an abort. */
  | { readonly type: 'OVERDUE' }
  /** The connection is gone. */
  | { readonly type: 'LOST' };

const chart = setup({
  types: { events: {} as ResponseEvent },
  actions: {
    sendCreate: () => {},
    /** Cancels it by its id. */
    sendCancel: () => {},
    armOverdue: () => {},
    disarmOverdue: () => {},
    /** Terminates its connection: the only stop that cannot be lost. */
    terminate: () => {},
  },
});

export const responseMachine = chart.createMachine({
  id: 'response',
  meta: {
    CANCEL: 'not applicable: the turn decides, and its worker sends ABORT in the tick of the cut',
    STEER: 'not applicable: words for a turn are read by its next response',
    BARGE_IN: 'not applicable: the speech decides, and sends ABORT when words have cut it',
  },
  initial: 'waiting',
  states: {
    waiting: {
      on: {
        SEND: { target: 'requested', actions: 'sendCreate' },
        ABORT: 'over',
        LOST: 'over',
      },
    },
    requested: {
      on: {
        CREATED: 'streaming',
        ABORT: { target: 'marked', actions: 'armOverdue' },
        REFUSED: 'over',
        LOST: 'over',
      },
    },
    streaming: {
      on: {
        DONE: 'over',
        ABORT: { target: 'cancelling', actions: 'armOverdue' },
        LOST: 'over',
      },
    },
    marked: {
      on: {
        CREATED: 'cancelling',
        REFUSED: 'over',
        OVERDUE: { target: 'over', actions: 'terminate' },
        LOST: 'over',
      },
    },
    cancelling: {
      entry: 'sendCancel',
      on: {
        DONE: 'over',
        CANCEL_REFUSED: 'over',
        OVERDUE: { target: 'over', actions: 'terminate' },
        LOST: 'over',
      },
    },
    over: { type: 'final', entry: 'disarmOverdue' },
  },
});
