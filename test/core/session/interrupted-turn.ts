// An interrupted turn of a harness, and its RESUME.
import { expect } from 'vitest';
import type { NodeId } from '../../../machines/vocabulary.ts';
import type { Caller, ResumeReply } from '../../../src/core/session/api.ts';
import {
  type CallSpec,
  callerOf,
  callsResponse,
  type Harness,
  type HarnessOptions,
  startHarness,
  textResponse,
} from '../../support/harness.ts';

export const moderator = callerOf('mia', ['member', 'moderator']);

/** Resumes a turn and lets the tick pass. */
export async function resume(
  harness: Harness,
  turn: NodeId,
  caller: Caller = harness.alice,
  text?: string,
  ref?: string,
) {
  const pending = harness.runtime.resume('s', caller, { turn, text, ref });
  await harness.clock.advance(0);
  return pending;
}

export const turnIn = (reply: ResumeReply): NodeId => {
  if (reply.type !== 'turn_opened') throw new Error(`The RESUME was refused: ${JSON.stringify(reply)}.`);
  return reply.turn;
};

export const codeIn = (reply: ResumeReply): string => (reply.type === 'say_refused' ? reply.code : reply.type);

/** Responds with the rounds in their order, then with text. */
export const rounds =
  (...all: readonly (readonly CallSpec[])[]): NonNullable<HarnessOptions['respond']> =>
  (_, n) => {
    const calls = all[n];
    return calls && calls.length > 0 ? callsResponse(...calls) : textResponse('done');
  };

/** Returns the last message that the model reads before it responds. */
export const lastPrompt = ({ provider }: Harness): string =>
  provider.requests.at(-1)?.messages.findLast(({ role }) => role === 'user')?.content ?? '';

/** A turn of alice that was stopped when `note` had completed and `wait` was running. */
export async function interrupted(options: HarnessOptions = {}) {
  const harness = await startHarness({
    respond: rounds([['note'], ['wait', { ms: 900, at: 'here' }]], [['wait', { at: 'here', ms: 900 }]]),
    ...options,
  });
  const turn = await harness.say('deploy it');
  await harness.clock.advance(100);
  await harness.cancel({ target: turn });
  await harness.clock.advance(1_000);
  expect(harness.endOf(turn)?.outcome).toBe('cancelled');
  return { harness, turn };
}
