// The chart of machines/sub-agent.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const subAgentChart = createMachine({
  description:
    'STEER: not applicable: the turn below it works for a call, not for the words of a speaker\nBARGE_IN: not applicable: sound stops speech (machines/speech.ts), and no agent',
  id: 'sub-agent',
  initial: 'arriving',
  on: {
    'xstate.error.actor.*': {
      actions: [],
    },
    'xstate.done.actor.turn': {
      actions: 'forgetTurn',
    },
    CHILD_GONE: {
      actions: 'forgetTurn',
    },
  },
  states: {
    arriving: {
      description: 'CANCEL: never rests here: it is screened or at work in the same tick',
      always: [
        {
          guard: 'isScreened',
          target: 'screening',
        },
        {
          target: 'delegating',
        },
      ],
    },
    screening: {
      invoke: {
        id: 'screen',
        src: 'screen',
      },
      initial: 'active',
      states: {
        active: {
          on: {
            CANCEL: {
              guard: 'planStopsNode',
              target: 'interrupted',
              actions: {
                type: 'recordStop',
              },
            },
            'xstate.done.actor.screen': [
              {
                guard: {
                  type: 'isDetached',
                },
                target: '#sub-agent.settled',
                actions: [
                  {
                    type: 'changeTask',
                  },
                  {
                    type: 'detach',
                  },
                  'keepDetached',
                ],
              },
              {
                guard: {
                  type: 'isGo',
                },
                target: '#sub-agent.delegating',
                actions: {
                  type: 'changeTask',
                },
              },
              {
                target: '#sub-agent.settled',
                actions: {
                  type: 'keepOutcome',
                },
              },
            ],
          },
        },
        interrupted: {
          description: 'CANCEL: is being stopped already: the first cause is kept',
          entry: 'stopWork',
          on: {
            OVERDUE: 'abandoned',
            'xstate.done.actor.screen': [
              {
                guard: {
                  type: 'isGo',
                },
                target: '#sub-agent.settled',
                actions: 'keepNotStarted',
              },
              {
                target: '#sub-agent.settled',
                actions: {
                  type: 'keepOutcome',
                },
              },
            ],
          },
        },
        abandoned: {
          description: 'CANCEL: already settled as abandoned; its signal has been aborted',
          tags: 'settled',
          entry: {
            type: 'reportOutcome',
            params: {
              kind: 'abandoned',
              effect: 'not_started',
            },
          },
          on: {
            'xstate.done.actor.screen': {
              target: '#sub-agent.gone',
              actions: {
                type: 'reportOutcome',
                params: {
                  kind: 'ended_late',
                },
              },
            },
          },
        },
      },
    },
    delegating: {
      entry: 'startTurn',
      initial: 'active',
      onDone: 'settled',
      states: {
        active: {
          on: {
            CANCEL: [
              {
                guard: 'planStopsNode',
                target: 'interrupted',
                actions: [
                  'relay',
                  {
                    type: 'recordStop',
                  },
                ],
              },
              {
                actions: 'relay',
              },
            ],
            OUTCOME: {
              target: 'reported',
              actions: {
                type: 'keepOutcome',
              },
            },
          },
        },
        interrupted: {
          description: 'CANCEL: is being stopped already: the first cause is kept; relayed to the turn',
          always: {
            guard: 'allReported',
            target: 'reported',
          },
          on: {
            CANCEL: {
              actions: [
                'relay',
                {
                  type: 'awaitNewlyStopped',
                },
              ],
            },
            OUTCOME: {
              target: 'reported',
              actions: {
                type: 'keepOutcome',
              },
            },
          },
        },
        reported: {
          type: 'final',
        },
      },
    },
    settled: {
      description: 'CANCEL: already settled; relayed to the turn that runs on',
      tags: 'settled',
      always: {
        guard: 'hasNoChildren',
        target: 'gone',
      },
      entry: {
        type: 'reportOutcome',
      },
      on: {
        CANCEL: {
          actions: 'relay',
        },
        OUTCOME: {
          actions: {
            type: 'appendFacts',
          },
        },
      },
    },
    gone: {
      type: 'final',
    },
  },
});
