// The chart of machines/sub-agent.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const subAgentChart = createMachine({
  id: 'sub-agent',
  initial: 'delegating',
  on: {
    'xstate.error.actor.*': {
      actions: [],
    },
    'xstate.done.actor.*': {
      actions: 'forget',
    },
    CHILD_GONE: {
      actions: 'forget',
    },
  },
  states: {
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
