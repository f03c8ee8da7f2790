// The chart of machines/response.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const responseChart = createMachine({
  description:
    'CANCEL: not applicable: the turn decides, and its worker sends ABORT in the tick of the cut\nSTEER: not applicable: words for a turn are read by its next response\nBARGE_IN: not applicable: the speech decides, and sends ABORT when words have cut it',
  id: 'response',
  initial: 'waiting',
  states: {
    waiting: {
      on: {
        SEND: {
          target: 'requested',
          actions: 'sendCreate',
        },
        ABORT: 'over',
        LOST: 'over',
      },
    },
    requested: {
      on: {
        CREATED: 'streaming',
        ABORT: {
          target: 'marked',
          actions: 'armOverdue',
        },
        REFUSED: 'over',
        LOST: 'over',
      },
    },
    streaming: {
      on: {
        DONE: 'over',
        ABORT: {
          target: 'cancelling',
          actions: 'armOverdue',
        },
        LOST: 'over',
      },
    },
    marked: {
      on: {
        CREATED: 'cancelling',
        REFUSED: 'over',
        OVERDUE: {
          target: 'over',
          actions: 'terminate',
        },
        LOST: 'over',
      },
    },
    cancelling: {
      entry: 'sendCancel',
      on: {
        DONE: 'over',
        CANCEL_REFUSED: 'over',
        OVERDUE: {
          target: 'over',
          actions: 'terminate',
        },
        LOST: 'over',
      },
    },
    over: {
      type: 'final',
      entry: 'disarmOverdue',
    },
  },
});
