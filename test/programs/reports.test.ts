// The folds of the on-call commands over stores of earlier versions, which they read without changing them.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RecordedFact, SequencedFact } from '../../machines/facts.ts';
import { StoreReader } from '../../src/adapters/stores/store-reader.ts';
import { cancelsOf } from '../../src/core/reports/cancel-report.ts';
import { nodesOf } from '../../src/core/reports/node-report.ts';
import { sessionReport } from '../../src/core/reports/session-report.ts';
import { cancelLines, nodeText, stoppedLines } from '../../src/programs/report-lines.ts';
import { callsOnce, type Harness, startHarness } from '../support/harness.ts';

/** The facts of a session, as a version would have stored them that took such names. */
function readFacts({ recorder }: Harness): readonly SequencedFact[] {
  const text = JSON.stringify(recorder.facts)
    .replaceAll('"alice"', '" e\u202eve"')
    .replaceAll('"wait"', '"sh\u200bell"');
  return (JSON.parse(text) as readonly RecordedFact[]).map((fact, i) => ({ seq: i + 1, fact }));
}

const stores = join(import.meta.dirname, '..', 'fixtures', 'stores');

test.each(readdirSync(stores))('a store of %s is read as it is', (commit) => {
  const folder = mkdtempSync(join(tmpdir(), 'belay-reports-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'store.sqlite');
  copyFileSync(join(stores, commit, 'store.sqlite'), path);
  const before = readFileSync(path);
  const store = new StoreReader(path);
  const sessions = store.sessions();
  expect(sessions.length).toBeGreaterThan(0);
  for (const { session, last } of sessions) {
    const facts = [...store.facts(session)];
    expect(facts.at(-1)?.seq).toBe(last);
    expect([...store.blobs(session)].every(({ data }) => data.length > 0)).toBe(true);
    const count = (type: string) => facts.filter(({ fact }) => fact.type === type).length;
    const cancels = cancelsOf(facts);
    expect(cancels).toHaveLength(count('cancel_accepted') + count('cancel_refused'));
    expect(cancels.filter(({ state }) => state === 'settled')).toHaveLength(count('cancel_settled'));
    expect(sessionReport(session, facts)).toMatchObject({ turns: count('turn_opened'), lastSeq: last });
    const lines = [
      ...cancels.flatMap((cancel) => [...cancelLines(session, cancel), ...stoppedLines(cancel)]),
      ...[...nodesOf(facts).values()].map((node) => nodeText(node, false)),
    ];
    expect(lines.filter((line) => /undefined|NaN|null|Invalid/.test(line))).toEqual([]);
  }
  store.close();
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a fork is reported with its source and as old as its FORK [fork.doors]', async () => {
  const h = await startHarness();
  const turn = await h.say('words');
  await h.clock.advance(5_000);
  const forked = await h.runtime.forkSession('s', h.alice, { turn, to: 'copy' });
  const facts = (await h.log.read('copy', 0)).map(({ seq, body }) => ({ seq, fact: body as RecordedFact }));
  expect(forked).toMatchObject({ type: 'forked' });
  expect(sessionReport('copy', facts)).toMatchObject({
    owner: 'alice',
    forkedFrom: { session: 's', turn },
    turns: 1,
    openedAt: h.clock.now(),
    lastAt: h.clock.now(),
    open: [],
  });
  expect(sessionReport('s', readFacts(h))).toMatchObject({ forkedFrom: null });
});

test('names in the tables of cancels, nodes and sessions have what cannot be seen written out [access.names]', async () => {
  const h = await startHarness({ respond: callsOnce(['wait']) });
  const turn = await h.say('words');
  await h.clock.advance(10);
  const open = readFacts(h);
  await h.cancel({ target: turn });
  await h.clock.advance(1_000);
  const [cancel] = cancelsOf(readFacts(h));
  const nodes = [...nodesOf(open).values()].map((node) => nodeText(node, false));
  const lines = cancel ? [...nodes, ...cancelLines('s', cancel), ...stoppedLines(cancel)] : [];
  expect(lines.join('\n')).not.toMatch(/[\u202e\u200b]/);
  expect(lines[0]).toContain(' of <U+0020>e<U+202E>ve: running');
  expect(lines).toContainEqual(expect.stringContaining(`<U+0020>e<U+202E>ve stopped turn (${turn})`));
  expect(lines).toContainEqual(expect.stringMatching(/sh<U\+200B>ell call_1 of <U\+0020>e<U\+202E>ve: stopped in/));
});

test('what is no store is refused by name', () => {
  expect(() => new StoreReader(join(stores, 'nothing.sqlite'))).toThrow('There is no file');
  expect(() => new StoreReader(import.meta.filename)).toThrow(/is no store|cannot be opened/);
});
