// Inspect: watch a cancel walk down the actors of a runtime, and let a receiver of `@xstate/inspect` watch it too.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@xstate/inspect';
import { z } from 'zod';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { bindSession } from '../../src/embed/bound-session.ts';
import { createInspector } from '../../src/inspector/inspector.ts';
import { startRelay } from '../../src/inspector/relay.ts';
import type { InspectionRecord } from '../../src/wire/inspection.ts';

const { clock } = systemSources;
const copy = defineTool({
  name: 'copy',
  description: 'Copies a file, slowly.',
  input: z.object({ from: z.string() }),
  access: 'parallel',
  cancel: 'abortable',
  effect: 'some',
  async run({ from }, { signal }) {
    await sleep(60_000, null, { signal });
    return `copied ${from}`;
  },
});
const calls = ['secret-plan.txt', 'budget.txt'].map((from, i) => ({
  call: { callId: `c${i}`, name: 'copy', arguments: JSON.stringify({ from }) },
}));

// the inspector costs nothing until somebody listens
const inspector = createInspector({ clock });
const runtime = await createLocalRuntime({
  log: createMemoryLog(),
  provider: createScriptedProvider({ clock, respond: () => ({ steps: calls }) }),
  tools: [copy],
  inspector,
});
const session = await bindSession(runtime, 'demo');
assert.equal(inspector.state, 'off');

// one listener in this program, one over a socket, as Stately's inspector would be
const records: InspectionRecord[] = [];
const stop = inspector.listen((record) => void records.push(record));
const relay = await startRelay({ inspector, port: 0 });
const received: StatelyInspectionEvent[] = [];
createWebSocketReceiver({ server: relay.url.replace('http:', 'ws:') }).subscribe((event) => void received.push(event));

const ann = { speaker: { id: 'ann', roles: ['member'] as const }, connection: 'none' };
const said = await session.say(ann, { text: 'copy the secret plan' });
assert(said.type === 'turn_opened');
const isRunning = () => records.filter((record) => record.type === 'actor' && record.name === 'work').length === 2;
while (!isRunning() || received.length === 0) await sleep(5);
const answer = await session.cancel(ann, { target: said.turn, reason: 'not the secret one' });
assert(answer.type === 'cancel_accepted');
await session.settled(answer.receipt.cancel);
const isOver = ({ type, ...rest }: StatelyInspectionEvent) =>
  type === '@xstate.event' && 'event' in rest && rest.event.type === 'TURN_GONE';
while (!received.some(isOver)) await sleep(5);

// the tree, and the wave of the cancel: every actor receives it from its parent
const actors = records.filter((record) => record.type === 'actor');
const byId = new Map(actors.map((actor) => [actor.actor, actor]));
const depthOf = (id: string | null): number => (id === null ? 0 : 1 + depthOf(byId.get(id)?.parent ?? null));
const wave = records.filter((record) => record.type === 'event').filter(({ event }) => event === 'CANCEL');
for (const { actor, at, fields } of wave) {
  const { name = '', node } = byId.get(actor) ?? {};
  console.log(`${at} ${'  '.repeat(depthOf(actor))}${name} ${node ?? ''} ${fields['source']}`);
}
assert.deepEqual(
  wave.map(({ actor }) => byId.get(actor)?.name),
  ['session', 'link', 'turn', 'tool', 'tool'],
);
for (const { actor, from } of wave.slice(1)) assert.equal(from, byId.get(actor)?.parent);

// what people and models have written has not left: its length has
assert.deepEqual(wave[0]?.fields['reasonChars'], 'not the secret one'.length);
assert(!JSON.stringify([records, received]).includes('secret'));
assert(received.some((event) => event.type === '@xstate.event' && event.event.type === 'CANCEL'));

stop();
await relay.close();
while (inspector.state !== 'off') await sleep(5);
await runtime.close();
