// Records for tests of the inspector's page: single ones, and the random life of many actors.
import type { ActorRecord, EventRecord, InspectionRecord, StateRecord } from '../../src/wire/inspection.ts';

export const base = (n: number) => ({ n, at: 1_000 + n, session: 's', root: 'x:0' });

export const sampleActorRecord = (n: number, actor: string, more: Partial<ActorRecord> = {}): ActorRecord => ({
  ...base(n),
  type: 'actor',
  actor,
  parent: actor === 'x:0' ? null : 'x:0',
  name: 'turn',
  chart: 'turn',
  node: `turn_${actor}`,
  status: 'active',
  value: 'queued',
  context: {},
  ...more,
});

export const sampleStateRecord = (n: number, actor: string, more: Partial<StateRecord> = {}): StateRecord => ({
  ...base(n),
  type: 'state',
  actor,
  event: 'GO',
  status: 'active',
  value: 'open',
  context: {},
  ...more,
});

export const sampleEventRecord = (n: number, actor: string, more: Partial<EventRecord> = {}): EventRecord => ({
  ...base(n),
  type: 'event',
  actor,
  event: 'GO',
  from: null,
  fields: {},
  ...more,
});

const values = ['queued', 'open', { acting: 'active' }, { acting: 'interrupted' }] as const;

/** A life of actors that start below each other, step, receive events, and end. `random` returns a number from 0 up to 1. */
export function randomRecords(count: number, random: () => number): readonly InspectionRecord[] {
  let alive = ['x:0'];
  const parents = new Map<string, string>();
  const isBelow = (id: string, root: string): boolean =>
    id === root || (parents.has(id) && isBelow(parents.get(id) ?? '', root));
  const records: InspectionRecord[] = [sampleActorRecord(1, 'x:0', { name: 'session', chart: 'session', node: null })];
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item; // none of the lists is empty
  for (let n = 2; n <= count; n++) {
    const actor = pick(alive);
    const kind = random();
    if (kind < 0.3) {
      alive.push(`x:${n}`);
      parents.set(`x:${n}`, actor);
      records.push(sampleActorRecord(n, `x:${n}`, { parent: actor }));
    } else if (kind < 0.5 && alive.length > 1 && actor !== 'x:0') {
      alive = alive.filter((id) => !isBelow(id, actor)); // an end takes along what is below
      records.push(sampleStateRecord(n, actor, { status: 'done', value: 'gone' }));
    } else if (kind < 0.75) records.push(sampleStateRecord(n, actor, { value: pick(values) }));
    else if (kind < 0.9) records.push(sampleEventRecord(n, actor, { from: pick(alive) }));
    else if (kind < 0.95)
      records.push(sampleEventRecord(n, actor, { event: 'CANCEL', fields: { cancel: `cancel_${n}` } }));
    else
      records.push({
        ...base(n),
        type: 'node',
        actor,
        node: `turn_${actor}`,
        step: 'settled',
        cancel: null,
        outcome: 'cancelled',
        effect: 'none',
      });
  }
  return records;
}
