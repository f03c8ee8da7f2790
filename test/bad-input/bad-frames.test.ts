// Bad frames: each is refused by name and has no effect, and other clients are served as before.
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { keysAt } from '../../src/core/text/schema-issue.ts';
import { clientSchemas } from '../../src/wire/client-frames.ts';
import { Dice } from '../support/dice.ts';
import { useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';
import {
  type AttackedGateway,
  growthWithLeak,
  isWhole,
  joinAs,
  maxGrowthMB,
  partOf,
  underAttack,
} from './attacked-gateway.ts';
import { type BadFrame, badFrames, generateBadFrame } from './bad-frames.ts';
import { fieldCases } from './bad-values.ts';

const endpoint = useEndpoint();
const seed = 20_260_118;
const dice = new Dice(seed);
const generated = Array.from({ length: 900 }, () => generateBadFrame(dice));
const cases = [...partOf(badFrames, 300), ...partOf(generated, 100)];
/** Fewer than the errors after which a connection is closed. */
const casesPerConnection = 18;

test('every field of every frame is in the table', () => {
  const inSchemas = [...clientSchemas].map(([type, schema]) => [type, keysAt(schema, []).toSorted()]);
  const inTable = Object.entries(fieldCases).map(([type, cases]) => [type, ['type', ...Object.keys(cases)].toSorted()]);
  expect(Object.fromEntries(inTable)).toEqual(Object.fromEntries(inSchemas));
});

test('there are at least 2 000 of them', () => {
  expect(badFrames.length).toBeGreaterThan(2_000);
  expect(new Set(badFrames.map(({ message }) => message)).size).toBeGreaterThan(1_900);
});

/** Two halves of the same kind. */
const halves = [0, 1].map((half) => cases.filter((_, i) => i % 2 === half));

const attack = halves.map((half, i) => async (gateway: AttackedGateway) => {
  for (let from = 0; from < half.length; from += casesPerConnection)
    await sendBatch(gateway, half.slice(from, from + casesPerConnection));
  if (i === 1) await expectNoEffect(gateway);
});

const title = `${cases.length} bad frames, each refused by its name [ws.protocol] [ws.limits] [access.share]`;
test(title, { timeout: scaled(60_000) }, () => underAttack(endpoint, attack));

test.runIf(isWhole)(
  'a gateway that kept all that it receives would break the bound',
  { timeout: scaled(60_000) },
  async () => {
    expect(await growthWithLeak(endpoint, attack)).toBeGreaterThan(maxGrowthMB);
  },
);

/** Sends the frames over one connection, one by one, and checks the reply to each. */
async function sendBatch(gateway: AttackedGateway, batch: readonly BadFrame[]): Promise<void> {
  const client = await joinAs(gateway, 'bad', 'pit');
  for (const { what, message, refusal } of batch) {
    client.frames.length = 0;
    const replied = once(client.socket, 'message', { signal: AbortSignal.timeout(scaled(5_000)) });
    client.send(message);
    await replied.catch((cause) => {
      throw new Error(`No reply to ${what}`, { cause });
    });
    const [reply = { type: 'none' }] = client.frames;
    const { message: sentence, session: _, target: __, ...named } = reply;
    expect(named, what).toEqual(refusal);
    if (refusal.code !== undefined) expect(sentence, what).toMatch(/^.{10,300}[.?]$/s);
  }
  client.frames.length = 0;
  client.send({ type: 'PING', ref: 'last' });
  await client.waitFor('pong', { ref: 'last' });
  expect(client.frames, 'one reply to each').toHaveLength(1);
  client.socket.close();
}

/** Nothing of it is in the log of their session. */
async function expectNoEffect(gateway: AttackedGateway): Promise<void> {
  const client = await joinAs(gateway, 'worse', 'pit', 0);
  await client.waitFor('replayed');
  expect(client.frames.filter(({ seq, at }) => seq !== undefined && at !== undefined)).toMatchObject([
    { type: 'session_opened', by: 'bad' },
  ]);
}
