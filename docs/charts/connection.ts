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
              type: 'leaveAll',
              params: 'lost',
            },
            'closeAsAsked',
          ],
        },
        GONE: {
          target: '#connection.closed',
          actions: 'leaveGone',
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
          description: 'CANCEL: refused, hello_expected: nobody knows who asks',
          on: {
            HELLO: 'verifying',
            JOIN: {
              actions: 'refuseEarly',
            },
            SAY: {
              actions: 'refuseEarly',
            },
            CANCEL: {
              actions: 'refuseEarly',
            },
            APPROVE: {
              actions: 'refuseEarly',
            },
            DENY: {
              actions: 'refuseEarly',
            },
            ANSWER: {
              actions: 'refuseEarly',
            },
            LEAVE: {
              actions: 'refuseEarly',
            },
            PING: {
              actions: 'refuseEarly',
            },
          },
        },
        verifying: {
          description: 'CANCEL: held until the speaker is known, then taken in its order',
          invoke: {
            id: 'verify',
            src: 'verify',
          },
          on: {
            'xstate.done.actor.verify': [
              {
                guard: 'isKnown',
                target: '#connection.open',
                actions: 'welcomeIt',
              },
              {
                target: '#connection.closing',
                actions: 'closeUnknown',
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
              actions: 'holdIt',
            },
            SAY: {
              actions: 'holdIt',
            },
            CANCEL: {
              actions: 'holdIt',
            },
            APPROVE: {
              actions: 'holdIt',
            },
            DENY: {
              actions: 'holdIt',
            },
            ANSWER: {
              actions: 'holdIt',
            },
            LEAVE: {
              actions: 'holdIt',
            },
            PING: {
              actions: 'holdIt',
            },
          },
        },
      },
    },
    open: {
      description: 'CANCEL: taken: the session that it names decides',
      on: {
        CLOSE: {
          target: '#connection.closing',
          actions: [
            {
              type: 'leaveAll',
              params: 'lost',
            },
            'closeAsAsked',
          ],
        },
        GONE: {
          target: '#connection.closed',
          actions: 'leaveGone',
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
          actions: 'takeIt',
        },
        SAY: {
          actions: 'takeIt',
        },
        CANCEL: {
          actions: 'takeIt',
        },
        APPROVE: {
          actions: 'takeIt',
        },
        DENY: {
          actions: 'takeIt',
        },
        ANSWER: {
          actions: 'takeIt',
        },
        LEAVE: {
          actions: 'takeIt',
        },
        PING: {
          actions: 'takeIt',
        },
      },
    },
    closing: {
      description: 'CANCEL: ignored: the answer could not be sent; docs/protocol.md, races',
      on: {
        OVERDUE: {
          actions: 'cut',
        },
        GONE: 'closed',
      },
    },
    closed: {
      description: 'CANCEL: cannot come: the socket is gone',
      type: 'final',
    },
  },
});
