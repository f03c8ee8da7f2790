// Saved inspections, the stream they come from, and the rows that the page makes of records.
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/sources/virtual.ts';
import { defaultActor, findActor, treeRows } from '../../src/page/inspector-view/actors/tree-rows.ts';
import { type EventFilter, EventIndex } from '../../src/page/inspector-view/events/event-rows.ts';
import { EventStreamParser } from '../../src/page/inspector-view/records/event-stream-parser.ts';
import { parseRecord } from '../../src/page/inspector-view/records/parse-record.ts';
import {
  maxFileRecords,
  readRecordFile,
  WrongFile,
  writeRecordFile,
} from '../../src/page/inspector-view/records/record-file.ts';
import { RecordHistory } from '../../src/page/inspector-view/records/record-history.ts';
import { randomRecords, sampleActorRecord, sampleEventRecord, sampleStateRecord } from './inspector-records.ts';

const header = { session: 's', savedAt: 1, charts: 'c' };

function filled(records: Parameters<RecordHistory['push']>[0][], limits = {}) {
  const history = new RecordHistory(limits);
  for (const record of records) history.push(record);
  return history;
}

describe('a saved inspection', () => {
  test('has every record that is kept, and what was alive before the first of them', () => {
    const records = randomRecords(900, seededRandom(7));
    const history = filled([...records], { capacity: 200, chunkSize: 50 });
    const file = readRecordFile(writeRecordFile(history, history.newest, header));
    expect(file).toMatchObject(header);
    expect(file.records).toEqual(records.slice(history.oldest));
    const again = new RecordHistory({ capacity: 200, chunkSize: 50 });
    for (const record of file.alive) again.identify(record);
    for (const record of file.records) again.push(record);
    const namesOf = ({ head }: RecordHistory) =>
      [...head.actors.values()].map(({ id, parent, status, value }) => ({ id, parent, status, value }));
    const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
    const alive = ({ status }: { status: string }) => status === 'active';
    expect(namesOf(again).filter(alive).sort(byId)).toEqual(namesOf(history).filter(alive).sort(byId));
  });

  test.each([
    ['', 'not_an_inspection'],
    ['{"name":"x"}', 'not_an_inspection'],
    ['PK\u0003\u0004', 'not_an_inspection'],
    ['{"belay":"inspection","version":9}', 'version'],
    ['{"belay":"inspection","version":1}', 'empty'],
    ['{"belay":"inspection","version":1}\n{"type":"actor"}', 'damaged'],
    ['{"belay":"inspection","version":1}\nnull', 'damaged'],
  ])('%j is refused: %s', (text, problem) => {
    expect(() => readRecordFile(text)).toThrow(WrongFile);
    expect(() => readRecordFile(text)).toThrow(expect.objectContaining({ problem }));
  });

  test('with more records than the page can replay is refused by their number, before one is read', () => {
    const text = `{"belay":"inspection","version":1}\n${'x\n'.repeat(maxFileRecords + 1)}`;
    expect(() => readRecordFile(text)).toThrow('The file has 40,001 records; this page replays up to 40,000.');
  });

  test.each(['1e300', '-1', '8640000000000001', '"1"', 'null', '[]', '{}'])(
    'with the time %s is refused by the line',
    (at) => {
      const record = JSON.stringify({ ...sampleEventRecord(1, 'x:0'), at: 0 }).replace('"at":0', `"at":${at}`);
      const text = `{"belay":"inspection","version":1,"savedAt":1e300}\n${record}`;
      expect(() => readRecordFile(text)).toThrow(/Line 2 of the file has the time .*, which no date can have/);
      expect(readRecordFile(text.replace(`"at":${at}`, '"at":8640000000000000'))).toMatchObject({ savedAt: 0 });
    },
  );

  test('names in it are shown with what cannot be seen written out', () => {
    const record = sampleEventRecord(1, 'x:0', { fields: { by: 'an\u200bn ', reason: 'e\u202etxt' } });
    expect(parseRecord(record)).toMatchObject({ fields: { by: 'an<U+200B>n<U+0020>', reason: 'e<U+202E>txt' } });
  });

  test('a record keeps its own fields only, and none of another shape', () => {
    const record = sampleEventRecord(1, 'x:0', { fields: { by: 'ann' } });
    expect(parseRecord({ ...record, html: '<b>', fields: { by: 'ann', inner: { deep: 1 } } })).toEqual(record);
    for (const wrong of [null, 7, 'x', [], { type: 'event' }, { ...record, n: -1 }, { ...record, actor: {} }])
      expect(parseRecord(wrong)).toBeNull();
    const state = sampleStateRecord(1, 'x:0');
    let deep: unknown = 'x';
    for (let i = 0; i < 100; i++) deep = { deep };
    expect(JSON.stringify(parseRecord({ ...state, value: deep })).length).toBeLessThan(1_000);
    expect(parseRecord({ ...state, status: 'dancing' })).toBeNull();
  });
});

test('the stream is parsed whatever its pieces are', () => {
  const text = ': hello\n\nevent: start\r\ndata: {"a":1}\r\n\r\nid: 4\nevent: record\ndata: 1\ndata: 2\n\ndata: ö\n\n';
  const events = [
    { type: 'start', data: '{"a":1}' },
    { type: 'record', data: '1\n2' },
    { type: 'message', data: 'ö' },
  ];
  for (const size of [1, 2, 3, 7, 1_000]) {
    const parser = new EventStreamParser();
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
      text.slice(i * size, (i + 1) * size),
    );
    expect(pieces.flatMap((piece) => parser.push(piece))).toEqual(events);
  }
});

/** A session with a link, a turn below it, and a call with its worker. */
const turnTree = [
  sampleActorRecord(1, 'x:0', { name: 'session', chart: 'session', node: null }),
  sampleActorRecord(2, 'x:1', { name: 'link', chart: null, node: 'turn_1', value: null }),
  sampleActorRecord(3, 'x:2', { parent: 'x:1', node: 'turn_1', context: { owner: 'ann', depth: 0 } }),
  sampleActorRecord(4, 'x:3', {
    parent: 'x:2',
    name: 'tool',
    chart: 'tool-call',
    node: 'call_1',
    context: { owner: 'ann', name: 'shell' },
  }),
  sampleActorRecord(5, 'x:4', { parent: 'x:3', name: 'work', chart: null, node: null, value: null }),
];

describe('the rows', () => {
  test('of the tree leave links out, and workers that have ended', () => {
    const history = filled([...turnTree]);
    const rows = () => treeRows(history.head, { collapsed: new Set(), clearedAt: null });
    expect(rows().map(({ level, kind, title, owner }) => [level, kind, title, owner])).toEqual([
      [1, 'session', 's', null],
      [2, 'turn', 'turn', 'ann'],
      [3, 'call', 'shell', null],
      [4, 'worker', 'work', null],
    ]);
    history.push(sampleStateRecord(6, 'x:4', { status: 'done', value: null }));
    history.push(sampleStateRecord(7, 'x:3', { status: 'done', value: 'gone', context: { name: 'shell' } }));
    expect(rows().map(({ title, isEnded }) => [title, isEnded])).toEqual([
      ['s', false],
      ['turn', false],
      ['shell', true],
    ]);
    expect(treeRows(history.head, { collapsed: new Set(), clearedAt: 1_007 })).toHaveLength(2);
    expect(treeRows(history.head, { collapsed: new Set(['x:0']), clearedAt: null })).toHaveLength(1);
    expect(defaultActor(history.head)?.id).toBe('x:2');
    expect(findActor(history.head, 'turn_1')?.id, 'not the link').toBe('x:2');
  });

  test('of the events name the session or the turn in the place of a link, and leave out what it passes on', () => {
    const history = filled([
      ...turnTree,
      sampleEventRecord(6, 'x:1', { event: 'CANCEL', from: 'x:0' }),
      sampleEventRecord(7, 'x:2', { event: 'CANCEL', from: 'x:1' }),
      sampleEventRecord(8, 'x:3', { event: 'CANCEL', from: 'x:2' }),
      sampleEventRecord(9, 'x:4', { event: 'xstate.promise.resolve', from: 'x:4' }),
      sampleEventRecord(10, 'x:0', { event: 'OUTCOME', from: 'x:1' }),
    ]);
    const all: EventFilter = { actor: null, tree: null, type: '', withInternal: false };
    const eventsOf = (filter: Partial<EventFilter>) =>
      new EventIndex(history, { ...all, ...filter }).readPlaces().flatMap((place) => {
        const record = history.recordAt(place);
        return record?.type === 'event' ? [`${history.senderOf(record)} ${record.event} ${record.actor}`] : [];
      });
    expect(eventsOf({})).toEqual(['x:0 CANCEL x:2', 'x:2 CANCEL x:3', 'x:2 OUTCOME x:0']);
    expect(eventsOf({ type: 'out' })).toEqual(['x:2 OUTCOME x:0']);
    expect(eventsOf({ actor: 'x:3' })).toEqual(['x:2 CANCEL x:3']);
    expect(eventsOf({ tree: 'x:3', withInternal: true })).toEqual(['x:2 CANCEL x:3', 'x:4 xstate.promise.resolve x:4']);
  });

  test('of the events are read once, and follow the ring', () => {
    const history = new RecordHistory({ capacity: 100, chunkSize: 10 });
    const index = new EventIndex(history, { actor: null, tree: null, type: '', withInternal: false });
    for (let n = 1; n <= 1_000; n++) {
      history.push(n % 2 === 0 ? sampleEventRecord(n, 'x:0') : sampleStateRecord(n, 'x:0'));
      if (n % 7 === 0) index.readPlaces();
    }
    const places = index.readPlaces();
    expect(places[0]).toBeGreaterThanOrEqual(history.oldest);
    expect(places).toHaveLength(Math.ceil((history.newest - history.oldest) / 2));
  });
});
