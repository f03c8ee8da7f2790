// HTTP requests and upgrades that are malformed, or not allowed: each gets a status and a sentence, and its connection ends.
import { expect, test } from 'vitest';
import { useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { type AttackedGateway, halvesOf, partOf, underAttack } from './attacked-gateway.ts';
import { type BadRequest, badRequests } from './bad-requests.ts';
import { RawSocket } from './raw-socket.ts';

const endpoint = useEndpoint();
const cases = partOf(badRequests, 70);
const atOnce = 16;

test('there are at least 200 of them', () => {
  expect(badRequests.length).toBeGreaterThan(200);
});

const title = `${cases.length} bad requests, each refused by its status [ws.protocol] [ws.auth] [ws.limits]`;
test(title, { timeout: scaled(60_000) }, () =>
  underAttack(endpoint, halvesOf(cases).map(send), { limits: { helloMs: scaled(1_500) } }),
);

const send = (mine: readonly BadRequest[]) => async (gateway: AttackedGateway) => {
  const wrong: string[] = [];
  for (let from = 0; from < mine.length; from += atOnce) {
    const found = await Promise.all(mine.slice(from, from + atOnce).map((each) => whatIsWrong(gateway, each)));
    wrong.push(...found.filter((sentence) => sentence !== null));
  }
  expect(wrong).toEqual([]);
};

/** Sends a request. Resolves with what is wrong about its response; null: nothing. */
async function whatIsWrong(
  { port }: AttackedGateway,
  { what, text, status, says }: BadRequest,
): Promise<string | null> {
  const raw = new RawSocket(port);
  try {
    raw.write(Buffer.from(text, 'latin1'));
    const response = await raw.response();
    if (!response) return `${what}: no response`;
    await until(() => raw.end, { ms: 10_000, what: `the end after ${what}` });
    if (!status.includes(response.status)) return `${what}: ${response.status}, not ${status.join(' or ')}`;
    if (says && !says.test(`${response.head}\r\n\r\n${response.body}`))
      return `${what}: ${response.head} ${response.body}`;
    return null;
  } finally {
    raw.destroy();
  }
}
