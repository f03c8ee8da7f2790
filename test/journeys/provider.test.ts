// A model endpoint that fails: a named outcome, a history in which calls and results pair, and a next turn that works.
import { describe, expect, test } from 'vitest';
import { openBelay } from '../support/belay.ts';
import type { Reply, Rule } from '../support/endpoint.ts';
import { expectSound, shellCall, toolMessages, useEndpoint } from '../support/journey.ts';
import { joinRoom, watchRoom } from '../support/room-clients.ts';
import { until } from '../support/until.ts';

const endpoint = useEndpoint();

interface Failing {
  readonly name: string;
  readonly reply: Reply;
  readonly code: string;
  /** The text of the response that stays. */
  readonly text?: string;
  readonly before: readonly string[];
}

const thrice = (end: string) => Array.from({ length: 3 }, () => end);
const cases: readonly Failing[] = [
  { name: '401', reply: { status: 401 }, code: 'model_unauthorized', before: ['401 finished'] },
  { name: '404', reply: { status: 404 }, code: 'model_rejected', before: ['404 finished'] },
  {
    name: '429 with a retry-after over the limit',
    reply: { status: 429, retryAfter: 3_600 },
    code: 'model_rate_limited',
    before: ['429 finished'],
  },
  { name: '500 three times', reply: { status: 500 }, code: 'model_unavailable', before: thrice('500 finished') },
  {
    name: 'a connection cut mid-stream',
    reply: { text: 'As far as it', end: 'cut' },
    code: 'model_cut_off',
    text: 'As far as it',
    before: ['200 cut'],
  },
  {
    name: 'malformed events',
    reply: { raw: 'data: {"choices": [\n\n' },
    code: 'model_malformed',
    before: ['200 finished'],
  },
  {
    name: 'a page instead of a stream',
    reply: { raw: '<html>', contentType: 'text/html' },
    code: 'model_malformed',
    before: ['200 finished'],
  },
];

describe('an endpoint that responds with', () => {
  test.each(cases)(
    '$name: the turn fails with a code, its words stay, the next one works [history.paired] [history.partial] [history.usage]',
    async ({ reply, code, text = '', before }) => {
      const belay = await openBelay(endpoint);
      await endpoint.script([{ reply }]);
      const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
      const turn = ann.session.say('words');
      expect(await turn.ended).toMatchObject({ outcome: 'failed', code, message: expect.stringMatching(/\S/) });
      expect(ann.of('model_ended')).toMatchObject([{ outcome: 'failed', code, text, cutOff: true }]);
      expect(ann.of('model_ended')[0]?.usage.kind, 'the usage of streamed text is never zero').toBe(
        text ? 'estimated' : 'unknown',
      );
      const next = (await expectSound(belay, { witness, before })).at(-1);
      const history = JSON.stringify(next?.messages);
      expect(history).toContain('words');
      expect(history).toContain(text);
    },
  );

  test('429 with a retry-after, once: the request is repeated after that time, and the turn completes [history.usage]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([{ times: 1, reply: { status: 429, retryAfter: 1 } }, { reply: { text: 'At last.' } }]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    expect(await ann.session.say('words').ended).toMatchObject({ outcome: 'completed' });
    expect(ann.of('model_ended')).toMatchObject([{ outcome: 'completed', text: 'At last.' }]);
    await expectSound(belay, { witness, before: ['429 finished', '200 finished'] });
  });

  test('500 after the results of tools: the results stay, and the next request has them [history.paired] [cancel.boundaries]', async () => {
    const belay = await openBelay(endpoint);
    await endpoint.script([
      { when: { user: 'words', toolResult: true }, reply: { status: 401 } },
      { reply: { calls: [shellCall('echo the result')] } },
    ]);
    const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
    const turn = ann.session.say('words');
    expect(await turn.ended).toMatchObject({ outcome: 'failed', code: 'model_unauthorized', effect: 'done' });
    const next = (await expectSound(belay, { witness, before: ['200 finished', '401 finished'] })).at(-1);
    expect(toolMessages(next)).toEqual([expect.stringContaining('the result')]);
  });
});

describe('a CANCEL', () => {
  test.each<{ readonly name: string; readonly rule: Rule; readonly end: string; readonly isReady: string }>([
    {
      name: 'during the pause before a retry',
      rule: { reply: { status: 429, retryAfter: 20 } },
      end: '429 finished',
      isReady: 'ended',
    },
    {
      name: 'before the headers of the response',
      rule: { reply: { silent: true } },
      end: 'null closed_by_client',
      isReady: 'at',
    },
    {
      name: 'after the headers of the response',
      rule: { reply: { raw: '', end: 'hang' } },
      end: '200 closed_by_client',
      isReady: 'hanging',
    },
  ])(
    '$name: the request is closed, and no other one is made [cancel.fence] [ladder.turn.generating]',
    async ({ rule, end, isReady }) => {
      const belay = await openBelay(endpoint);
      await endpoint.script([rule]);
      const [ann, witness] = [await joinRoom(belay, 'ann'), await watchRoom(belay)];
      const turn = ann.session.say('words');
      await until(async () => (await endpoint.requests())[0]?.[isReady as 'ended']);
      await turn.cancel().settled;
      expect(await turn.ended).toMatchObject({ outcome: 'cancelled' });
      await expectSound(belay, { witness, before: [end] });
    },
  );
});
