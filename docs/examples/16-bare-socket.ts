// A bare socket: a client of the protocol without a library. It says something, stops it, reads the receipt, and comes back.
import assert from 'node:assert/strict';
import { readConfig } from '../../src/programs/config.ts';
import { startConfiguredGateway } from '../../src/programs/start-gateway.ts';

const config = readConfig(['--port', '0', '--store', 'memory'], {});
assert(config);
const gateway = await startConfiguredGateway(config);
const address = `${gateway.url}?key=${gateway.key}`; // as `npm start` prints it

interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The newest fact that has arrived: where a connection that comes back goes on. */
let newest = 0;

/** Opens a socket and says who it is. Returns how to send a frame, and how to wait for one. */
async function open() {
  const socket = new WebSocket(address, 'belay.v1');
  const waiting = new Set<(frame: Frame) => void>();
  /** Resolves with the next frame that has these fields. */
  const until = (fields: Frame) =>
    new Promise<Frame>((resolve) => {
      const look = (frame: Frame) => {
        if (Object.entries(fields).some(([name, value]) => frame[name] !== value)) return;
        waiting.delete(look);
        resolve(frame);
      };
      waiting.add(look);
    });
  const send = (frame: Frame) => socket.send(JSON.stringify(frame));
  socket.onmessage = ({ data }) => {
    const frame: Frame = JSON.parse(data);
    if (typeof frame['seq'] === 'number' && 'at' in frame) newest = frame['seq']; // a fact of the session
    if (frame.type === 'text_delta') process.stdout.write(String(frame['text']));
    for (const look of waiting) look(frame); // a type that is not known here is passed over
  };
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  const welcome = until({ type: 'welcome' });
  send({ type: 'HELLO' }); // with tokens: { type: 'HELLO', token }
  await welcome;
  return { send, until, close: () => socket.close() };
}

const first = await open();
first.send({ type: 'JOIN', ref: 'j1', session: 'demo' });
first.send({ type: 'SAY', ref: 's1', session: 'demo', text: 'research this and run the build' });
await first.until({ type: 'tool_output' });

const settled = first.until({ type: 'cancel_settled' });
first.send({ type: 'CANCEL', ref: 'c1', session: 'demo', target: 'mine', seen: newest });
const receipt = await settled;
console.log('\n', receipt);
assert(Array.isArray(receipt['nodes']) && receipt['nodes'].length > 3);
first.close();

const second = await open();
const replayed = second.until({ type: 'replayed' });
second.send({ type: 'JOIN', ref: 'j2', session: 'demo', after: newest });
await replayed;
const opened = second.until({ type: 'turn_opened', ref: 's2' });
second.send({ type: 'SAY', ref: 's2', session: 'demo', text: 'what did you leave undone?' });
const { turn } = await opened;
assert.equal((await second.until({ type: 'turn_ended', turn }))['outcome'], 'completed');
second.close();

await gateway.close();
