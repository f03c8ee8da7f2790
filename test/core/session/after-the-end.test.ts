// The time after the end of a stopped turn: nothing of it is published but a late result, and the end of what was abandoned.
import { expect, test } from 'vitest';
import type { SequencedFact } from '../../../machines/facts.ts';
import type { SessionListener } from '../../../src/core/session/api.ts';
import { callerOf, callsResponse, startHarness, toolOf } from '../../support/harness.ts';

/** Speaks and reports its end long after its signal. */
const chatty = toolOf('chatty', (_, { output, clock }) => {
  const speak = () => {
    output('still here');
    clock.after(100, speak);
  };
  speak();
  return new Promise((resolve) => clock.after(9_000, () => resolve('done')));
});

/** A question that stays open until it is withdrawn. */
const asking = toolOf('asking', async (_, { ask }) => {
  await ask({ text: 'Which one?' });
  return 'asked';
});

test('of a stopped turn nothing follows its end but the ends of what was abandoned, which name their node [cancel.settled]', async () => {
  const frames: { readonly type: string; readonly of: string; readonly isTurns: boolean }[] = [];
  const h = await startHarness({
    tools: [chatty, asking],
    agents: { helper: { description: 'helps', instructions: 'Help.' } },
    respond: ({ messages }, n) => {
      if (n === 0) return callsResponse(['chatty'], ['asking'], ['wait'], ['spawn_agent', { task: 'help' }]);
      const last = messages.at(-1)?.content ?? '';
      // the model of the sub-agent goes on streaming after its signal
      if (last.includes('help'))
        return {
          steps: Array.from({ length: 100 }, () => [{ waitMs: 100 }, { text: 'more' }]).flat(),
          ignoresSignal: true,
        };
      return { steps: [{ text: 'done' }] };
    },
  });
  const note = (type: string, of: string, isTurns: boolean) => void frames.push({ type, of, isTurns });
  const listener: SessionListener = {
    ...h.recorder.listener,
    fact: ({ fact }: SequencedFact) => {
      if ('turn' in fact && fact.turn !== undefined) note(fact.type, fact.turn, true);
      else if ('node' in fact) note(fact.type, fact.node, false);
      else note(fact.type, 'the session', false);
    },
    text: ({ turn }) => note('text', turn, true),
    preview: ({ turn }) => note('preview', turn, true),
    output: ({ node }) => note('output', node, true),
    progress: ({ node }) => note('progress', node, true),
    waiting: ({ node }) => note('waiting', node, true),
  };
  await h.session.join(callerOf('carol'), listener, null);
  const turn = await h.say('build it');
  await h.clock.advance(500);
  expect(new Set(frames.map(({ type }) => type)), 'all of it was at work').toEqual(
    expect.objectContaining(new Set(['output', 'text', 'question_asked'])),
  );
  await h.cancel({ target: turn });
  await h.clock.advance(20_000);
  const end = frames.findIndex(({ type, of }) => type === 'turn_ended' && of === turn);
  const after = frames.slice(end + 1);
  expect(after.filter(({ isTurns }) => isTurns)).toEqual([]);
  expect(after.map(({ type, of }) => [type, of])).toEqual([
    ['cancel_settled', 'the session'],
    ['abandoned_ended', h.callNamed('chatty')],
    ['abandoned_ended', expect.stringMatching(/^turn_/)],
  ]);
});
