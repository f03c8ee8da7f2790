// The chart of machines/turn.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const turnChart = createMachine({
  id: 'turn',
  initial: 'queued',
  on: {
    OUTCOME: {
      actions: 'collect',
    },
    CANCEL: {
      actions: 'relay',
    },
    'xstate.error.actor.*': {
      actions: [],
    },
    'xstate.done.actor.call.*': {
      actions: 'forget',
    },
    CHILD_GONE: {
      actions: 'forget',
    },
  },
  states: {
    queued: {
      on: {
        ADMIT: {
          target: 'preparing',
          actions: 'tellStarted',
        },
        CANCEL: {
          guard: 'hasStanding',
          target: 'settling',
          actions: 'obey',
        },
      },
    },
    preparing: {
      invoke: {
        id: 'prepare',
        src: 'prepare',
      },
      initial: 'active',
      states: {
        active: {
          on: {
            CANCEL: {
              guard: 'hasStanding',
              target: 'interrupted',
              actions: ['relay', 'obey'],
            },
            'xstate.done.actor.prepare': [
              {
                guard: 'isTooLong',
                target: '#turn.compacting',
              },
              {
                guard: 'isGo',
                target: '#turn.generating',
              },
              {
                target: '#turn.settling',
                actions: 'keepFailure',
              },
            ],
          },
        },
        interrupted: {
          entry: 'stopWork',
          on: {
            'xstate.done.actor.prepare': '#turn.settling',
          },
        },
      },
    },
    compacting: {
      invoke: {
        id: 'compact',
        src: 'compact',
      },
      initial: 'active',
      states: {
        active: {
          on: {
            CANCEL: {
              guard: 'hasStanding',
              target: 'interrupted',
              actions: ['relay', 'obey'],
            },
            'xstate.done.actor.compact': {
              target: '#turn.preparing',
              actions: 'keepCompaction',
            },
          },
        },
        interrupted: {
          entry: 'stopWork',
          on: {
            'xstate.done.actor.compact': {
              target: '#turn.settling',
              actions: 'keepCompaction',
            },
          },
        },
      },
    },
    generating: {
      invoke: {
        id: 'model',
        src: 'model',
      },
      initial: 'active',
      states: {
        active: {
          on: {
            CANCEL: {
              guard: 'hasStanding',
              target: 'interrupted',
              actions: ['relay', 'obey'],
            },
            'xstate.done.actor.model': [
              {
                guard: 'madeCalls',
                target: '#turn.dispatching',
                actions: 'keepReply',
              },
              {
                target: '#turn.settling',
                actions: ['keepReply', 'keepFailure'],
              },
            ],
          },
        },
        interrupted: {
          entry: 'stopWork',
          on: {
            'xstate.done.actor.model': [
              {
                guard: 'madeCalls',
                target: '#turn.dispatching.interrupted',
                actions: 'keepReply',
              },
              {
                target: '#turn.settling',
                actions: 'keepReply',
              },
            ],
          },
        },
      },
    },
    dispatching: {
      invoke: {
        id: 'append',
        src: 'append',
      },
      initial: 'active',
      states: {
        active: {
          on: {
            CANCEL: {
              guard: 'hasStanding',
              target: 'interrupted',
              actions: ['relay', 'obey'],
            },
            'xstate.done.actor.append': '#turn.acting',
          },
        },
        interrupted: {
          on: {
            'xstate.done.actor.append': '#turn.settling',
          },
        },
      },
    },
    acting: {
      entry: 'open',
      initial: 'active',
      states: {
        active: {
          always: {
            guard: 'allTold',
            target: '#turn.preparing',
          },
          on: {
            CANCEL: {
              guard: 'hasStanding',
              target: 'interrupted',
              actions: ['relay', 'obey'],
            },
          },
        },
        interrupted: {
          always: {
            guard: 'allTold',
            target: '#turn.settling',
          },
          on: {
            CANCEL: {
              actions: ['relay', 'awaitAlso'],
            },
          },
        },
      },
    },
    settling: {
      description: 'CANCEL: already settled: the outcome is fixed; relayed to what lives below',
      tags: 'fixed',
      entry: 'close',
      initial: 'where',
      on: {
        OUTCOME: {
          actions: 'tellLate',
        },
      },
      states: {
        where: {
          always: [
            {
              guard: 'isRoot',
              target: 'appending',
            },
            {
              target: '#turn.settled',
              actions: 'tellClosing',
            },
          ],
        },
        appending: {
          invoke: {
            id: 'append',
            src: 'append',
            onDone: '#turn.settled',
          },
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
