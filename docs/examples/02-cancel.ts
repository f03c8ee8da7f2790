// Cancel a turn: tools and a sub-agent at work, one CANCEL, and a receipt with the outcome of each.
import assert from 'node:assert/strict';
import { connect } from '../../src/client/client.ts';
import { readConfig } from '../../src/programs/config.ts';
import { startConfiguredGateway } from '../../src/programs/start-gateway.ts';

const config = readConfig(['--port', '0', '--store', 'memory'], {});
assert(config);
const gateway = await startConfiguredGateway(config);
const client = await connect({ url: gateway.url });
const session = client.session('second-steps');

const turn = session.say('research this and run the build');
// the shell has begun to build, and the sub-agent to read
const working = new Set<string>();
for await (const event of turn) {
  if (event.type === 'tool_output') working.add('shell');
  if (event.type === 'turn_started' && event.parent !== null) working.add('sub-agent');
  if (working.size === 2) break;
}

const { accepted, settled } = turn.cancel({ reason: 'changed my mind' });
const acceptance = await accepted;
assert.equal(acceptance.type, 'cancel_accepted');
const receipt = await settled;
assert(receipt);
for (const { kind, outcome, effect, ms } of receipt.nodes)
  console.log(`${kind}: ${outcome}, effect ${effect}, after ${ms} ms`);

// everything that was running is in the receipt, and nothing of it runs on
assert.deepEqual(new Set(receipt.nodes.map(({ kind }) => kind)), new Set(['turn', 'tool-call', 'sub-agent']));
assert(receipt.nodes.every(({ outcome }) => outcome === 'cancelled' || outcome === 'completed'));
assert.equal((await turn.ended).outcome, 'cancelled');

// the next request works: its notes list what was stopped
const next = session.say('what did you leave undone?');
let answer = '';
for await (const event of next) if (event.type === 'text_delta') answer += event.text;
console.log(answer);
assert.equal((await next.ended).outcome, 'completed');
assert.match(answer, /changed my mind/);

await client.close();
await gateway.close();
