// The chart of machines/session.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const sessionChart = createMachine({
  description: 'BARGE_IN: not applicable: the machine of the speech beside it decides (machines/speech.ts)',
  id: 'session',
  initial: 'recovering',
  states: {
    recovering: {
      description:
        'CANCEL: waits: events are sent when recovery is over, and nothing lives before that\nSTEER: waits: events are sent when recovery is over',
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
            actions: [
              {
                type: 'accept',
              },
              'holdLanes',
              'relayCancel',
            ],
          },
          {
            actions: {
              type: 'refuse',
            },
          },
        ],
        SHIELD_ENDED: {
          actions: [
            {
              type: 'stopDeferred',
            },
            'relayCancel',
          ],
        },
        SPAWN: [
          {
            guard: 'isCut',
            actions: ['openTurn', 'cancelSpawned'],
          },
          {
            actions: ['openTurn', 'admitNext'],
          },
        ],
        ANSWER: [
          {
            guard: 'isOpenQuestion and needsQuestion',
            actions: {
              type: 'refuseAnswer',
            },
          },
          {
            guard: 'isOpenQuestion and mayAnswer',
            actions: {
              type: 'closeQuestion',
            },
          },
          {
            guard: 'isOpenQuestion',
            actions: {
              type: 'refuseAnswer',
            },
          },
          {
            actions: {
              type: 'refuseAnswer',
            },
          },
        ],
        INPUT_CONSUMED: {
          actions: 'forgetInput',
        },
        OUTCOME: {
          actions: ['settleTurn', 'openInputs', 'admitNext'],
        },
        STOP_SETTLED: {
          actions: ['releaseLanes', 'admitNext'],
        },
        TURN_GONE: {
          actions: 'forgetTurn',
        },
        NODE_CRASHED: {
          actions: {
            type: 'unwindCrash',
          },
        },
        'xstate.error.actor.*': {
          actions: [],
        },
        SAY: [
          {
            guard: 'hasStanding',
            actions: [
              {
                type: 'acceptPhrase',
              },
              'holdLanes',
              'relayCancel',
            ],
          },
          {
            guard: 'isNotResumable',
            actions: {
              type: 'refuseSay',
            },
          },
          {
            guard: 'isOverShare',
            actions: {
              type: 'refuseSay',
            },
          },
          {
            guard: 'isRejected',
            actions: {
              type: 'refuseSay',
            },
          },
          {
            guard: 'laneIsFull',
            actions: {
              type: 'refuseSay',
            },
          },
          {
            actions: [
              {
                type: 'recordPhrase',
              },
              {
                type: 'confirmSay',
              },
              'openTurn',
              'admitNext',
            ],
          },
        ],
        STEER: [
          {
            guard: 'hasStanding',
            actions: [
              {
                type: 'acceptPhrase',
              },
              'holdLanes',
              'relayCancel',
            ],
          },
          {
            guard: 'isOverShare',
            actions: {
              type: 'refuseSay',
            },
          },
          {
            guard: 'isRefusedSteer',
            actions: {
              type: 'refuseSay',
            },
          },
          {
            guard: 'steersTurn',
            actions: [
              {
                type: 'recordPhrase',
              },
              'deferInput',
            ],
          },
          {
            guard: 'isRejected',
            actions: {
              type: 'refuseSay',
            },
          },
          {
            guard: 'laneIsFull',
            actions: {
              type: 'refuseSay',
            },
          },
          {
            actions: [
              {
                type: 'recordPhrase',
              },
              {
                type: 'confirmSay',
              },
              'openTurn',
              'admitNext',
            ],
          },
        ],
        ACKNOWLEDGE: {
          guard: 'isLaneFree',
          actions: [
            {
              type: 'openAcknowledgement',
            },
            'openTurn',
            'admitNext',
          ],
        },
        OPEN_CALL: {
          actions: [
            {
              type: 'confirmCall',
            },
            'openTurn',
            'admitNext',
          ],
        },
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
            actions: [
              {
                type: 'accept',
              },
              'holdLanes',
              'relayCancel',
            ],
          },
          {
            actions: {
              type: 'refuse',
            },
          },
        ],
        SHIELD_ENDED: {
          actions: [
            {
              type: 'stopDeferred',
            },
            'relayCancel',
          ],
        },
        SPAWN: [
          {
            guard: 'isCut',
            actions: ['openTurn', 'cancelSpawned'],
          },
          {
            actions: ['openTurn', 'admitNext'],
          },
        ],
        ANSWER: [
          {
            guard: 'isOpenQuestion and needsQuestion',
            actions: {
              type: 'refuseAnswer',
            },
          },
          {
            guard: 'isOpenQuestion and mayAnswer',
            actions: {
              type: 'closeQuestion',
            },
          },
          {
            guard: 'isOpenQuestion',
            actions: {
              type: 'refuseAnswer',
            },
          },
          {
            actions: {
              type: 'refuseAnswer',
            },
          },
        ],
        INPUT_CONSUMED: {
          actions: 'forgetInput',
        },
        OUTCOME: {
          actions: ['settleTurn', 'openInputs', 'admitNext'],
        },
        STOP_SETTLED: {
          actions: ['releaseLanes', 'admitNext'],
        },
        TURN_GONE: {
          actions: 'forgetTurn',
        },
        NODE_CRASHED: {
          actions: {
            type: 'unwindCrash',
          },
        },
        'xstate.error.actor.*': {
          actions: [],
        },
        SAY: {
          actions: {
            type: 'refuseSay',
          },
        },
        STEER: {
          actions: {
            type: 'refuseSay',
          },
        },
        OPEN_CALL: {
          actions: {
            type: 'refuseCall',
          },
        },
      },
    },
    closed: {
      description:
        'CANCEL: nothing lives any more: the reply comes from the log\nSTEER: cannot arrive: the session accepts no words any more',
      type: 'final',
    },
  },
});
