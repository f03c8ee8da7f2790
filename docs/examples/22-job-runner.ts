// A job runner bridged to Belay: its jobs are calls of the session, which people see, and stop by saying "stop".
//
// The jobs and the model are played by this program; the gateway, the sockets and the tokens are real.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attach, createRuntime, createTokenAuthenticator, systemSources } from '@belay/runtime';
import { type ClientSession, connect } from '@belay/runtime/client';
import { createScriptedProvider } from '@belay/runtime/testing';

const requests: string[] = [];
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond({ messages }) {
    requests.push(messages.at(-1)?.content ?? '');
    return { steps: [{ text: 'All right.' }] };
  },
});

// the gateway: a token for ann, and one for the runner
const runtime = await createRuntime({ provider, acknowledge: 'off', session: () => ({ access: 'open' }) });
const server = createServer();
const authenticator = createTokenAuthenticator({
  'a-token-of-ann-0001': { speaker: 'ann' },
  'a-token-of-the-runner': { speaker: 'runner', roles: ['bridge'] },
});
attach(server, runtime, { authenticator });
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const url = `ws://127.0.0.1:${port}/belay`;

/** Runs a job for a speaker: a frame every 20 ms, until all are made or somebody stops it. */
function runJob(session: ClientSession, speaker: string, frames: number) {
  const stop = Promise.withResolvers<void>();
  const call = session.speaks(speaker).openCall('render', { input: { frames }, onStop: () => stop.resolve() });
  const work = async () => {
    await call.started; // a person may have to say yes first
    let made = 0;
    let isStopped = false;
    void stop.promise.then(() => {
      isStopped = true;
    });
    for (; made < frames && !isStopped; made++) {
      call.report(`frame ${made + 1} of ${frames}\n`);
      await Promise.race([stop.promise, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
    const output = `${made} frames`;
    await call.settle(isStopped ? { outcome: 'stopped', effect: 'none', output } : { outcome: 'completed', output });
  };
  work().catch(() => {}); // it was denied, or stopped before it started: `ended` says so
  return call;
}

const runner = await connect({ url, token: 'a-token-of-the-runner' });
const jobs = runner.session('studio');
await jobs.joined;
const client = await connect({ url, token: 'a-token-of-ann-0001' });
const ann = client.session('studio');
await ann.joined;

// a job that completes
const short = await runJob(jobs, 'ann', 3).ended;
console.log(`the short job: ${short.outcome}, ${short.output}`);
assert.deepEqual([short.outcome, short.effect, short.output], ['completed', 'done', '3 frames']);

// one that would take an hour: ann sees its output, and says "stop"
const firstFrame = new Promise<void>((resolve) =>
  ann.on('tool_output', ({ text }) => resolve(console.log(text.trim()))),
);
const long = runJob(jobs, 'ann', 180_000);
await firstFrame;
const settled = new Promise((resolve) => ann.on('cancel_settled', resolve));
ann.say('stop').opened.catch(() => {}); // it is a CANCEL, and opens no turn
const result = await long.ended;
await settled;
console.log(`the long job: ${result.outcome}, effect ${result.effect}`);
assert.deepEqual([result.outcome, result.effect], ['cancelled', 'none']);

// the model knows of both
await ann.say('What became of my films?').ended;
console.log(requests[0]);
assert.match(requests[0] ?? '', /render with "\{\\"frames\\":3\}"\. Completed.*3 frames/);
assert.match(requests[0] ?? '', /render with "\{\\"frames\\":180000\}".*stopped by ann/s);

await client.close();
await runner.close();
await runtime.close();
server.close();
