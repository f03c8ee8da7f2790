// A gateway whose work can be counted: a log in memory that takes a millisecond for a commit, a scripted model, a virtual clock, and connections without sockets.
// Whatever machine it runs on, it does the same.
import { createScriptedProvider, type Script } from '../../src/adapters/models/scripted.ts';
import { createMemoryLog } from '../../src/adapters/stores/memory.ts';
import type { Log } from '../../src/core/contracts/log.ts';
import { createLocalRuntime } from '../../src/core/runtime/runtime.ts';
import { createVirtualSources, type VirtualClock } from '../../src/core/sources/virtual.ts';
import { defineTool } from '../../src/core/tools/define-tool.ts';
import { createLocalAuthenticator } from '../../src/gateway/auth/local.ts';
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts';
import type { PeerListener } from '../../src/gateway/peer.ts';
import { unlimited } from '../stand/unlimited.ts';

export interface CountedFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A client without a socket. */
export interface CountedClient {
  /** The frames that it has received since it was asked last. */
  take(): readonly CountedFrame[];
  send(frame: CountedFrame): void;
}

export interface CountedWorld {
  readonly clock: VirtualClock;
  /** The number of commits so far. */
  commits(): number;
  connect(): Promise<CountedClient>;
}

/** Returns the response of the model to words: `run 3 tools` makes three calls, `talk` does not end, anything else is a short answer. */
function respond(words: string, isFirst: boolean): Script {
  const [, count] = /^run (\d+) tools$/.exec(words) ?? [];
  if (count !== undefined && isFirst) {
    const call = (n: number) => ({ callId: `p${n}`, name: 'wait', arguments: JSON.stringify({ n }) });
    return { steps: [{ waitMs: 10 }, ...Array.from({ length: Number(count) }, (_, n) => ({ call: call(n) }))] };
  }
  const text = ['One', ' two', ' three'].flatMap((piece) => [{ waitMs: 10 }, { text: piece }]);
  return { steps: words === 'talk' ? [...text, { hang: true }] : text };
}

/** `onSignal`: called when the signal of a tool has fired. */
export async function createCountedWorld(onSignal: () => void): Promise<CountedWorld> {
  const sources = createVirtualSources();
  const { clock } = sources;
  let commits = 0;
  const log = countAppends(createMemoryLog(), clock, () => commits++);
  const provider = createScriptedProvider({
    clock,
    respond({ messages }) {
      const said = messages.findLast(({ role }) => role === 'user')?.content;
      return respond(typeof said === 'string' ? said : '', messages.at(-1)?.role === 'user');
    },
  });
  const wait = defineTool({
    name: 'wait',
    description: 'Waits until it is stopped.',
    input: { type: 'object' },
    access: 'parallel',
    cancel: 'abortable',
    effect: 'none',
    run: (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          onSignal();
          resolve({ kind: 'stopped', output: 'stopped' });
        });
      }),
  });
  const runtime = await createLocalRuntime({ sources, log, provider, acknowledge: 'off', tools: [wait] });
  const gateway = createGateway({
    runtime,
    sources,
    authenticator: createLocalAuthenticator(),
    limits: unlimited,
  });
  return { clock, commits: () => commits, connect: () => connectClient(gateway, clock) };
}

/** Returns a log whose appends take a millisecond each, and are counted. */
function countAppends(log: Log, clock: VirtualClock, onAppend: () => void): Log {
  return new Proxy(log, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      const call = (...args: never[]): unknown => Reflect.apply(value as (...args: never[]) => unknown, target, args);
      if (key !== 'append') return call;
      return (...args: never[]) => {
        onAppend();
        return new Promise((resolve) => clock.after(1, () => resolve(call(...args))));
      };
    },
  });
}

async function connectClient(gateway: Gateway, clock: VirtualClock): Promise<CountedClient> {
  let received: CountedFrame[] = [];
  const receive = (text: string, sent: () => void) => {
    received.push(JSON.parse(text) as CountedFrame);
    sent();
  };
  const peer = { bufferedBytes: 0, send: receive, sendSoon: receive, ping() {}, close() {}, terminate() {} };
  const listener: PeerListener | null = gateway.accept(peer, null, '127.0.0.1');
  const client: CountedClient = {
    take() {
      const frames = received;
      received = [];
      return frames;
    },
    send(frame) {
      const text = JSON.stringify(frame);
      listener?.onMessage(text, text.length);
    },
  };
  client.send({ type: 'HELLO' });
  await clock.advance(0);
  client.take();
  return client;
}
