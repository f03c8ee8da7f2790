// npm run conformance: checks a gateway, or a client, against the requirements of docs/protocol.md, one line for each.
import { parseArgs } from 'node:util';
import { addressWithKnownKey } from '../../src/client/known-key.ts';
import { checkGateway } from './check-gateway.ts';
import { listenForClient } from './listen.ts';
import { OwnGateway } from './own-gateway.ts';
import { type CheckVerdict, type Requirement, reportLine } from './verdict.ts';
import { WireClient } from './wire-client.ts';

const usage = `npm run conformance -- ws://HOST:PORT/PATH [--token TOKEN] [--say TEXT] [--ask TEXT] [--only ID]…
npm run conformance -- --listen [--port PORT] [--seconds N]
npm run conformance -- --self [--only ID]…

The first checks a gateway, the second plays one and checks a client, the third checks the gateway of this checkout. docs/how-to/conformance.md says more.
Exit code: 0 if nothing failed, 1 if something did, 2 if it could not start.`;

const defaultWords = 'Tell me at length what you can do.';
const awayMs = 3_000;

let failed = 0;
const report = (requirement: Requirement, verdict: CheckVerdict): void => {
  if (verdict.kind === 'failed') failed++;
  console.log(reportLine(requirement, verdict));
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      token: { type: 'string' },
      say: { type: 'string', default: defaultWords },
      ask: { type: 'string' },
      only: { type: 'string', multiple: true },
      listen: { type: 'boolean', default: false },
      port: { type: 'string', default: '7078' },
      seconds: { type: 'string', default: '60' },
      self: { type: 'boolean', default: false },
    },
  });
  const [address, ...more] = positionals;
  if (values.self && !values.listen && positionals.length === 0) {
    const gateway = await OwnGateway.start();
    try {
      await checkGateway(gateway.options, report, values.only);
    } finally {
      await gateway.close();
    }
  } else if (values.listen && !values.self && positionals.length === 0) {
    const totalMs = Number(values.seconds) * 1_000;
    const client = await listenForClient({ port: Number(values.port), totalMs, awayMs });
    console.log(`Connect the client to ${client.url}. Join a session, say something, and stop it when text comes.`);
    for (const [requirement, verdict] of await client.report) report(requirement, verdict);
  } else if (address && more.length === 0 && !values.listen && !values.self) {
    const url = addressWithKnownKey(address);
    (await WireClient.connect(url)).close(); // an address without a gateway is no verdict
    const options = { url, token: values.token, words: values.say, askingWords: values.ask };
    await checkGateway(options, report, values.only);
  } else throw new TypeError('One address of a gateway, --listen or --self is needed.');
  console.log(failed === 0 ? 'Nothing failed.' : `${failed} failed.`);
  process.exitCode = failed === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
});
