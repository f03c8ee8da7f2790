// Secrets of an MCP server's configuration that the server repeats: they reach no result, no output, no warning and no description.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createRedact, secretsOf } from '../../../src/adapters/mcp/server-secrets.ts';
import { programs } from '../processes/processes.ts';
import { playServer, resultOf } from './http-server.ts';
import { connected } from './mcp.ts';

const token = 'a-token-of-the-"server"/01';
const headers = { authorization: `Bearer ${token}`, 'x-tenant': 'tenant-number-7', 'x-on': '1' };

/** The headers of a request, as a careless server shows them. */
const shown = (request: { readonly headers: object }) => JSON.stringify(request.headers);

function expectNoSecret(value: unknown): void {
  const text = JSON.stringify(value);
  for (const part of ['a-token-of-the', 'tenant-number-7']) expect(text).not.toContain(part);
  expect(text).toContain('[secret]');
}

describe('a server that repeats its headers', () => {
  test('in a result and in progress shows no secret [access.secrets]', async () => {
    const { url } = await playServer({
      tools: {
        show: ({ event, id, answer }, request) => {
          const progressToken = 1;
          event({ method: 'notifications/progress', params: { progressToken, progress: 1, message: shown(request) } });
          event({
            method: 'notifications/progress',
            params: { progressToken: id, progress: 1, message: shown(request) },
          });
          answer(shown(request));
        },
      },
    });
    const { call } = await connected({ s: { url, headers } });
    const made = call('s__show');
    const end = await made.end;
    expectNoSecret(end);
    expect(JSON.stringify(made.outputs)).not.toContain('a-token-of-the');
  });

  test('in an error of HTTP shows no secret, to the call and in the warnings [access.secrets]', async () => {
    let state: 'open' | 'failing' = 'open';
    const server = await playServer({
      tools: { show: ({ answer }) => answer('ok') },
      before(request, response) {
        if (state === 'open') return false;
        response
          .writeHead(401, { 'content-type': 'text/plain' })
          .end(`bad credentials: ${request.headers.authorization}`);
        return true;
      },
    });
    const { call } = await connected({ s: { url: server.url, headers } });
    state = 'failing';
    expectNoSecret(await call('s__show').end);
    const late = await connected({ s: { url: server.url, headers } });
    expectNoSecret([late.warnings, late.mcp.states()]);
  });
});

test('a server on stdio that prints its key when it fails shows no secret', async () => {
  const program = 'console.error("Error: no access with " + process.env.API_KEY); process.exit(1)';
  const spec = { command: process.execPath, args: ['-e', program], env: { API_KEY: 'sk-key-of-a-server' } };
  const { warnings, mcp } = await connected({ s: spec });
  expect(warnings.join()).toContain('no access with [secret]');
  expect(JSON.stringify(mcp.states())).not.toContain('sk-key');
});

describe('a server that repeats its key', () => {
  const key = 'sk-key-of-a-server';
  const program = join(programs, 'mcp-careless-server.ts');
  const spec = { command: process.execPath, args: [program], env: { API_KEY: key } };

  test('beside a picture, or in a question, shows no secret [access.secrets]', async () => {
    const { call } = await connected({ s: spec });
    const { parts } = await call('s__picture').end;
    expect(parts?.map((part) => (part.type === 'text' ? part.text : part.type))).toEqual(['image', 'by [secret]']);
    const asked: unknown[] = [];
    const ask = async (question: unknown) => {
      asked.push(question);
      return 'decline';
    };
    await call('s__elicit', {}, { ask }).end;
    expect(JSON.stringify(asked)).toContain('Whose key is [secret]?');
    expect(JSON.stringify(asked)).not.toContain(key);
  });

  test('in a resource, a prompt or a list of them shows no secret, to a model or to a person [access.secrets]', async () => {
    const { call, mcp } = await connected({ s: spec });
    const read = async (name: string, input: object) => (await call(`s__${name}`, input).end).output;
    const shown = [
      await read('list_resources', {}),
      await read('read_resource', { uri: 'notes://all' }),
      await read('list_prompts', {}),
      await read('get_prompt', { name: 'greet', arguments: { name: 'Ann' } }),
      JSON.stringify(await call('s__get_prompt', { name: 'greet', arguments: { name: 'nobody' } }).end),
      JSON.stringify(await mcp.listOffers()),
      JSON.stringify(await mcp.readOffer({ server: 's', resource: 'notes://all' })),
    ];
    for (const one of shown) {
      expect(one).toContain('[secret]');
      expect(one).not.toContain(key);
    }
  });
});

test('what is a secret of a server', () => {
  expect(secretsOf({ url: 'https://ann:pass%20word@example.org/mcp?token=abcdefgh&page=2', headers })).toEqual([
    `Bearer ${token}`,
    token,
    'tenant-number-7',
    'pass word',
    'abcdefgh',
  ]);
  const stdio = {
    command: 'x',
    env: { MODE: 'production', DB_PASSWORD: 'hunter22hunter' },
    passEnvironment: ['GH_TOKEN'],
  };
  expect(secretsOf(stdio, { GH_TOKEN: 'ghp_12345678', OTHER: 'not passed' })).toEqual([
    'hunter22hunter',
    'ghp_12345678',
  ]);
});

test('a secret is replaced as it is, in JSON and in an address', () => {
  const redact = createRedact([token]);
  const forms = [
    token,
    JSON.stringify({ token }),
    `?t=${encodeURIComponent(token)}`,
    resultOf(token).result.content[0]?.text,
  ];
  for (const form of forms) expect(redact(form ?? '')).not.toContain('a-token');
  expect(createRedact([])('text')).toBe('text');
});
