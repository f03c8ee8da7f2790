// Bad HTTP requests, made of the OpenAPI document: each is refused by name with what the document says, while a good client is served.
import { request } from 'node:http';
import { expect, test } from 'vitest';
import document from '../../docs/openapi.json' with { type: 'json' };
import { useEndpoint } from '../support/journey.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';
import { type AttackedGateway, halvesOf, partOf, tokenOfSpeaker, underAttack } from './attacked-gateway.ts';
import { type ApiDocument, type BadCall, badCallsOf } from './bad-calls.ts';
import { RawSocket } from './raw-socket.ts';

const endpoint = useEndpoint();
const all = badCallsOf(document as unknown as ApiDocument); // a test holds it valid
const cases = partOf(all, 120);
const fast = { framesPerSecond: 100_000, frameBurst: 100_000, cancelsPerSecond: 100_000 };
const unlimited = { ...fast, speakerBytesPerSecond: 100_000_000, speakerByteBurst: 100_000_000 };

interface Refused {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function send(
  { port }: AttackedGateway,
  { method, path, headers, body }: Omit<BadCall, 'what' | 'codes'>,
): Promise<Refused> {
  const { promise, resolve, reject } = Promise.withResolvers<Refused>();
  const authorization = `Bearer ${tokenOfSpeaker('bad')}`;
  const sent = request({ host: '127.0.0.1', port, method, path, headers: { ...headers, authorization } });
  sent.on('error', reject);
  sent.on('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const [type = ''] = response.headers['content-type']?.split(';', 1) ?? [];
      resolve({ status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString() });
    });
  });
  sent.end(body);
  return promise;
}

/** Resolves with what is wrong about the reply; null: nothing. */
async function whatIsWrong(gateway: AttackedGateway, bad: BadCall): Promise<string | null> {
  const { status, type, text } = await send(gateway, bad);
  if (type !== 'application/problem+json') return `${bad.what}: ${status} ${type} ${text.slice(0, 200)}`;
  const { code, field, detail } = JSON.parse(text);
  if (!bad.codes.includes(code)) return `${bad.what}: ${status} ${code} ${detail}, not ${bad.codes.join(' or ')}`;
  if (bad.field !== undefined && field !== bad.field) return `${bad.what}: names ${field}, not ${bad.field}`;
  if (text.length > 2_000) return `${bad.what}: a problem of ${text.length} characters`;
  return null;
}

const attack = (mine: readonly BadCall[]) => async (gateway: AttackedGateway) => {
  const wrong: string[] = [];
  for (const bad of mine) wrong.push((await whatIsWrong(gateway, bad)) ?? '');
  expect(wrong.filter((sentence) => sentence !== '')).toEqual([]);
};

test(
  `${cases.length} of ${all.length} bad requests are refused by name [http.api.errors]`,
  { timeout: scaled(60_000) },
  () => underAttack(endpoint, halvesOf(cases).map(attack), { limits: unlimited }),
);

test(
  'too many requests are refused by name, and nobody else is served worse [http.api.limits]',
  { timeout: scaled(30_000) },
  () =>
    underAttack(endpoint, [
      async (gateway) => {
        const ask = { method: 'GET', path: '/api/turns/active', headers: {} };
        const replies = await Promise.all(Array.from({ length: 400 }, () => send(gateway, ask)));
        const codes = replies
          .filter(({ status }) => status !== 200)
          .map(({ status, text }) => `${status} ${JSON.parse(text).code}`);
        expect(codes).toContain('429 rate_limited');
        expect(codes.filter((code) => !/^429 (rate_limited|too_many_unanswered)$/.test(code))).toEqual([]);
      },
    ]),
);

test('a body that does not come ends its connection [http.api.limits]', { timeout: scaled(30_000) }, () =>
  underAttack(
    endpoint,
    [
      async ({ port }) => {
        const slow = Array.from({ length: 20 }, () => new RawSocket(port));
        const lines = [
          'POST /api/sessions/pit/say HTTP/1.1',
          'Host: 127.0.0.1',
          `Authorization: Bearer ${tokenOfSpeaker('bad')}`,
        ];
        const head = [...lines, 'Content-Type: application/json', 'Content-Length: 60', '', '{"text":'].join('\r\n');
        for (const raw of slow) raw.write(Buffer.from(head));
        for (const raw of slow) await until(() => raw.end, { ms: 20_000, what: 'the end of a slow body' });
      },
    ],
    { limits: { helloMs: scaled(1_500) } },
  ),
);
