// Server of an embedder with two doors, at /one and /two. Prints its port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createScriptedProvider } from '../../src/adapters/models/scripted.ts';
import { systemSources } from '../../src/core/sources/system.ts';
import { attach } from '../../src/embed/attach.ts';
import { createRuntime } from '../../src/embed/runtime.ts';

const provider = createScriptedProvider({ clock: systemSources.clock, respond: () => ({ steps: [] }) });
const runtime = await createRuntime({ provider });
const server = createServer((_, response) => response.end('here'));
const authenticator = {
  kind: 'tokens' as const,
  verify(): never {
    throw new Error('This authenticator throws before it has a promise.');
  },
};
attach(server, runtime, { path: '/one', authenticator });
attach(server, runtime, { path: '/two', authenticator });
server.listen(0, '127.0.0.1', () => console.log(`port ${(server.address() as AddressInfo).port}`));
