// Hello: start a gateway, connect a client, say something, read the answer as it streams.
import assert from 'node:assert/strict';
import { connect } from '../../src/client/client.ts';
import { readConfig } from '../../src/programs/config.ts';
import { startConfiguredGateway } from '../../src/programs/start-gateway.ts';

// without a key a script plays the model, over real HTTP
const config = readConfig(['--port', '0', '--store', 'memory'], {});
assert(config);
const gateway = await startConfiguredGateway(config);

const client = await connect({ url: gateway.url });
const session = client.session('first-steps');
const turn = session.say('hello');

let answer = '';
for await (const event of turn) {
  if (event.type === 'text_delta') answer += event.text;
}
console.log(answer);

assert.equal((await turn.ended).outcome, 'completed');
assert.match(answer, /scripted model/);

await client.close();
await gateway.close();
