// The chart of machines/tool-call.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const toolCallChart = createMachine({
  description:
    'STEER: not applicable: words are for a turn, whose next model call reads them\nBARGE_IN: not applicable: sound stops speech (machines/speech.ts), and no tool',
  id: 'tool-call',
  initial: 'arriving',
  states: {
    arriving: {
      description: 'CANCEL: never rests here: the call enters its first phase in the same tick',
      always: [
        {
          guard: {
            type: 'passes',
            params: 'screening',
          },
          target: '#tool-call.screening',
        },
        {
          guard: {
            type: 'passes',
            params: 'approving',
          },
          target: '#tool-call.approving',
        },
        {
          guard: {
            type: 'passes',
            params: 'queued',
          },
          target: '#tool-call.queued',
        },
        {
          guard: {
            type: 'passes',
            params: 'starting',
          },
          target: '#tool-call.starting',
        },
        {
          guard: {
            type: 'passes',
            params: 'running',
          },
          target: '#tool-call.running',
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
                guard: 'isGo and passes approving',
                target: '#tool-call.approving',
                actions: 'changeCall',
              },
              {
                guard: 'isGo and passes queued',
                target: '#tool-call.queued',
                actions: 'changeCall',
              },
              {
                guard: 'isGo',
                target: '#tool-call.starting',
                actions: 'changeCall',
              },
              {
                guard: 'isGo and passes running',
                target: '#tool-call.running',
                actions: 'changeCall',
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
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
                guard: 'isGo',
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
                },
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
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
              target: '#tool-call.gone',
              actions: {
                type: 'reportOutcome',
              },
            },
          },
        },
      },
    },
    approving: {
      invoke: {
        id: 'ask',
        src: 'ask',
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
            'xstate.done.actor.ask': [
              {
                guard: 'isGo and passes queued',
                target: '#tool-call.queued',
                actions: 'changeCall',
              },
              {
                guard: 'isGo',
                target: '#tool-call.starting',
                actions: 'changeCall',
              },
              {
                guard: 'isGo and passes running',
                target: '#tool-call.running',
                actions: 'changeCall',
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
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
            'xstate.done.actor.ask': [
              {
                guard: 'isGo',
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
                },
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
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
            'xstate.done.actor.ask': {
              target: '#tool-call.gone',
              actions: {
                type: 'reportOutcome',
              },
            },
          },
        },
      },
    },
    queued: {
      invoke: {
        id: 'acquire',
        src: 'acquire',
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
            'xstate.done.actor.acquire': [
              {
                guard: 'isGo',
                target: '#tool-call.starting',
                actions: 'changeCall',
              },
              {
                guard: 'isGo and passes running',
                target: '#tool-call.running',
                actions: 'changeCall',
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
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
            'xstate.done.actor.acquire': [
              {
                guard: 'isGo',
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
                },
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
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
            'xstate.done.actor.acquire': {
              target: '#tool-call.gone',
              actions: {
                type: 'reportOutcome',
              },
            },
          },
        },
      },
    },
    starting: {
      invoke: {
        id: 'start',
        src: 'start',
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
            'xstate.done.actor.start': [
              {
                guard: 'isGo and passes running',
                target: '#tool-call.running',
                actions: 'changeCall',
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
                },
              },
            ],
          },
        },
        interrupted: {
          description: 'CANCEL: is being stopped already: the first cause is kept',
          entry: 'stopWork',
          on: {
            'xstate.done.actor.start': [
              {
                guard: 'isGo',
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
                },
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
                },
              },
            ],
          },
        },
      },
    },
    running: {
      invoke: {
        id: 'work',
        src: 'work',
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
            'xstate.done.actor.work': [
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
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
            'xstate.done.actor.work': [
              {
                guard: 'isGo',
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
                },
              },
              {
                target: '#tool-call.gone',
                actions: {
                  type: 'reportOutcome',
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
              effect: 'unknown',
            },
          },
          on: {
            'xstate.done.actor.work': {
              target: '#tool-call.gone',
              actions: {
                type: 'reportOutcome',
              },
            },
          },
        },
      },
    },
    gone: {
      type: 'final',
    },
  },
});
