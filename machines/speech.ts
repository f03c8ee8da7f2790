// The chart of the bot's speech in a voice session: it flows, or it is paused because somebody speaks.
//
// 1. It knows no text: what has been published and played is beside it, and is read into its events.
// 2. Somebody who speaks pauses speech. Final words of theirs cut it; without any it goes on.
// 3. Model and tools run on meanwhile: only a CANCEL stops them, and that is the session's to decide.
import { assign, setup } from 'xstate';
import type { NodeId, Speaker, SpeakerId } from './vocabulary.ts';
import { mayBargeIn, type VoiceRules } from './voice.ts';

/** The turn that is being spoken. */
export interface SpokenTurn {
  readonly turn: NodeId;
  readonly owner: SpeakerId;
}

/** Somebody speaks while the bot may be speaking. */
export interface BargeInEvent {
  readonly type: 'BARGE_IN';
  /** The id of the command, for the reply. */
  readonly id: string;
  readonly by: Speaker;
  /** For how long so far, in milliseconds; null: the bridge has applied a minimum of its own. */
  readonly durationMs: number | null;
  /** What is paused already, or is being spoken; null: nothing is. */
  readonly spoken: SpokenTurn | null;
}

/** A turn is stopped. */
export interface SpeechCancelEvent {
  readonly type: 'CANCEL';
  readonly turn: NodeId;
  /** The speaker who stops it; null: the runtime does. */
  readonly by: SpeakerId | null;
  /** Whether the turn is being spoken, or waits to be. */
  readonly isSpoken: boolean;
}

export type SpeechEvent =
  | BargeInEvent
  | SpeechCancelEvent
  /** Words were recognized. Final ones have passed the silence gate. */
  | { readonly type: 'WORDS'; readonly by: SpeakerId; readonly final: boolean }
  /** No final words have come in time. */
  | { readonly type: 'FALSE_INTERRUPTION' };

/** Why a BARGE_IN interrupts nothing. */
export type BargeInRefusal = 'nothing_spoken' | 'not_allowed' | 'too_short';

/** The end of the speech of a turn. */
export interface SpeechEnd {
  readonly turn: NodeId;
  readonly why: 'barge_in' | 'cancel';
  readonly by: SpeakerId | null;
}

export interface SpeechInput {
  readonly rules: VoiceRules;
}

export interface SpeechContext extends SpeechInput {
  /** What is paused, and who speaks instead; null: nothing is. */
  readonly interruption: { readonly spoken: SpokenTurn; readonly by: readonly SpeakerId[] } | null;
}

const isInterrupter = ({ interruption }: SpeechContext, speaker: SpeakerId): boolean =>
  interruption?.by.includes(speaker) === true;

/** The turn whose speech is paused; only read where one is. */
const pausedTurn = ({ interruption }: SpeechContext): NodeId => interruption?.spoken.turn ?? '';

const chart = setup({
  types: { context: {} as SpeechContext, events: {} as SpeechEvent, input: {} as SpeechInput },
  guards: {
    isNothingSpoken: ({ event }) => event.type === 'BARGE_IN' && event.spoken === null,
    isNotAllowed: ({ context: { rules }, event }) =>
      event.type === 'BARGE_IN' && event.spoken !== null && !mayBargeIn(event.spoken.owner, event.by, rules.bargeIn),
    isTooShort: ({ context: { rules }, event }) =>
      event.type === 'BARGE_IN' && event.durationMs !== null && event.durationMs < rules.minBargeInMs,
    isSpoken: ({ event }) => event.type === 'CANCEL' && event.isSpoken,
    isPausedTurn: ({ context, event }) => event.type === 'CANCEL' && event.turn === context.interruption?.spoken.turn,
    isInterrupter: ({ context, event }) => event.type === 'WORDS' && isInterrupter(context, event.by),
    isFinal: ({ context, event }) => event.type === 'WORDS' && event.final && isInterrupter(context, event.by),
  },
  actions: {
    /** Says at once that the turn must not be played, and keeps how much of it has been published. */
    pauseSpeech: (_, _event: BargeInEvent) => {},
    refuseBargeIn: (_, _refusal: { readonly event: BargeInEvent; readonly result: BargeInRefusal }) => {},
    /** FALSE_INTERRUPTION is sent after `falseInterruptionMs` from now on. */
    armResume: () => {},
    disarmResume: () => {},
    /** Says that the turn is played on. */
    resumeSpeech: (_, _turn: NodeId) => {},
    /** Cuts the history of the turn to what was heard. */
    cutSpeech: (_, _end: SpeechEnd) => {},
    /** Says at once that the turn must not be played, and cuts its history to what was heard. */
    stopSpeech: (_, _end: SpeechEnd) => {},
    /** Several may speak at once: the words of each count. */
    keepInterruption: assign(({ context: { interruption }, event }) => {
      if (event.type !== 'BARGE_IN' || event.spoken === null) return {};
      const { spoken, by } = event;
      return { interruption: { spoken, by: [...new Set([...(interruption?.by ?? []), by.id])] } };
    }),
    forgetInterruption: assign({ interruption: null }),
  },
});

const cancelled = ({ event: { turn, by } }: { readonly event: SpeechCancelEvent }): SpeechEnd => ({
  turn,
  why: 'cancel',
  by,
});

const refusal = (result: BargeInRefusal) =>
  ({
    type: 'refuseBargeIn',
    params: ({ event }: { readonly event: BargeInEvent }) => ({ event, result }),
  }) as const;

const refusals = [
  { guard: 'isNothingSpoken', actions: refusal('nothing_spoken') },
  { guard: 'isNotAllowed', actions: refusal('not_allowed') },
  { guard: 'isTooShort', actions: refusal('too_short') },
] as const;

const pause = {
  type: 'pauseSpeech',
  params: ({ event }: { readonly event: BargeInEvent }) => event,
} as const;

export const speechMachine = chart.createMachine({
  id: 'speech',
  meta: { STEER: 'not applicable: words for a turn change nothing of what it has said' },
  context: ({ input }) => ({ ...input, interruption: null }),
  initial: 'flowing',
  states: {
    flowing: {
      on: {
        BARGE_IN: [...refusals, { target: 'paused', actions: ['keepInterruption', pause] }],
        CANCEL: { guard: 'isSpoken', actions: { type: 'stopSpeech', params: cancelled } },
      },
    },
    paused: {
      entry: 'armResume',
      exit: 'disarmResume',
      on: {
        // somebody else may speak now, or the same speaker again: the time for final words begins anew
        BARGE_IN: [...refusals, { actions: ['keepInterruption', pause, 'disarmResume', 'armResume'] }],
        WORDS: [
          {
            guard: 'isFinal',
            target: 'flowing',
            actions: [
              {
                type: 'cutSpeech',
                params: ({ context, event: { by } }) => ({
                  turn: pausedTurn(context),
                  why: 'barge_in' as const,
                  by,
                }),
              },
              'forgetInterruption',
            ],
          },
          { guard: 'isInterrupter', actions: ['disarmResume', 'armResume'] },
        ],
        FALSE_INTERRUPTION: {
          target: 'flowing',
          actions: [{ type: 'resumeSpeech', params: ({ context }) => pausedTurn(context) }, 'forgetInterruption'],
        },
        CANCEL: [
          {
            guard: 'isPausedTurn',
            target: 'flowing',
            actions: [{ type: 'stopSpeech', params: cancelled }, 'forgetInterruption'],
          },
          { guard: 'isSpoken', actions: { type: 'stopSpeech', params: cancelled } },
        ],
      },
    },
  },
});
