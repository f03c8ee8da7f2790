// The chart of machines/connection.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const connectionChart = createMachine({
  id: 'connection',
  initial: 'greeting',
  states: {
    greeting: {
      on: {
        CLOSE: {
          target: '#connection.closing',
          actions: [
            {
              type: 'leaveSessions',
              params: 'lost',
            },
            {
              type: 'close',
            },
          ],
        },
        GONE: {
          target: '#connection.closed',
          actions: {
            type: 'leaveSessions',
          },
        },
        OVERDUE: {
          target: 'closing',
          actions: {
            type: 'close',
            params: 'hello_timeout',
          },
        },
      },
      initial: 'waiting',
      states: {
        waiting: {
          description: 'CANCEL: refused, hello_expected: the speaker is not known',
          on: {
            HELLO: 'verifying',
            JOIN: {
              actions: {
                type: 'refuse',
              },
            },
            SAY: {
              actions: {
                type: 'refuse',
              },
            },
            RESUME: {
              actions: {
                type: 'refuse',
              },
            },
            STEER: {
              actions: {
                type: 'refuse',
              },
            },
            CANCEL: {
              actions: {
                type: 'refuse',
              },
            },
            APPROVE: {
              actions: {
                type: 'refuse',
              },
            },
            DENY: {
              actions: {
                type: 'refuse',
              },
            },
            ANSWER: {
              actions: {
                type: 'refuse',
              },
            },
            INVITE: {
              actions: {
                type: 'refuse',
              },
            },
            REMOVE: {
              actions: {
                type: 'refuse',
              },
            },
            DELEGATE: {
              actions: {
                type: 'refuse',
              },
            },
            SPEAKER: {
              actions: {
                type: 'refuse',
              },
            },
            TRANSCRIPT: {
              actions: {
                type: 'refuse',
              },
            },
            BARGE_IN: {
              actions: {
                type: 'refuse',
              },
            },
            PLAYED: {
              actions: {
                type: 'refuse',
              },
            },
            READ: {
              actions: {
                type: 'refuse',
              },
            },
            LEAVE: {
              actions: {
                type: 'refuse',
              },
            },
            PING: {
              actions: {
                type: 'refuse',
              },
            },
          },
        },
        verifying: {
          description: 'CANCEL: queued until the speaker is known, then performed in its order',
          invoke: {
            id: 'verify',
            src: 'verify',
          },
          on: {
            'xstate.done.actor.verify': [
              {
                guard: {
                  type: 'isKnown',
                },
                target: '#connection.open',
                actions: {
                  type: 'welcome',
                },
              },
              {
                target: '#connection.closing',
                actions: {
                  type: 'close',
                },
              },
            ],
            'xstate.error.actor.verify': {
              target: '#connection.closing',
              actions: {
                type: 'close',
                params: 'gateway_failed',
              },
            },
            HELLO: {
              actions: {
                type: 'refuse',
                params: {
                  code: 'hello_repeated',
                  ref: null,
                },
              },
            },
            JOIN: {
              actions: {
                type: 'queue',
              },
            },
            SAY: {
              actions: {
                type: 'queue',
              },
            },
            RESUME: {
              actions: {
                type: 'queue',
              },
            },
            STEER: {
              actions: {
                type: 'queue',
              },
            },
            CANCEL: {
              actions: {
                type: 'queue',
              },
            },
            APPROVE: {
              actions: {
                type: 'queue',
              },
            },
            DENY: {
              actions: {
                type: 'queue',
              },
            },
            ANSWER: {
              actions: {
                type: 'queue',
              },
            },
            INVITE: {
              actions: {
                type: 'queue',
              },
            },
            REMOVE: {
              actions: {
                type: 'queue',
              },
            },
            DELEGATE: {
              actions: {
                type: 'queue',
              },
            },
            SPEAKER: {
              actions: {
                type: 'queue',
              },
            },
            TRANSCRIPT: {
              actions: {
                type: 'queue',
              },
            },
            BARGE_IN: {
              actions: {
                type: 'queue',
              },
            },
            PLAYED: {
              actions: {
                type: 'queue',
              },
            },
            READ: {
              actions: {
                type: 'queue',
              },
            },
            LEAVE: {
              actions: {
                type: 'queue',
              },
            },
            PING: {
              actions: {
                type: 'queue',
              },
            },
          },
        },
      },
    },
    open: {
      description: 'CANCEL: performed: the session that it names decides',
      on: {
        CLOSE: {
          target: '#connection.closing',
          actions: [
            {
              type: 'leaveSessions',
              params: 'lost',
            },
            {
              type: 'close',
            },
          ],
        },
        GONE: {
          target: '#connection.closed',
          actions: {
            type: 'leaveSessions',
          },
        },
        HELLO: {
          actions: {
            type: 'refuse',
            params: {
              code: 'hello_repeated',
              ref: null,
            },
          },
        },
        JOIN: {
          actions: {
            type: 'perform',
          },
        },
        SAY: {
          actions: {
            type: 'perform',
          },
        },
        RESUME: {
          actions: {
            type: 'perform',
          },
        },
        STEER: {
          actions: {
            type: 'perform',
          },
        },
        CANCEL: {
          actions: {
            type: 'perform',
          },
        },
        APPROVE: {
          actions: {
            type: 'perform',
          },
        },
        DENY: {
          actions: {
            type: 'perform',
          },
        },
        ANSWER: {
          actions: {
            type: 'perform',
          },
        },
        INVITE: {
          actions: {
            type: 'perform',
          },
        },
        REMOVE: {
          actions: {
            type: 'perform',
          },
        },
        DELEGATE: {
          actions: {
            type: 'perform',
          },
        },
        SPEAKER: {
          actions: {
            type: 'perform',
          },
        },
        TRANSCRIPT: {
          actions: {
            type: 'perform',
          },
        },
        BARGE_IN: {
          actions: {
            type: 'perform',
          },
        },
        PLAYED: {
          actions: {
            type: 'perform',
          },
        },
        READ: {
          actions: {
            type: 'perform',
          },
        },
        LEAVE: {
          actions: {
            type: 'perform',
          },
        },
        PING: {
          actions: {
            type: 'perform',
          },
        },
      },
    },
    closing: {
      description:
        'CANCEL: ignored: a reply could not be sent; docs/protocol.md, races\nSTEER: ignored: a reply could not be sent\nBARGE_IN: ignored: a reply could not be sent',
      on: {
        OVERDUE: {
          actions: 'terminate',
        },
        GONE: 'closed',
      },
    },
    closed: {
      description: 'CANCEL: cannot arrive: the socket is gone',
      type: 'final',
    },
  },
});
