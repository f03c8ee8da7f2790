// The frames that servers send about speech: a schema for each, and the parts of other frames that are about speech.
import * as z from 'zod';
import { bargeInRules, effects, outcomeKinds } from '../../machines/vocabulary.ts';
import { soundFormat } from '../core/contracts/sound.ts';

const text = z.string();
const count = z.int().min(0);
const reply = { ref: text.exactOptional(), session: text };

/** What a connection that has asked for sound may send and gets. */
export const soundTermsSchema = z.strictObject({
  send: z.boolean(),
  receive: z.boolean(),
  encoding: z.literal(soundFormat.encoding),
  rate: z.literal(soundFormat.rate),
  channels: z.literal(soundFormat.channels),
  frameBytes: count,
  framesPerSecond: z.number(),
  frameBurst: count,
  bytesPerSecond: z.number(),
  byteBurst: count,
  queueBytes: count,
  aheadMs: count,
});

/** The rules of a voice session that are in force. */
export const voiceRulesSchema = z.strictObject({
  bargeIn: z.enum(bargeInRules),
  minBargeInMs: z.number(),
  falseInterruptionMs: z.number(),
  confidenceFrom: z.number(),
  noSpeechFrom: z.number(),
  /** Whether a stop has a sound. Left out by gateways without `stop_sound`. */
  stopSound: z.boolean().exactOptional(),
  addressedFrom: z.number(),
  /** The turn whose speech is paused; null: none is. */
  paused: text.nullable(),
  /** The turns whose speech waits for the floor. Left out by gateways without `speech_queue`. */
  queued: z.array(text).exactOptional(),
});

/** The record of the transcript that has opened a turn, in its `turn_opened`. */
export const spokenSchema = z
  .strictObject({
    confidence: z.number().exactOptional(),
    noSpeech: z.number().exactOptional(),
    stopRefused: z.literal('low_confidence').exactOptional(),
  })
  .exactOptional();

/** The fields of the facts `speech_queued` and `speech_started`. */
export const speechStartedShape = { speech: text, turn: text, owner: text };

/** The fields of the fact `speech_ended`. */
export const speechEndedShape = {
  speech: text,
  turn: text,
  outcome: z.enum(outcomeKinds),
  effect: z.enum(effects),
  code: text.exactOptional(),
};

/** The fields of the fact `speech_cut`. */
export const speechCutShape = {
  turn: text,
  why: z.enum(['barge_in', 'cancel']),
  by: text.nullable(),
  heard: z.array(z.strictObject({ index: count, offset: count, estimated: z.literal(true).exactOptional() })),
};

export const voiceSchemas = {
  transcript_ignored: z.strictObject({
    type: z.literal('transcript_ignored'),
    ...reply,
    reason: z.enum(['partial', 'no_speech']),
  }),
  barge_in: z.strictObject({
    type: z.literal('barge_in'),
    ...reply,
    result: z.enum(['paused', 'nothing_spoken', 'not_allowed', 'too_short']),
    /** The turn whose speech is paused. */
    turn: text.exactOptional(),
  }),
  played: z.strictObject({ type: z.literal('played'), ...reply, turn: text, index: count, offset: count }),
  speech_stop: z.strictObject({
    type: z.literal('speech_stop'),
    session: text,
    turn: text,
    why: z.enum(['barge_in', 'cancel']),
    by: text.nullable(),
  }),
  speech_resume: z.strictObject({ type: z.literal('speech_resume'), session: text, turn: text }),
  speech_wait: z.strictObject({ type: z.literal('speech_wait'), session: text, turn: text }),
  speech_start: z.strictObject({ type: z.literal('speech_start'), session: text, turn: text }),
  stop_sound: z.strictObject({ type: z.literal('stop_sound'), session: text, cancel: text, by: text }),
};
