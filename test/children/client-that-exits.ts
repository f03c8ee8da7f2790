// Client whose process exits by itself after its work. Arguments: the address, and the state of the connection before.
import { createCheckedClient } from '../support/checked-client.ts';
import { until } from '../support/until.ts';

const [url = '', line = 'good'] = process.argv.slice(2);
const client = createCheckedClient({ url, reconnect: { minMs: 60_000, maxMs: 60_000 } });
const session = client.session('s');
if (line === 'good') {
  await session.joined;
  await session.say('hello').opened;
} else await until(() => client.state.kind === (line === 'lost' ? 'reconnecting' : 'open'));
console.log(`ready ${client.state.kind}`);
if (line === 'hole') await new Promise((resolve) => process.stdin.once('data', resolve));
process.stdin.unref();
await client.close();
console.log('closed');
