// After a stop that a person caused, the model acknowledges it: what is asked of it, when it is not, and what stands in its place.
import { describe, expect, test } from 'vitest';
import type { TurnOpened } from '../../machines/facts.ts';
import type { NodeId } from '../../machines/vocabulary.ts';
import type { ModelRequest } from '../../src/model/provider.ts';
import type { Script } from '../../src/model/scripted.ts';
import type { SessionSpec } from '../../src/session/session-spec.ts';
import {
  callerOf,
  callsResponse,
  type Harness,
  type HarnessOptions,
  startHarness,
  textResponse,
} from '../support/harness.ts';

const bob = callerOf('bob');

const isAcknowledging = ({ messages }: ModelRequest): boolean =>
  /has just stopped work of yours/.test(messages.at(-1)?.content ?? '');

/** Calls a tool that runs until it is stopped; acknowledges a stop by `reply`. */
const respondWith =
  (reply: () => Script) =>
  (request: ModelRequest): Script => {
    if (isAcknowledging(request)) return reply();
    return request.messages.at(-1)?.role === 'tool'
      ? textResponse('done')
      : callsResponse(['note'], ['wait', { ms: 60_000 }]);
  };

const understood = respondWith(() => textResponse('Fine, ', 'I have stopped.'));

interface Options extends HarnessOptions {
  readonly spec?: Partial<SessionSpec>;
}

async function start({ spec, ...options }: Options = {}): Promise<Harness> {
  const h = await startHarness({ respond: understood, acknowledge: 'on', session: () => spec ?? {}, ...options });
  await h.session.join(bob, { ...h.recorder.listener, fact: () => {}, text: () => {} }, null);
  return h;
}

/** Says something, lets its calls start, and returns its turn. */
async function startTurn(h: Harness, text = 'build it', member = h.alice): Promise<NodeId> {
  const turn = await h.say(text, member);
  await h.clock.advance(100);
  return turn;
}

const acknowledgements = (h: Harness): readonly TurnOpened[] =>
  h.recorder.of('turn_opened').filter(({ kind }) => kind === 'acknowledgement');

const signs = (h: Harness) =>
  h.recorder.facts.filter(({ type }) => type === 'acknowledged' || type === 'reaction' || type === 'earcon');

describe('after a stop', () => {
  test('the model says in its own words that it was understood, in a turn of its own [recover.model]', async () => {
    const h = await start();
    const turn = await startTurn(h);
    await h.cancel({ target: turn, reason: 'wrong branch' }, bob);
    await h.clock.advance(200);
    const [opened, ...more] = acknowledgements(h);
    expect(more).toEqual([]);
    expect(opened).toMatchObject({ owner: 'bob', lane: 'alice', text: '', cancel: h.settledReceipts()[0]?.cancel });
    expect(h.index(({ type }) => type === 'cancel_settled')).toBeLessThan(
      h.index((fact) => fact.type === 'turn_opened' && fact.kind === 'acknowledgement'),
    );
    expect(h.endOf(opened?.turn ?? '')).toMatchObject({ outcome: 'completed' });
    expect(h.recorder.of('model_ended').at(-1)).toMatchObject({ turn: opened?.turn, text: 'Fine, I have stopped.' });
    expect(signs(h)).toMatchObject([{ type: 'acknowledged', turn: opened?.turn, to: 'bob' }]);
  });
});
