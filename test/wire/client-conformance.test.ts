// The conformance program, clients: our own keeps every requirement, and one that breaks a requirement is caught.
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientRequirements } from '../../scripts/conformance/client-requirements.ts';
import { listenForClient } from '../../scripts/conformance/listen.ts';
import { createClient } from '../../src/client/client.ts';
import { type AnyFrame, type Mutation, startMutatingProxy } from '../support/mutating-proxy.ts';
import { scaled } from '../support/time-scale.ts';

interface Behavior extends Mutation {
  /** Cancels by `say:<ref>`, in the tick of the SAY. */
  readonly cancelsAtOnce?: true;
}

/** Lets our client join, say something, and cancel, perhaps through a proxy. Resolves with the verdicts by id. */
async function observe(behavior: Behavior | null = null): Promise<Record<string, string>> {
  const { url, report } = await listenForClient({ port: 0, totalMs: scaled(behavior ? 750 : 5_000), awayMs: 300 });
  const client = createClient({
    url: behavior ? await startMutatingProxy(url, behavior) : url,
    reconnect: { minMs: 1, maxMs: 5 },
    whileDisconnected: 'wait',
  });
  onTestFinished(() => client.close());
  const session = client.session('any');
  if (behavior?.cancelsAtOnce) await session.joined; // a SAY that was not sent would be withdrawn
  const turn = session.say('words');
  if (behavior?.cancelsAtOnce) turn.cancel();
  else {
    const off = session.on('text_delta', () => {
      off();
      session.cancel('mine');
    });
  }
  const verdicts = await report;
  return Object.fromEntries(verdicts.map(([{ id }, verdict]) => [id, verdict.kind]));
}

const on = (type: string, change: (frame: AnyFrame) => readonly AnyFrame[]) => (frame: AnyFrame) =>
  frame['type'] === type ? change(frame) : [frame];

/** Passes the frames of a type on as often as the number says, the first one first; more of them once each. */
const times = (type: string, ...counts: readonly number[]) => {
  let n = 0;
  return on(type, (frame) => Array.from({ length: counts[n++] ?? 1 }, () => frame));
};

let said: AnyFrame = {};
const rememberSaid = (frame: AnyFrame): readonly AnyFrame[] => {
  if (frame['type'] === 'SAY') said = frame;
  return frame['type'] === 'CANCEL' && !('seen' in frame) ? [said, frame] : [frame];
};

/** For each requirement a client that breaks it. */
const mutations: Readonly<Record<string, Mutation>> = {
  'client.subprotocol': { protocols: [] },
  'client.hello': { up: times('HELLO', 2) },
  'client.frames': { up: on('JOIN', (frame) => [{ ...frame, mood: 'good' }]) },
  'client.unknown': { up: (frame) => (frame['type'] === 'HELLO' ? [frame] : []) },
  'client.refs': { up: on('CANCEL', (frame) => [{ ...frame, ref: said['ref'] }]) },
  'client.order': { up: on('SAY', (frame) => [{ type: 'CANCEL', ref: 'c1', target: `say:${frame['ref']}` }, frame]) },
  'client.after': { up: on('JOIN', ({ after: _, ...frame }) => [frame]) },
  'client.answered': { up: rememberSaid },
  'client.cancel-again': { up: times('CANCEL', 1, 0, 0) },
  'client.own-replies': { up: times('CANCEL', 1, 1, 0) },
  'client.seen': { up: on('CANCEL', ({ seen: _, says: __, ...frame }) => [frame]) },
  'client.features': { up: on('CANCEL', (frame) => [{ ...frame, target: 'tools:mine' }]) },
  'client.stay-away': { breaks: true },
};

test.each([
  { type: 'FORK', ref: 'x1', turn: 'turn_1' },
  { type: 'SET_TIMEOUT', ref: 'x1', tool: 'shell', ms: 1_000 },
  { type: 'RENAME', ref: 'x1', title: 'A title' },
])('a client that sends $type to a gateway that does not announce it is caught', async (frame) => {
  const up = on('SAY', (said) => [said, { ...frame, session: said['session'] }]);
  expect((await observe({ up }))['client.features']).toBe('failed');
});

test('our client keeps every requirement [ws.protocol] [ws.resume]', async () => {
  const verdicts = await observe();
  const missing = clientRequirements.flatMap(({ id }) => (verdicts[id] === 'ok' ? [] : [id]));
  expect(missing).toEqual(['client.order']); // it did not cancel by `say:<ref>`
  expect(await observe({ cancelsAtOnce: true })).toMatchObject({ 'client.order': 'ok' });
});

describe('a client that breaks', () => {
  test.each(Object.entries(mutations))('%s is caught', async (id, mutation) => {
    if (id === 'client.refs') said = { ref: 'r1' };
    const up =
      id === 'client.refs'
        ? (frame: AnyFrame) => (frame['type'] === 'SAY' ? [{ ...frame, ref: 'r1' }] : (mutation.up?.(frame) ?? []))
        : mutation.up;
    expect((await observe({ ...mutation, ...(up && { up }) }))[id]).toBe('failed');
  });

  test('any requirement has a row above', () => {
    expect(Object.keys(mutations).toSorted()).toEqual(clientRequirements.map(({ id }) => id).toSorted());
  });
});
