// Support of the journeys: an endpoint for each file, conditions to wait for, and the checks at the end of a journey.
import { afterAll, beforeAll, expect } from 'vitest';
import type { RecordedFact } from '../../machines/facts.ts';
import { withheldFacts } from '../../src/wire/withheld-facts.ts';
import { living } from '../adapters/processes/processes.ts';
import { broken, unclosed } from '../core/transcript/judge.ts';
import { type Belay, type OpenBelay, room } from './belay.ts';
import { type LoggedRequest, type Rule, type ScriptedCall, startEndpoint, type TestEndpoint } from './endpoint.ts';
import { markedProcesses } from './marked-processes.ts';
import { factsOf, joinRoom, type Witness } from './room-clients.ts';
import { storedFacts } from './stored-facts.ts';
import { until } from './until.ts';

const followUp = 'and on';

/** An endpoint for the tests of a file, which run one after the other. */
export function useEndpoint(): TestEndpoint {
  let endpoint: TestEndpoint | null = null;
  let since = 0;
  const started = (): TestEndpoint => {
    if (!endpoint) throw new Error('the endpoint exists from beforeAll to afterAll only');
    return endpoint;
  };
  beforeAll(async () => {
    endpoint = await startEndpoint();
  });
  afterAll(() => endpoint?.close());
  return {
    get url() {
      return started().url;
    },
    get pid() {
      return started().pid;
    },
    async script(rules) {
      since = (await started().requests()).at(-1)?.n ?? -1;
      const followUpRule: Rule = { when: { user: followUp }, reply: { text: 'Going on.' } };
      await started().script([followUpRule, ...rules]);
    },
    release: () => started().release(),
    /** The requests since the last script. */
    requests: async () => (await started().requests()).filter(({ n }) => n > since),
    close: () => started().close(),
  };
}

/** The status and the end of each request at the endpoint: `200 finished`, `200 closed_by_client`. */
export const requestEnds = (requests: readonly LoggedRequest[]): string[] =>
  requests.map(({ status, ended }) => `${status} ${ended?.how ?? 'open'}`);

/** Resolves when the endpoint has received that many requests, and the last one hangs after all of its text was sent. */
export const untilHanging = ({ endpoint }: Belay, count = 1): Promise<boolean> =>
  until(
    async () => {
      const requests = await endpoint.requests();
      return requests.length === count && requests.at(-1)?.hanging;
    },
    { what: `the request ${count} to hang` },
  );

/** Resolves when every request at the endpoint has ended. */
export const untilAllEnded = ({ endpoint }: Pick<Belay, 'endpoint'>): Promise<boolean> =>
  until(async () => (await endpoint.requests()).every(({ ended }) => ended !== null), {
    what: 'every request to have ended',
  });

/** A call of `shell`, in one of the folders. */
export const shellCall = (command: string, cwd?: string): ScriptedCall => ({
  name: 'shell',
  arguments: { command, ...(cwd !== undefined && { cwd }) },
});

/** Resolves when a process with the token in its command line is alive. */
export const untilRunning = (token: string): Promise<boolean> =>
  until(() => living(token).length > 0, { ms: 10_000, what: 'the command to run' });

/** The tool messages of a request. */
export const toolMessages = (request: LoggedRequest | undefined): string[] =>
  (request?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content));

/** Reads the facts of the room in the store, without the gateway. */
export const factsOfRoom = ({ store }: Belay): readonly RecordedFact[] => storedFacts(store, room);

export interface Journey {
  readonly witness: Witness;
  /** The status and the end of each request that the journey made. */
  readonly before: readonly string[];
  /** Reports of the gateway that the journey expects. */
  readonly warnings?: readonly unknown[];
}

/**
 * Checks the end of a journey: the next request is accepted, and it is the only one after the cut; nothing is alive,
 * no process is left; the history is sound, and the witness has received all of it, in order. Resolves with the requests.
 */
export async function expectSound(
  belay: Belay & Partial<Pick<OpenBelay, 'warnings'>>,
  { witness, before, warnings = [] }: Journey,
): Promise<readonly LoggedRequest[]> {
  const { endpoint } = belay;
  await untilAllEnded(belay);
  expect(requestEnds(await endpoint.requests()), 'the requests of the journey').toEqual(before);
  const client = await joinRoom(belay, 'ann');
  expect(await client.session.say(followUp).ended, 'the next turn').toMatchObject({ outcome: 'completed' });
  expect(requestEnds(await endpoint.requests()), 'one more request, which is accepted').toEqual([
    ...before,
    '200 finished',
  ]);

  const facts = factsOfRoom(belay);
  expect([...broken(facts), ...unclosed(facts)], 'the stored history').toEqual([]);
  const calls = facts.flatMap((fact) => (fact.type === 'tool_call' ? [fact.node] : []));
  expect(markedProcesses(calls), 'processes of calls').toEqual([]);
  const lateClient = await joinRoom(belay, 'bob');
  expect((await lateClient.session.joined).nodes, 'the live nodes').toEqual([]);
  await expectReceived(witness, facts);
  expect(belay.warnings ?? [], 'reports').toEqual(warnings);
  return endpoint.requests();
}

/** Expects every fact once and in order, no text of a stopped turn after its acceptance, and no text of a turn after its end. */
async function expectReceived(witness: Witness, facts: readonly RecordedFact[]): Promise<void> {
  const { frames } = witness;
  const withheld: readonly string[] = withheldFacts;
  const published = facts.flatMap(({ type }, i) => (withheld.includes(type) ? [] : [`${i + 1} ${type}`]));
  await until(() => (factsOf(frames).at(-1)?.seq ?? 0) >= facts.length, {
    what: 'the witness to receive the last fact',
  });
  expect(factsOf(frames).map(({ seq, type }) => `${seq} ${type}`)).toEqual(published);
  const over = new Set<string>();
  for (const frame of frames) {
    if (frame.type === 'text_delta') expect([...over], 'text after its cut or end').not.toContain(frame.turn);
    if (frame.type === 'cancel_accepted') for (const node of frame.stopping) over.add(node);
    if (frame.type === 'turn_ended') over.add(frame.turn);
  }
}
