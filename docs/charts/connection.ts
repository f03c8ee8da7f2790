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
            INVITE_LINK: {
              actions: {
                type: 'refuse',
              },
            },
            REVOKE: {
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
            SET_TIMEOUT: {
              actions: {
                type: 'refuse',
              },
            },
            RENAME: {
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
            OPEN_CALL: {
              actions: {
                type: 'refuse',
              },
            },
            REPORT_CALL: {
              actions: {
                type: 'refuse',
              },
            },
            SETTLE_CALL: {
              actions: {
                type: 'refuse',
              },
            },
            READ: {
              actions: {
                type: 'refuse',
              },
            },
            FORK: {
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
              actions: 'queue',
            },
            SAY: {
              actions: 'queue',
            },
            RESUME: {
              actions: 'queue',
            },
            STEER: {
              actions: 'queue',
            },
            CANCEL: {
              actions: 'queue',
            },
            APPROVE: {
              actions: 'queue',
            },
            DENY: {
              actions: 'queue',
            },
            ANSWER: {
              actions: 'queue',
            },
            INVITE: {
              actions: 'queue',
            },
            INVITE_LINK: {
              actions: 'queue',
            },
            REVOKE: {
              actions: 'queue',
            },
            REMOVE: {
              actions: 'queue',
            },
            DELEGATE: {
              actions: 'queue',
            },
            SET_TIMEOUT: {
              actions: 'queue',
            },
            RENAME: {
              actions: 'queue',
            },
            SPEAKER: {
              actions: 'queue',
            },
            TRANSCRIPT: {
              actions: 'queue',
            },
            BARGE_IN: {
              actions: 'queue',
            },
            PLAYED: {
              actions: 'queue',
            },
            OPEN_CALL: {
              actions: 'queue',
            },
            REPORT_CALL: {
              actions: 'queue',
            },
            SETTLE_CALL: {
              actions: 'queue',
            },
            READ: {
              actions: 'queue',
            },
            FORK: {
              actions: 'queue',
            },
            LEAVE: {
              actions: 'queue',
            },
            PING: {
              actions: 'queue',
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
          actions: 'perform',
        },
        SAY: {
          actions: 'perform',
        },
        RESUME: {
          actions: 'perform',
        },
        STEER: {
          actions: 'perform',
        },
        CANCEL: {
          actions: 'perform',
        },
        APPROVE: {
          actions: 'perform',
        },
        DENY: {
          actions: 'perform',
        },
        ANSWER: {
          actions: 'perform',
        },
        INVITE: {
          actions: 'perform',
        },
        INVITE_LINK: {
          actions: 'perform',
        },
        REVOKE: {
          actions: 'perform',
        },
        REMOVE: {
          actions: 'perform',
        },
        DELEGATE: {
          actions: 'perform',
        },
        SET_TIMEOUT: {
          actions: 'perform',
        },
        RENAME: {
          actions: 'perform',
        },
        SPEAKER: {
          actions: 'perform',
        },
        TRANSCRIPT: {
          actions: 'perform',
        },
        BARGE_IN: {
          actions: 'perform',
        },
        PLAYED: {
          actions: 'perform',
        },
        OPEN_CALL: {
          actions: 'perform',
        },
        REPORT_CALL: {
          actions: 'perform',
        },
        SETTLE_CALL: {
          actions: 'perform',
        },
        READ: {
          actions: 'perform',
        },
        FORK: {
          actions: 'perform',
        },
        LEAVE: {
          actions: 'perform',
        },
        PING: {
          actions: 'perform',
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
