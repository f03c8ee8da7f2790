// Calls that wait for another call, in a snapshot.
import { expect, test } from 'vitest';
import { defaultViewLimits, foldFrame } from '../../../src/client/view/fold.ts';
import { emptySnapshot, type SessionSnapshot } from '../../../src/client/view/snapshot.ts';
import type { ServerFrame } from '../../../src/wire/server-frames.ts';
import { accepted, joined, numbered, result, working } from './frames.ts';

const fold = (frames: readonly ServerFrame[], before = emptySnapshot): SessionSnapshot =>
  frames.reduce((snapshot, frame) => foldFrame(snapshot, frame, defaultViewLimits), before);
const continued = () => fold(working);

test('a call says for whom it waits, until it starts or ends [tool.waits]', () => {
  const waitsFor = { node: 'call_9', name: 'shell', owner: 'bob' };
  const shown = { ...waitsFor, session: null };
  const waiting = { type: 'tool_waiting', session: 's', node: 'call_1', waitsFor, elapsedMs: 0 } as const;
  const waits = fold([waiting], continued());
  const call = ({ nodes }: SessionSnapshot) => nodes.find(({ id }) => id === 'call_1');
  expect(call(waits)).toMatchObject({ state: 'waiting', waitsFor: shown });
  const next = (fact: object) => fold(numbered([fact], working.length + 1), waits);
  const startedCall = next({ type: 'tool_started', turn: 'turn_1', node: 'call_1' });
  expect(call(startedCall)).toMatchObject({ state: 'running', waitsFor: null });
  expect(next(result('call_1', 'completed')).turns[0]?.calls[0]?.node).toMatchObject({ waitsFor: null });
  expect(call(next(accepted(['call_1'])))).toMatchObject({ state: 'stopping', waitsFor: null });
  expect(call(fold([waiting], next(accepted(['call_1']))))).toMatchObject({ state: 'stopping' });
  const elsewhere = { ...waiting, waitsFor: { ...waitsFor, session: 'other' } };
  expect(call(fold([elsewhere], waits))?.waitsFor).toEqual({ ...waitsFor, session: 'other' });
  expect(fold([{ ...waiting, node: 'call_77' }], waits)).toBe(waits);
});

test('after a JOIN a call says for whom it waits now, whatever is replayed or was held [tool.waits]', () => {
  const waitsFor = { node: 'call_9', name: 'shell', owner: 'bob' };
  const live = (node: string, kind: 'turn' | 'tool-call', parent: string | null, more = {}) =>
    ({ node, kind, parent, owner: 'ann', name: null, state: 'running', since: 0, ...more }) as const;
  const turn = live('turn_1', 'turn', null);
  const frame = joined(working.length, { nodes: [turn, live('call_1', 'tool-call', 'turn_1', { waitsFor })] });
  const call = ({ nodes }: SessionSnapshot) => nodes.find(({ id }) => id === 'call_1');
  expect(call(fold([frame]))).toMatchObject({ state: 'waiting', waitsFor });
  expect(call(fold([frame, ...working]))).toMatchObject({ state: 'waiting', waitsFor });
  const held = fold([frame], continued());
  expect(call(held)).toMatchObject({ state: 'waiting', waitsFor });
  const later = joined(working.length, { nodes: [turn, live('call_1', 'tool-call', 'turn_1')] });
  expect(call(fold([later], held))).toMatchObject({ waitsFor: null });
});
