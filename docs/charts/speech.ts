// The chart of machines/speech.ts as Stately's editors read it: to look at, and to simulate (npm run draw).
import { createMachine } from 'xstate';

export const speechChart = createMachine({
  description: 'STEER: not applicable: words for a turn change nothing of what it has said',
  id: 'speech',
  initial: 'flowing',
  states: {
    flowing: {
      on: {
        BARGE_IN: [
          {
            guard: 'isNothingSpoken',
            actions: {
              type: 'refuseBargeIn',
            },
          },
          {
            guard: 'isNotAllowed',
            actions: {
              type: 'refuseBargeIn',
            },
          },
          {
            guard: 'isTooShort',
            actions: {
              type: 'refuseBargeIn',
            },
          },
          {
            target: 'paused',
            actions: [
              'keepInterruption',
              {
                type: 'pauseSpeech',
              },
            ],
          },
        ],
        CANCEL: {
          guard: 'isSpoken',
          actions: {
            type: 'stopSpeech',
          },
        },
      },
    },
    paused: {
      entry: 'armResume',
      exit: 'disarmResume',
      on: {
        BARGE_IN: [
          {
            guard: 'isNothingSpoken',
            actions: {
              type: 'refuseBargeIn',
            },
          },
          {
            guard: 'isNotAllowed',
            actions: {
              type: 'refuseBargeIn',
            },
          },
          {
            guard: 'isTooShort',
            actions: {
              type: 'refuseBargeIn',
            },
          },
          {
            actions: [
              'keepInterruption',
              {
                type: 'pauseSpeech',
              },
              'disarmResume',
              'armResume',
            ],
          },
        ],
        WORDS: [
          {
            guard: 'isFinal',
            target: 'flowing',
            actions: [
              {
                type: 'cutSpeech',
              },
              'forgetInterruption',
            ],
          },
          {
            guard: 'isInterrupter',
            actions: ['disarmResume', 'armResume'],
          },
        ],
        FALSE_INTERRUPTION: {
          target: 'flowing',
          actions: [
            {
              type: 'resumeSpeech',
            },
            'forgetInterruption',
          ],
        },
        CANCEL: [
          {
            guard: 'isPausedTurn',
            target: 'flowing',
            actions: [
              {
                type: 'stopSpeech',
              },
              'forgetInterruption',
            ],
          },
          {
            guard: 'isSpoken',
            actions: {
              type: 'stopSpeech',
            },
          },
        ],
      },
    },
  },
});
