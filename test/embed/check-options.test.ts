// Options of a program without a compiler: an error names the field, and what was meant.
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { attach } from '../../src/embed/attach.ts';
import { createRuntime, type RuntimeOptions } from '../../src/embed/runtime.ts';
import { createJwtAuthenticator, type JwtOptions } from '../../src/gateway/auth/jwt.ts';

const { clock } = systemSources;
const provider = createScriptedProvider({ clock, respond: () => ({ steps: [] }) });
// as JavaScript passes them
const start = (options: unknown) => createRuntime(options as RuntimeOptions);
const jwt = (options: unknown) => createJwtAuthenticator(options as JwtOptions);

test.each([
  [{ provider, tool: [] }, 'createRuntime has no option tool. Did you mean tools?'],
  [{ provider, flavor: 1 }, 'createRuntime has no option flavor. There are provider, store,'],
  [{ provider, tools: {} }, 'The option tools of createRuntime must be an array, not a value of type object.'],
  [{ provider, tools: [{ name: 'x' }] }, 'tools[0] of createRuntime is no tool'],
  [{}, 'The option provider of createRuntime is missing. Give createOpenAIProvider({ apiKey, model })'],
  [
    { provider, sources: { ...systemSources, clock: undefined } },
    'The option sources.clock of createRuntime is missing.',
  ],
  [
    { provider, sources: { ...systemSources, clock: { now: clock.now, after: clock.after } } },
    'The option sources.clock of createRuntime has no method elapsed. Give systemSources.clock, or { ...systemSources.clock }',
  ],
  [{ provider, sources: { clock } }, 'The option sources.ids of createRuntime is no function.'],
  [{ provider: 'gpt' }, 'The option provider of createRuntime has no method stream.'],
  [undefined, 'createRuntime takes an object with its options, not undefined.'],
])('of a runtime: %j', async (options, message) => {
  await expect(start(options)).rejects.toThrow(message);
});

test('options that are undefined count as left out', async () => {
  const runtime = await start({ provider, tools: undefined, store: undefined });
  await runtime.close();
});

test('of a door', async () => {
  const runtime = await start({ provider });
  onTestFinished(() => runtime.close());
  const options = { orgins: [] } as object;
  expect(() => attach(createServer(), runtime, options)).toThrow('attach has no option orgins. Did you mean origins?');
});

const secret = 'a secret that has thirty-two bytes and more';

test.each([
  [{ secret }, 'createJwtAuthenticator has no option secret.'],
  [{ key: { kind: 'secret', secret }, clock, isuer: 'me' }, 'has no option isuer. Did you mean issuer?'],
  [{ key: { kind: 'secret', secret } }, 'The option clock of createJwtAuthenticator is missing.'],
  [
    { key: { kind: 'secret', secret }, clock: { now: clock.now, after: clock.after } },
    'The option clock of createJwtAuthenticator has no method elapsed.',
  ],
  [{ key: { kind: 'secrets', secret }, clock }, 'key.kind is secrets. Did you mean secret?'],
  [
    { key: { kind: 'secret', sceret: secret }, clock },
    'A key of the kind secret has no field sceret. Did you mean secret?',
  ],
  [{ key: { kind: 'secret', secret: 7 }, clock }, 'key.secret must be of type string, not number.'],
  [{ key: undefined, clock }, 'key.kind is undefined.'],
])('of signed tokens: %j', (options, message) => {
  expect(() => jwt(options)).toThrow(message);
});
