// The chart of machines/session.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const sessionChart = createMachine({
  id: 'session',
  initial: 'recovering',
  states: {
    recovering: {
      description:
        'CANCEL: waits at the door: events are delivered when recovery is over, and nothing lives before that',
      invoke: {
        id: 'recover',
        src: 'recover',
        input: {},
        onDone: 'open',
        onError: 'closed',
      },
    },
    open: {
      on: {
        CANCEL: [
          {
            guard: 'hasStanding',
            actions: 'plan',
          },
          {
            actions: 'turnDown',
          },
        ],
        SPAWN: [
          {
            guard: 'isCut',
            actions: ['enter', 'cancelFirst'],
          },
          {
            actions: ['enter', 'admit'],
          },
        ],
        ANSWER: [
          {
            guard: 'isOpenQuestion and isAddressed',
            actions: 'takeAnswer',
          },
          {
            guard: 'isOpenQuestion',
            actions: {
              type: 'refuseAnswer',
              params: 'not_addressed',
            },
          },
          {
            actions: {
              type: 'refuseAnswer',
              params: 'expired',
            },
          },
        ],
        OUTCOME: {
          actions: ['settle', 'admit'],
        },
        TURN_GONE: {
          actions: 'drop',
        },
        NODE_CRASHED: {
          actions: 'crashed',
        },
        'xstate.error.actor.*': {
          actions: [],
        },
        SAY: [
          {
            guard: 'laneIsFull',
            actions: {
              type: 'refuseSay',
              params: 'lane_full',
            },
          },
          {
            actions: ['open', 'enter', 'admit'],
          },
        ],
        CLOSE: 'closing',
      },
    },
    closing: {
      always: {
        guard: 'allSettled',
        target: 'closed',
      },
      on: {
        CANCEL: [
          {
            guard: 'hasStanding',
            actions: 'plan',
          },
          {
            actions: 'turnDown',
          },
        ],
        SPAWN: [
          {
            guard: 'isCut',
            actions: ['enter', 'cancelFirst'],
          },
          {
            actions: ['enter', 'admit'],
          },
        ],
        ANSWER: [
          {
            guard: 'isOpenQuestion and isAddressed',
            actions: 'takeAnswer',
          },
          {
            guard: 'isOpenQuestion',
            actions: {
              type: 'refuseAnswer',
              params: 'not_addressed',
            },
          },
          {
            actions: {
              type: 'refuseAnswer',
              params: 'expired',
            },
          },
        ],
        OUTCOME: {
          actions: ['settle', 'admit'],
        },
        TURN_GONE: {
          actions: 'drop',
        },
        NODE_CRASHED: {
          actions: 'crashed',
        },
        'xstate.error.actor.*': {
          actions: [],
        },
        SAY: {
          actions: {
            type: 'refuseSay',
            params: 'session_closing',
          },
        },
      },
    },
    closed: {
      description: 'CANCEL: nothing lives any more: the door answers from the log',
      type: 'final',
    },
  },
});
