// The chart of machines/turn.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const turnChart = createMachine({
  description: 'BARGE_IN: not applicable: sound stops speech (machines/speech.ts); model and tools run on',
  id: 'turn',
  initial: 'queued',
  on: {
    OUTCOME: {
      actions: [
        {
          type: 'appendFacts',
        },
        {
          type: 'collectOutcome',
        },
      ],
    },
    CANCEL: {
      actions: 'relay',
    },
    'xstate.error.actor.*': {
      actions: [],
    },
    'xstate.done.actor.call.*': {
      actions: 'forgetChild',
    },
    CHILD_GONE: {
      actions: 'forgetChild',
    },
  },
  states: {
    queued: {
      description: 'STEER: not applicable: only a turn that runs is steered; words for a queued one are a SAY',
      on: {
        ADMIT: {
          target: 'preparing',
          actions: [
            {
              type: 'appendFacts',
            },
            'markStarted',
          ],
        },
        CANCEL: {
          guard: 'planStopsNode',
          target: 'settling',
          actions: {
            type: 'recordStop',
          },
        },
      },
    },
    preparing: {
      description:
        'STEER: not applicable: its worker reads the deferred inputs into the request, in the tick in which it builds it',
      entry: 'dropGoneChildren',
      invoke: {
        id: 'prepare',
        src: 'prepare',
      },
      initial: 'active',
      states: {
        active: {
          on: {
            CANCEL: {
              guard: 'planStopsNode',
              target: 'interrupted',
              actions: [
                'relay',
                {
                  type: 'recordStop',
                },
              ],
            },
            'xstate.done.actor.prepare': [
              {
                guard: {
                  type: 'isTooLong',
                },
                target: '#turn.compacting',
              },
              {
                guard: {
                  type: 'isGo',
                },
                target: '#turn.generating',
              },
              {
                target: '#turn.settling',
                actions: {
                  type: 'keepFailure',
                },
              },
            ],
          },
        },
        interrupted: {
          description: 'CANCEL: is being stopped already: the first cause is kept; relayed to the nodes below',
          entry: 'stopWork',
          on: {
            'xstate.done.actor.prepare': {
              target: '#turn.settling',
              actions: {
                type: 'keepAbandoned',
              },
            },
          },
        },
      },
    },
    compacting: {
      description: 'STEER: not applicable: the inputs wait for the request that is built after the summary',
      invoke: {
        id: 'compact',
        src: 'compact',
      },
      initial: 'active',
      states: {
        active: {
          on: {
            CANCEL: {
              guard: 'planStopsNode',
              target: 'interrupted',
              actions: [
                'relay',
                {
                  type: 'recordStop',
                },
              ],
            },
            'xstate.done.actor.compact': {
              target: '#turn.preparing',
              actions: {
                type: 'keepCompaction',
              },
            },
          },
        },
        interrupted: {
          description: 'CANCEL: is being stopped already: the first cause is kept; relayed to the nodes below',
          entry: 'stopWork',
          on: {
            'xstate.done.actor.compact': {
              target: '#turn.settling',
              actions: [
                {
                  type: 'keepCompaction',
                },
                {
                  type: 'keepAbandoned',
                },
              ],
            },
          },
        },
      },
    },
    generating: {
      description: 'STEER: not applicable: the inputs wait for the request of the next round',
      invoke: {
        id: 'model',
        src: 'model',
      },
      initial: 'active',
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
                actions: [
                  'relay',
                  {
                    type: 'withholdCalls',
                  },
                ],
              },
            ],
            'xstate.done.actor.model': [
              {
                guard: {
                  type: 'madeCalls',
                },
                target: '#turn.dispatching',
                actions: {
                  type: 'keepReply',
                },
              },
              {
                target: '#turn.settling',
                actions: [
                  {
                    type: 'keepReply',
                  },
                  {
                    type: 'keepFailure',
                  },
                ],
              },
            ],
          },
        },
        interrupted: {
          description: 'CANCEL: is being stopped already: the first cause is kept; relayed to the nodes below',
          entry: 'stopWork',
          on: {
            'xstate.done.actor.model': [
              {
                guard: {
                  type: 'madeCalls',
                },
                target: '#turn.dispatching.interrupted',
                actions: {
                  type: 'keepReply',
                },
              },
              {
                target: '#turn.settling',
                actions: [
                  {
                    type: 'keepReply',
                  },
                  {
                    type: 'keepAbandoned',
                  },
                ],
              },
            ],
          },
        },
      },
    },
    dispatching: {
      description: 'STEER: not applicable: the inputs wait for the request of the next round',
      invoke: {
        id: 'append',
        src: 'append',
      },
      initial: 'active',
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
                actions: [
                  'relay',
                  {
                    type: 'withholdCalls',
                  },
                ],
              },
            ],
            'xstate.done.actor.append': '#turn.acting',
          },
        },
        interrupted: {
          description: 'CANCEL: is being stopped already: the first cause is kept; relayed to the nodes below',
          on: {
            'xstate.done.actor.append': '#turn.settling',
          },
        },
      },
    },
    acting: {
      description: 'STEER: not applicable: the inputs wait for the results of the round',
      entry: 'openCalls',
      initial: 'active',
      states: {
        active: {
          always: {
            guard: 'allReported',
            target: '#turn.preparing',
          },
          on: {
            CANCEL: {
              guard: 'planStopsNode',
              target: 'interrupted',
              actions: [
                'relay',
                {
                  type: 'recordStop',
                },
              ],
            },
          },
        },
        interrupted: {
          description: 'CANCEL: is being stopped already: the first cause is kept; relayed to the nodes below',
          always: {
            guard: 'allReported',
            target: '#turn.settling',
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
          },
        },
      },
    },
    settling: {
      description:
        'CANCEL: already settled: the outcome is fixed; relayed to the children\nSTEER: not applicable: its inputs open turns of their own when it has settled; newer words are a SAY',
      tags: 'fixed',
      entry: 'fixClosing',
      initial: 'branching',
      on: {
        OUTCOME: {
          actions: {
            type: 'appendFacts',
          },
        },
      },
      states: {
        branching: {
          always: [
            {
              guard: 'isRoot',
              target: 'appending',
            },
            {
              target: '#turn.settled',
              actions: {
                type: 'appendFacts',
              },
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
      description:
        'CANCEL: already settled; relayed to the children that run on\nSTEER: not applicable: words for a settled turn are a SAY',
      tags: 'settled',
      always: {
        guard: 'hasNoChildren',
        target: 'gone',
      },
      entry: 'reportOutcome',
      on: {
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
