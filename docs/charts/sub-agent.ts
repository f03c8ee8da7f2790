// The chart of machines/sub-agent.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const subAgentChart = createMachine({
  id: 'sub-agent',
  initial: 'arriving',
  on: {
    'xstate.error.actor.*': {
      actions: [],
    },
    'xstate.done.actor.turn': {
      actions: 'forget',
    },
    CHILD_GONE: {
      actions: 'forget',
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
              guard: 'hasStanding',
              target: 'interrupted',
              actions: 'obey',
            },
            'xstate.done.actor.screen': [
              {
                guard: 'isGo and isDetached',
                target: '#sub-agent.settled',
                actions: ['change', 'letGo'],
              },
              {
                guard: 'isGo',
                target: '#sub-agent.delegating',
                actions: 'change',
              },
              {
                target: '#sub-agent.settled',
                actions: 'keepEnd',
              },
            ],
          },
        },
        interrupted: {
          entry: {
            type: 'stopWork',
          },
          on: {
            OVERDUE: 'abandoned',
            'xstate.done.actor.screen': [
              {
                guard: 'isGo',
                target: '#sub-agent.settled',
                actions: 'neverStarted',
              },
              {
                target: '#sub-agent.settled',
                actions: 'keepEnd',
              },
            ],
          },
        },
        abandoned: {
          description: 'CANCEL: already settled as abandoned; its signal has fired long ago',
          tags: 'settled',
          entry: 'tellAbandoned',
          on: {
            'xstate.done.actor.screen': {
              target: '#sub-agent.gone',
              actions: 'tellEnded',
            },
          },
        },
      },
    },
    delegating: {
      entry: 'delegate',
      initial: 'active',
      onDone: 'settled',
      states: {
        active: {
          on: {
            CANCEL: [
              {
                guard: 'hasStanding',
                target: 'interrupted',
                actions: ['relay', 'obey'],
              },
              {
                actions: 'relay',
              },
            ],
            OUTCOME: {
              target: 'told',
              actions: 'keepReport',
            },
          },
        },
        interrupted: {
          always: {
            guard: 'allTold',
            target: 'told',
          },
          on: {
            CANCEL: {
              actions: ['relay', 'awaitAlso'],
            },
            OUTCOME: {
              target: 'told',
              actions: 'keepReport',
            },
          },
        },
        told: {
          type: 'final',
        },
      },
    },
    settled: {
      description: 'CANCEL: already settled; relayed to what it could not stop',
      tags: 'settled',
      always: {
        guard: 'empty',
        target: 'gone',
      },
      entry: 'tellOutcome',
      on: {
        CANCEL: {
          actions: 'relay',
        },
        OUTCOME: {
          actions: 'tellLate',
        },
      },
    },
    gone: {
      type: 'final',
    },
  },
});
