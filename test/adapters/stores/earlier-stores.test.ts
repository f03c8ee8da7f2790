// Stores that earlier commits wrote: each opens, replays, renders and is recovered. See the README beside each of them.
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FactOf, FactType, RecordedFact } from '../../../machines/facts.ts';
import { type CauseSource, causeSources, effects, outcomeKinds } from '../../../machines/vocabulary.ts';
import { createScriptedProvider, type Script, type ScriptedProvider } from '../../../src/adapters/models/scripted.ts';
import { systemProcesses } from '../../../src/adapters/processes/system-processes.ts';
import { createSqliteLog } from '../../../src/adapters/stores/sqlite.ts';
import { blobIdOf } from '../../../src/core/contracts/blobs.ts';
import type { Log } from '../../../src/core/contracts/log.ts';
import { createLocalRuntime } from '../../../src/core/runtime/runtime.ts';
import type { Caller, Runtime } from '../../../src/core/session/api.ts';
import { systemSources } from '../../../src/core/sources/system.ts';
import { searchWords } from '../../../src/core/text/search-words.ts';
import { recover } from '../../../src/core/transcript/recover.ts';
import { render } from '../../../src/core/transcript/render.ts';
import { createRecorder, type Recorder } from '../../../src/testing/recorder.ts';
import { broken, unclosed } from '../../core/transcript/judge.ts';
import { pairingProblems } from '../../support/message-pairing.ts';
import { newStorePath } from '../../support/store-path.ts';
import { until } from '../../support/until.ts';

const stores = join(import.meta.dirname, '..', '..', 'fixtures', 'stores');

/** The stored texts of each session of a store, in the order of their sequence numbers. */
function linesOf(commit: string): ReadonlyMap<string, readonly string[]> {
  const folder = join(stores, commit, 'facts');
  return new Map(
    readdirSync(folder).map((file) => [
      file.replace(/\.jsonl$/, ''),
      readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'),
    ]),
  );
}

const factsOf = (lines: readonly string[]): readonly RecordedFact[] =>
  lines.map((line) => JSON.parse(line) as RecordedFact);
const asLines = (values: readonly unknown[]): readonly string[] => values.map((value) => JSON.stringify(value));

/** The current log on a copy of the store. */
function openCopy(commit: string): Log {
  const path = newStorePath();
  copyFileSync(join(stores, commit, 'store.sqlite'), path);
  const log = createSqliteLog({ path });
  onTestFinished(() => log.close());
  return log;
}

async function startOnCopy(
  commit: string,
  respond: () => Script = () => ({ steps: [{ text: 'Going on.' }] }),
): Promise<{ readonly runtime: Runtime; readonly log: Log; readonly provider: ScriptedProvider }> {
  const log = openCopy(commit);
  const provider = createScriptedProvider({
    clock: systemSources.clock,
    respond: ({ messages }) => {
      expect(pairingProblems(messages)).toEqual([]);
      return respond();
    },
  });
  const runtime = await createLocalRuntime({
    acknowledge: 'off',
    log,
    provider,
    processes: systemProcesses,
    warn: (message, error) => expect([message, error]).toEqual([]),
  });
  onTestFinished(() => runtime.close());
  return { runtime, log, provider };
}

const ann: Caller = { speaker: { id: 'ann', roles: ['member'] }, connection: 'connection-of-ann' };

/** The facts of a session as a client gets them that joins from the beginning. */
async function replayed(runtime: Runtime, session: string): Promise<readonly RecordedFact[]> {
  const recorder = createRecorder();
  await runtime.join(session, ann, recorder.listener, 0);
  return recorder.facts;
}

const turnsIn = (facts: readonly RecordedFact[]): ReadonlySet<string> =>
  new Set(facts.flatMap((fact) => (fact.type === 'turn_opened' || fact.type === 'turn_started' ? [fact.turn] : [])));

/** What recovery closes in the session `killed` of each store. */
const openInKilled: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  ee82db5: { approvals: 1, questions: 1, replies: 1, receipts: 1, runOn: 1, abandoned: 1 },
  e6741da: { approvals: 1, questions: 1, replies: 1, receipts: 1, runOn: 0, abandoned: 0 },
};

/** Resolves with the end of the turn that a reply has opened. */
const endOf = (recorder: Recorder, reply: { readonly type: string; readonly turn?: string }) =>
  until(() => recorder.of('turn_ended').find(({ turn }) => reply.type === 'turn_opened' && turn === reply.turn), {
    what: 'the end of the turn',
  });

describe.each(readdirSync(stores))('the store that %s wrote', (commit) => {
  const sessions = linesOf(commit);
  const whole = [...sessions].filter(([session]) => session !== 'killed');
  const killed = factsOf(sessions.get('killed') ?? []);

  test('opens, and holds byte by byte what was written [store.durable]', async () => {
    const log = openCopy(commit);
    expect(await log.orphaned()).toEqual(['killed']);
    for (const [session, lines] of sessions) {
      const events = await log.read(session, 0);
      expect(asLines(events.map(({ body }) => body))).toEqual(lines);
      expect(events.map(({ seq }) => seq)).toEqual(lines.map((_, i) => i + 1));
      expect((await log.head(session)).last).toBe(lines.length);
    }
  });

  test('has a table for blobs from now on [model.parts]', async () => {
    const { blobs } = openCopy(commit);
    const data = Buffer.from('an image');
    const limits = { blobBytes: 100, sessionBlobBytes: 100, storeBlobBytes: 100 };
    await blobs?.put('killed', [{ id: blobIdOf(data), data }], limits);
    expect(await blobs?.read('killed', blobIdOf(data))).toEqual(new Uint8Array(data));
  });

  test('replays every session to a listener, fact by fact [store.durable]', async () => {
    const { runtime } = await startOnCopy(commit);
    for (const [session, lines] of sessions) {
      const facts = await replayed(runtime, session);
      expect(asLines(facts.slice(0, lines.length))).toEqual(lines);
      if (session !== 'killed') expect(facts).toHaveLength(lines.length);
    }
  });

  test.each([...sessions.keys()])('renders every turn at every prefix of %s [history.paired]', (session) => {
    const facts = factsOf(sessions.get(session) ?? []);
    for (let length = 0; length <= facts.length; length++) {
      const prefix = facts.slice(0, length);
      for (const turn of turnsIn(prefix))
        expect(pairingProblems(render(prefix, { turn, instructions: 'x' })), `${length} facts, ${turn}`).toEqual([]);
    }
  });

  test('keeps the rules in every session, and has closed all but the one that was killed [history.paired]', () => {
    for (const [, lines] of whole) expect([...broken(factsOf(lines)), ...unclosed(factsOf(lines))]).toEqual([]);
    expect(broken(killed)).toEqual([]);
    expect(unclosed(killed)).not.toEqual([]);
    for (const [, lines] of whole) expect(recover(factsOf(lines))).toEqual([]);
  });

  test('is recovered: what was open is closed, and folding again adds nothing [store.durable]', () => {
    const missing = recover(killed);
    const closed = [...killed, ...missing];
    expect([...broken(closed), ...unclosed(closed)]).toEqual([]);
    expect(recover(closed)).toEqual([]);
    const count = (type: FactType) => missing.filter((fact) => fact.type === type).length;
    expect({
      approvals: count('approval_closed'),
      questions: count('question_closed'),
      replies: count('model_ended'),
      receipts: count('cancel_settled'),
      runOn: count('late_result'),
      abandoned: count('abandoned_ended'),
    }).toEqual(openInKilled[commit]);
    expect(missing.at(-1)).toMatchObject({ type: 'session_recovered' });
  });

  test('is recovered at every prefix of every session [store.durable]', () => {
    for (const [, lines] of sessions) {
      const facts = factsOf(lines);
      for (let length = 0; length <= facts.length; length++) {
        const prefix = facts.slice(0, length);
        const closed = [...prefix, ...recover(prefix)];
        expect([...broken(closed), ...unclosed(closed), ...recover(closed)]).toEqual([]);
      }
    }
  });

  test.each([...sessions.keys()])(
    'is taken up by a runtime: the next turn of %s completes [store.durable] [history.paired]',
    async (session) => {
      const { runtime, log } = await startOnCopy(commit);
      const recorder = createRecorder();
      await runtime.join(session, ann, recorder.listener, null);
      const reply = await runtime.say(session, ann, { text: 'and now?' });
      expect((await endOf(recorder, reply)).outcome).toBe('completed');
      await runtime.close();
      const facts = (await log.read(session, 0)).map(({ body }) => body as RecordedFact);
      expect([...broken(facts), ...unclosed(facts), ...recover(facts)]).toEqual([]);
    },
  );

  test('is listed, shown page by page, and exported, fact by fact [store.durable]', async () => {
    const { runtime } = await startOnCopy(commit);
    const directory = await runtime.directory();
    const listed = await directory.list(ann, { after: null, limit: 100, action: 'read', state: null });
    expect(listed.sessions.map(({ session }) => session)).toEqual([...sessions.keys()].sort());
    for (const [session, lines] of whole) {
      const page = { after: 0, before: null, limit: lines.length };
      const shown = await directory.readFacts(ann, session, page);
      expect(asLines(shown.map(({ fact }) => fact))).toEqual(lines);
      const exported: string[] = [];
      for await (const { fact } of (await runtime.exportSession(session, ann)) ?? [])
        exported.push(JSON.stringify(fact));
      expect(exported).toEqual(lines);
    }
  });

  test('is listed at once, the newest first, and indexed soon after [list.find]', async () => {
    const log = openCopy(commit);
    const newest = { order: 'newest', among: null } as const;
    const all = (await log.findSessions?.({ ...newest, turn: null }, null, 100))?.found ?? [];
    const lastAt = ([session, lines]: readonly [string, readonly string[]]) => ({
      session,
      at: factsOf(lines).at(-1)?.at ?? 0,
    });
    const byTime = [...sessions].map(lastAt).sort((a, b) => b.at - a.at || (a.session < b.session ? 1 : -1));
    expect(all.map(({ session, at }) => ({ session, at }))).toEqual(byTime);
    const said = whole.flatMap(([session, lines]) =>
      factsOf(lines).flatMap((fact) => (fact.type === 'turn_opened' && fact.text ? [{ session, fact }] : [])),
    );
    expect(said.length).toBeGreaterThan(0);
    for (const { session, fact } of said) {
      const turn = { words: searchWords(fact.text), speaker: fact.owner, since: fact.at, until: fact.at + 1 };
      const found = () =>
        until(async () => {
          const page = await log.findSessions?.({ ...newest, turn }, null, 100);
          return page?.found.find((one) => one.session === session);
        });
      expect((await found()).lastTurn).not.toBeNull();
    }
  });

  test.each(whole.map(([session]) => session))('takes a CANCEL in the session %s [store.durable]', async (session) => {
    const { runtime, provider } = await startOnCopy(commit, () => ({ steps: [{ hang: true }] }));
    const recorder = createRecorder();
    await runtime.join(session, ann, recorder.listener, null);
    const reply = await runtime.say(session, ann, { text: 'and now?' });
    await until(() => provider.requests.length > 0, { what: 'a request of the model' });
    expect(await runtime.cancel(session, ann, { target: 'mine' })).toMatchObject({ type: 'cancel_accepted' });
    expect((await endOf(recorder, reply)).outcome).toBe('cancelled');
  });

  test('resumes each turn of its speaker that was interrupted, once [store.durable] [history.paired]', async () => {
    const { runtime } = await startOnCopy(commit);
    for (const [session, lines] of whole) {
      const facts = factsOf(lines);
      const said = new Map(
        facts.flatMap((fact) => (fact.type === 'turn_opened' && fact.kind === 'say' ? [[fact.turn, fact]] : [])),
      );
      const resumed = new Set([...said.values()].map(({ resumes }) => resumes));
      const recorder = createRecorder();
      await runtime.join(session, ann, recorder.listener, null);
      for (const fact of facts) {
        const opened = fact.type === 'turn_ended' ? said.get(fact.turn) : undefined;
        if (fact.type !== 'turn_ended' || !opened || fact.outcome === 'completed' || resumed.has(fact.turn)) continue;
        const caller = { speaker: { id: opened.owner, roles: ['member' as const] }, connection: `of-${opened.owner}` };
        const reply = await runtime.resume(session, caller, { turn: fact.turn });
        expect((await endOf(recorder, reply)).outcome).toBe('completed');
        expect(await runtime.resume(session, caller, { turn: fact.turn })).toMatchObject({ code: 'already_resumed' });
      }
    }
  });
});

describe('the store that e6741da wrote', () => {
  const facts = [...linesOf('e6741da').values()].flatMap(factsOf);
  const find = <T extends FactType>(type: T, fields: Partial<FactOf<T>>) =>
    facts.find(
      (fact) =>
        fact.type === type &&
        Object.entries(fields).every(([name, value]) => fact[name as keyof typeof fact] === value),
    );

  test('holds what the store of ee82db5 has not: words to a running turn, members, delegations, decisions', () => {
    for (const fate of ['consumed', 'cancelled'] as const) expect(find('input_settled', { fate })).toBeDefined();
    for (const type of ['member_invited', 'stop_delegated', 'cancel_decided', 'cancel_refused'] as const)
      expect(find(type, {})).toBeDefined();
    expect(find('tool_result', { outcome: 'abandoned', effect: 'unknown' })).toBeDefined();
    expect(facts.some((fact) => fact.type === 'turn_opened' && fact.resumes !== undefined)).toBe(true);
  });
});

describe('the store that ee82db5 wrote', () => {
  const facts = [...linesOf('ee82db5').values()].flatMap(factsOf);

  test('holds every fact type of that time', () => {
    const types: Record<
      Exclude<
        FactType,
        | 'session_configured'
        | 'speech_queued'
        | 'speech_started'
        | 'speech_ended'
        | 'imported'
        | 'cancel_unmatched'
        | 'cancel_decided'
        | 'model_state'
        | 'model_error'
        | 'turns_left_out'
        | 'member_invited'
        | 'member_removed'
        | 'invite_created'
        | 'invite_secret'
        | 'invite_revoked'
        | 'stop_delegated'
        | 'tool_timeout_set'
        | 'session_renamed'
        | 'acknowledged'
        | 'input_deferred'
        | 'input_settled'
        | 'reaction'
        | 'earcon'
        | 'speech_cut'
        | 'transcript_dropped'
      >,
      true
    > = {
      session_opened: true,
      turn_opened: true,
      turn_started: true,
      model_started: true,
      text_checkpoint: true,
      model_ended: true,
      tool_call: true,
      tool_started: true,
      process_started: true,
      tool_changed: true,
      approval_requested: true,
      approval_closed: true,
      question_asked: true,
      question_closed: true,
      tool_timeout: true,
      history_compacted: true,
      tool_result: true,
      late_result: true,
      abandoned_ended: true,
      turn_ended: true,
      cancel_accepted: true,
      cancel_refused: true,
      cancel_settled: true,
      session_recovered: true,
    };
    expect(new Set(facts.map(({ type }) => type))).toEqual(new Set(Object.keys(types)));
  });

  test('holds every outcome and effect of a call, and every cause that could be recorded', () => {
    const results = facts.filter((fact) => fact.type === 'tool_result');
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(outcomeKinds));
    expect(new Set(results.map(({ effect }) => effect))).toEqual(new Set(effects));
    const unwritten: readonly CauseSource[] = ['phrase', 'http', 'crash', 'model'];
    const sources = facts.flatMap((fact) => (fact.type === 'cancel_accepted' ? [fact.source] : []));
    expect(new Set(sources)).toEqual(new Set(causeSources.filter((source) => !unwritten.includes(source))));
  });
});
