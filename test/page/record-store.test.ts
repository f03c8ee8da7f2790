// The records of the inspector's page: every moment of the past is the fold of what came before it, and the ring is bounded.
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/sources/virtual.ts';
import { Picture } from '../../src/page/inspector-view/records/picture.ts';
import { type HistoryLimits, RecordHistory } from '../../src/page/inspector-view/records/record-history.ts';
import { RecordStore } from '../../src/page/inspector-view/records/record-store.ts';
import type { InspectionRecord } from '../../src/wire/inspection.ts';
import { randomRecords, sampleActorRecord, sampleEventRecord, sampleStateRecord } from './inspector-records.ts';

/** A picture as data. */
const dataOf = (picture: Picture) => ({
  actors: [...picture.actors.values()],
  nodes: [...picture.nodes],
  children: [...picture.actors.keys()].map((id) => [id, picture.childrenOf(id)]),
});

function fold(records: readonly InspectionRecord[]): Picture {
  const picture = new Picture();
  for (const record of records) picture.apply(record);
  return picture;
}

/** A store whose frames are drawn by `draw`. */
function startStore(options: HistoryLimits = {}) {
  let due: (() => void) | null = null;
  const onFrame = (fn: () => void) => {
    due = fn;
    return () => {
      due = null;
    };
  };
  const store = new RecordStore({ ...options, onFrame });
  return Object.assign(store, { draw: () => due?.() });
}

describe('any moment', () => {
  test.each([1, 2, 3])('is the fold of the records before it, seed %i', (seed) => {
    const records = randomRecords(700, seededRandom(seed));
    const history = new RecordHistory({ capacity: 300, chunkSize: 32 });
    for (const record of records) history.push(record);
    expect(history.newest).toBe(700);
    expect(history.newest - history.oldest).toBeGreaterThanOrEqual(300);
    expect(history.newest - history.oldest).toBeLessThan(300 + 2 * 32);
    for (let place = history.oldest; place <= history.newest; place += 7)
      expect(dataOf(history.pictureAt(place)), `at ${place}`).toEqual(dataOf(fold(records.slice(0, place))));
  });

  test('the ring is bounded, also when records are missed again and again', () => {
    const records = randomRecords(3_000, seededRandom(4));
    const history = new RecordHistory({ capacity: 300, chunkSize: 32 });
    for (const [i, record] of records.entries()) {
      if (i % 3 === 0) history.startAnew();
      history.push(record);
    }
    expect(history.newest - history.oldest).toBeGreaterThanOrEqual(300);
    expect(history.newest - history.oldest).toBeLessThan(300 + 2 * 32);
  });

  test('what has ended is dropped in the end, the oldest first; what is alive stays', () => {
    const picture = new Picture();
    picture.apply(sampleActorRecord(1, 'x:0', { chart: 'session', name: 'session' }));
    for (let n = 1; n <= 1_000; n++) {
      picture.apply(sampleActorRecord(2 * n, `x:${n}`));
      picture.apply(sampleStateRecord(2 * n + 1, `x:${n}`, { status: 'done', value: 'gone' }));
    }
    expect(picture.actors.size).toBeLessThanOrEqual(401);
    expect(picture.actors.get('x:0')?.status).toBe('active');
    expect(picture.actors.has('x:1000')).toBe(true);
    expect(picture.childrenOf('x:0')).toHaveLength(400);
  });

  test('an end takes along what is below: XState reports no end of an actor that its parent has stopped', () => {
    const picture = fold([
      sampleActorRecord(1, 'x:0'),
      sampleActorRecord(2, 'x:1', { parent: 'x:0' }),
      sampleActorRecord(3, 'x:2', { parent: 'x:1' }),
      sampleStateRecord(4, 'x:0', { status: 'done', value: 'gone' }),
    ]);
    expect([...picture.actors.values()].map(({ id, status, endedAt }) => [id, status, endedAt])).toEqual([
      ['x:0', 'done', 1_004],
      ['x:1', 'stopped', 1_004],
      ['x:2', 'stopped', 1_004],
    ]);
  });

  test('a step says where it led from; an event that changes nothing is none', () => {
    const picture = fold([
      sampleActorRecord(1, 'x:0', { value: { acting: 'active' } }),
      sampleStateRecord(2, 'x:0', { event: 'CANCEL', value: { acting: 'interrupted' } }),
      sampleStateRecord(3, 'x:0', { event: 'OUTCOME', value: { acting: 'interrupted' } }),
    ]);
    expect(picture.actors.get('x:0')?.transition).toEqual({
      event: 'CANCEL',
      from: { acting: 'active' },
      to: { acting: 'interrupted' },
      n: 2,
      at: 1_002,
    });
  });
});

describe('who comes late', () => {
  test('learns the name of an actor that stepped before the first record that says so, at every moment', () => {
    const history = new RecordHistory({ chunkSize: 2 });
    for (let n = 10; n < 20; n++) history.push(sampleStateRecord(n, 'x:7', { value: `state ${n}` }));
    history.identify(sampleActorRecord(20, 'x:7', { parent: 'x:1', name: 'tool', value: 'state 19' }));
    history.identify(sampleActorRecord(20, 'x:8', { parent: 'x:1', value: 'waiting' }));
    for (let place = 0; place <= 10; place++) {
      const { actors } = history.pictureAt(place);
      expect(actors.get('x:7')?.name ?? 'tool').toBe('tool');
      expect(actors.get('x:8')?.value, 'it has not stepped, so it was in that state before').toBe('waiting');
    }
    expect(history.pictureAt(4).actors.get('x:7')?.value).toBe('state 13');
  });

  test('after a gap the picture is made of what is alive; what came before can still be looked at', () => {
    const store = startStore();
    store.receive(sampleActorRecord(1, 'x:0'));
    store.receive(sampleActorRecord(2, 'x:1'));
    store.noteGap(40);
    store.identify(sampleActorRecord(42, 'x:9'));
    store.receive(sampleStateRecord(43, 'x:9'));
    store.draw();
    expect([...store.getSnapshot().picture.actors.keys()]).toEqual(['x:9']);
    expect(store.getSnapshot().missed).toBe(40);
    store.goTo(1);
    expect([...store.getSnapshot().picture.actors.keys()]).toEqual(['x:0']);
  });
});

describe('the moment that is shown', () => {
  const filled = () => {
    const store = startStore();
    for (let n = 1; n <= 50; n++)
      store.receive(n === 1 ? sampleActorRecord(1, 'x:0') : sampleStateRecord(n, 'x:0', { value: `s${n}` }));
    store.draw();
    return store;
  };
  const stateOf = (store: RecordStore) => store.getSnapshot().picture.actors.get('x:0')?.value;

  test('stands still while records go on being received, and is live again', () => {
    const store = filled();
    store.pause();
    store.receive(sampleStateRecord(51, 'x:0', { value: 's51' }));
    store.draw();
    expect([stateOf(store), store.getSnapshot().place, store.getSnapshot().newest]).toEqual(['s50', 50, 51]);
    store.goLive();
    expect(stateOf(store)).toBe('s51');
  });

  test('steps by one and by ten, and no further than there are records', () => {
    const store = filled();
    store.stepBy(-1);
    expect(stateOf(store)).toBe('s49');
    store.stepBy(-10);
    expect(stateOf(store)).toBe('s39');
    store.stepBy(1);
    expect(stateOf(store)).toBe('s40');
    store.stepBy(-1_000);
    expect([stateOf(store), store.getSnapshot().place]).toEqual([undefined, 0]);
    store.stepBy(1_000);
    expect([stateOf(store), store.getSnapshot().isLive]).toEqual(['s50', false]);
  });

  test('is the record of an address, also of one that has not come yet', () => {
    const store = filled();
    store.goToRecord(20);
    expect(store.getSnapshot().record?.n).toBe(20);
    store.goLive();
    store.goToRecord(52);
    expect([store.getSnapshot().isLive, stateOf(store)]).toEqual([true, 's50']);
    for (let n = 51; n < 60; n++) store.receive(sampleStateRecord(n, 'x:0', { value: `s${n}` }));
    store.draw();
    expect([store.getSnapshot().isLive, stateOf(store)]).toEqual([false, 's52']);
  });

  test('is drawn once for each frame, however many records come', () => {
    const store = startStore();
    let drawn = 0;
    store.subscribe(() => {
      drawn += 1;
    });
    for (let n = 1; n <= 5_000; n++) store.receive(sampleEventRecord(n, 'x:0'));
    expect(drawn).toBe(0);
    store.draw();
    expect([drawn, store.getSnapshot().newest]).toEqual([1, 5_000]);
  });
});
