// A gateway in a process of its own that is sent bad input, while a good client is served in a session of its own; and the checks of both at the end.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ServerFrame } from '../../src/wire/server-frames.ts';
import { newWorkspace, writeConfig } from '../support/belay.ts';
import { connectChecked } from '../support/checked-client.ts';
import { type Child, startChild } from '../support/child.ts';
import type { TestEndpoint } from '../support/endpoint.ts';
import { connectRaw, type RawClient } from '../support/raw-client.ts';
import { factsOf } from '../support/room-clients.ts';
import { scaled } from '../support/time-scale.ts';
import { until } from '../support/until.ts';

/** Whether every case is sent (npm run test:bad-input), or a part of them. */
export const isWhole = process.env['BAD_INPUT'] === 'all';

/** Returns the cases that this run sends: all of them, or about that many, spread over the list. */
export function partOf<Case>(cases: readonly Case[], count: number): readonly Case[] {
  const step = isWhole ? 1 : Math.max(1, Math.floor(cases.length / count));
  return cases.filter((_, i) => i % step === 0);
}

/** Returns the cases in two halves; in a part of them, which has to be short, all at once. */
export const halvesOf = <Case>(cases: readonly Case[]): readonly (readonly Case[])[] =>
  isWhole ? [0, 1].map((half) => cases.filter((_, i) => i % 2 === half)) : [cases];

/** What the gateway may hold more of after the second half of an attack than after the first, in MiB. */
export const maxGrowthMB = 4;
/** What the process may have used at most, in MiB: five times an idle gateway. */
const maxPeakMB = 400;

export const tokenOfSpeaker = (speaker: string): string => `token-of-${speaker}-0000`;
const words = 'All of this is said, word by word, while others send what no gateway should have to read.';

export interface AttackedGateway {
  readonly url: string;
  readonly port: number;
  readonly child: Child;
  /** Memory in use after a collection, in MiB. */
  memoryMB(): Promise<number>;
}

/** Its halves, which send the same kinds of input; one alone has no growth. */
export type Attack = readonly ((gateway: AttackedGateway) => Promise<void>)[];

export interface AttackOptions {
  readonly limits?: Readonly<Record<string, number>>;
  /** Whether the gateway keeps every byte that it receives. */
  readonly leaks?: boolean;
}

/** Starts the gateway. The good speaker is `good`, the bad ones are `bad` and `worse`, members of their sessions; `bridge` may speak for others. */
async function startGateway(endpoint: TestEndpoint, { limits = {}, leaks }: AttackOptions): Promise<AttackedGateway> {
  const pace = { chunksPerSecond: 100 };
  await endpoint.script([{ reply: { text: words, pace } }]);
  const workspace = newWorkspace();
  const config = writeConfig(endpoint, workspace, { gateway: limits, allow: [], limits: { contextTurns: 4 } });
  const tokens = Object.fromEntries(
    ['good', 'bad', 'worse', 'bridge'].map((speaker) => [
      tokenOfSpeaker(speaker),
      {
        speaker,
        sessions: speaker === 'good' ? ['garden'] : ['pit'],
        ...(speaker === 'bridge' && { roles: ['bridge'] }),
      },
    ]),
  );
  writeFileSync(join(workspace.path, 'tokens.json'), JSON.stringify(tokens), { mode: 0o600 });
  const preload = `--import=${new URL('report-memory.ts', import.meta.url).href}`;
  const env = { NODE_OPTIONS: preload, ...(leaks === true && { LEAK: '1' }) };
  const child = startChild('src/programs/serve.ts', { args: ['--config', config], cwd: workspace.path, env });
  const [, url = ''] = await child.untilPrinted(/listens at (\S+)/, 30_000);
  let reports = 0;
  return {
    url,
    port: Number(new URL(url).port),
    child,
    async memoryMB() {
      const line = new RegExp(`^memory ${++reports}: (.*)$`, 'm');
      child.type('memory');
      const [, text] = await until(() => line.exec(child.stderr()), { ms: 20_000, what: 'the memory of the gateway' });
      return Number(text);
    },
  };
}

/** Says one thing after the other in its own session, and checks each reply. */
class GoodClient {
  readonly #gateway: AttackedGateway;
  #isOver = false;
  #turns = 0;
  #longestMs = 0;

  constructor(gateway: AttackedGateway) {
    this.#gateway = gateway;
  }

  /** Resolves after `stop`, and at least three turns. Rejects if a turn does not complete as it should. */
  async run(): Promise<void> {
    const client = await connectChecked({ url: this.#gateway.url, token: tokenOfSpeaker('good'), reconnect: false });
    try {
      const session = client.session('garden', { after: 0 });
      const frames: ServerFrame[] = [];
      session.on('*', (frame) => frames.push(frame));
      while (!this.#isOver || this.#turns < 3) {
        const startedAt = performance.now();
        const turn = session.say(`question ${++this.#turns}`);
        let text = '';
        for await (const event of turn) if (event.type === 'text_delta') text += event.text;
        expect(text, 'the streamed reply of the good client').toBe(words);
        expect(await turn.ended).toMatchObject({ outcome: 'completed' });
        this.#longestMs = Math.max(this.#longestMs, performance.now() - startedAt);
      }
      await this.#expectWhole(frames);
    } finally {
      await client.close();
    }
  }

  stop(): void {
    this.#isOver = true;
  }

  /** What the good client has received as it happened is what the log has. */
  async #expectWhole(received: readonly ServerFrame[]): Promise<void> {
    const replay = await joinAs(this.#gateway, 'good', 'garden', 0);
    await replay.waitFor('replayed');
    const briefly = (frames: readonly ServerFrame[]) => factsOf(frames).map(({ seq, type }) => `${seq} ${type}`);
    expect(briefly(received)).toEqual(briefly(replay.frames as unknown as ServerFrame[])); // connectRaw checks them
    expect(replay.all('turn_ended').map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: this.#turns }, () => 'completed'),
    );
    expect(new Set(replay.all('turn_opened').map(({ owner }) => owner))).toEqual(new Set(['good']));
    replay.socket.close();
    expect(this.#longestMs, 'the longest turn of the good client, in ms').toBeLessThan(scaled(5_000));
  }
}

export async function joinAs(
  { url }: Pick<AttackedGateway, 'url'>,
  speaker: string,
  session: string,
  after?: number,
): Promise<RawClient> {
  const client = await connectRaw(url);
  await client.hello(tokenOfSpeaker(speaker));
  await client.join(session, after);
  return client;
}

/** Resolves with the most memory that the process has used, in MiB; 0 where the system does not report it. */
function peakMB({ child }: AttackedGateway): number {
  if (process.platform !== 'linux') return 0;
  const status = readFileSync(`/proc/${child.process.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
}

/**
 * Starts a gateway and a good client, attacks, and checks: the good client was served all the while and has lost nothing, the memory of the
 * gateway is bounded, it has reported no bug, and it ends as it should.
 */
export async function underAttack(endpoint: TestEndpoint, attack: Attack, options: AttackOptions = {}): Promise<void> {
  const gateway = await startGateway(endpoint, options);
  const growth = await growthUnder(attack, gateway);
  expect(growth, 'MiB that the gateway holds more of').toBeLessThan(maxGrowthMB);
  expect(peakMB(gateway), 'MiB that the gateway has used at most').toBeLessThan(maxPeakMB);
  const lines = gateway.child.stderr().split('\n');
  const reports = lines.filter((line) => line !== '' && !line.startsWith('memory '));
  expect(reports, 'what the gateway has reported').toEqual([]);
  gateway.child.signal('SIGTERM');
  expect(await gateway.child.ended(20_000)).toBe(0);
}

/** Attacks a gateway that keeps every byte it receives. Resolves with what its memory has grown by, in MiB. */
export async function growthWithLeak(endpoint: TestEndpoint, attack: Attack): Promise<number> {
  return growthUnder(attack, await startGateway(endpoint, { leaks: true }));
}

/** Memory is compared after each half: what is loaded or compiled only once is in the first. */
async function growthUnder(attack: Attack, gateway: AttackedGateway): Promise<number> {
  const good = new GoodClient(gateway);
  const served = good.run();
  const measured: number[] = [];
  const attacked = async () => {
    for (const half of attack) {
      await half(gateway);
      measured.push(await gateway.memoryMB());
    }
  };
  await Promise.all([
    served,
    Promise.race([attacked(), served]).finally(() => good.stop()), // a good client that fails ends the attack
  ]);
  const [middle = 0, end = middle] = measured;
  console.log(
    `memory: ${middle} MiB after the first half, ${end} after the second, ${peakMB(gateway).toFixed(0)} at the peak`,
  );
  return end - middle;
}
