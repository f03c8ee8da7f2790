// npm run conformance: checks a gateway, or a client, against the requirements of docs/protocol.md, one line for each.
import { exec, spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs, promisify } from 'node:util';
import { addressWithKnownKey } from '../../src/client/known-key.ts';
import { checkGateway, gatewayChecks } from './check-gateway.ts';
import { clientRequirements, unseenRequirements } from './client-requirements.ts';
import type { TestedGatewayOptions } from './gateway-under-test.ts';
import { listenForClient } from './listen.ts';
import { OwnGateway } from './own-gateway.ts';
import { type CheckVerdict, type Requirement, reportLine } from './verdict.ts';
import { WireClient } from './wire-client.ts';

const usage = `npm run conformance -- ws://HOST:PORT/PATH [--token TOKEN] [--say TEXT] [--ask TEXT] [--only ID]…
    [--other TOKEN] [--moderator TOKEN] [--bridge TOKEN] [--emergency TOKEN] [--ending-token TOKEN] [--owner-policy] [--voice]
    [--crash COMMAND] [--restart COMMAND] [--hold-store COMMAND]
npm run conformance -- --listen [--port PORT] [--seconds N]
npm run conformance -- --self [--only ID]…
npm run conformance -- --list

The first checks a gateway, the second plays one and checks a client, the third checks the gateway of this checkout, the fourth prints what is checked. docs/how-to/conformance.md says more.
Exit code: 0 if nothing failed, 1 if something did, 2 if it could not start.`;

const defaultWords = 'Tell me at length what you can do.';
const awayMs = 3_000;
const idColumns = 22;

let failed = 0;
const report = (requirement: Requirement, verdict: CheckVerdict): void => {
  if (verdict.kind === 'failed') failed++;
  console.log(reportLine(requirement, verdict));
};

const runInShell = promisify(exec);

/** Returns what runs a command of a shell to its end. */
const runOf = (command: string | undefined) =>
  command === undefined
    ? undefined
    : async () => {
        await runInShell(command);
      };

/** Returns what starts a command of a shell, waits for its first output, and closes its input when it may end. */
const holdOf = (command: string | undefined) =>
  command === undefined
    ? undefined
    : async () => {
        const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] });
        await once(child.stdout, 'data');
        return () => child.stdin.end();
      };

/** Prints what a gateway and a client must do. */
function printRequirements(): void {
  for (const [who, requirements] of [
    ['gateway', gatewayChecks],
    ['client', [...clientRequirements, ...unseenRequirements]],
  ] as const) {
    console.log(`A ${who} MUST`);
    for (const { id, must } of requirements) console.log(`  ${id.padEnd(idColumns)} ${must}`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      token: { type: 'string' },
      say: { type: 'string', default: defaultWords },
      ask: { type: 'string' },
      only: { type: 'string', multiple: true },
      list: { type: 'boolean', default: false },
      listen: { type: 'boolean', default: false },
      port: { type: 'string', default: '7078' },
      seconds: { type: 'string', default: '60' },
      self: { type: 'boolean', default: false },
      other: { type: 'string' },
      moderator: { type: 'string' },
      bridge: { type: 'string' },
      emergency: { type: 'string' },
      'ending-token': { type: 'string' },
      'owner-policy': { type: 'boolean', default: false },
      voice: { type: 'boolean', default: false },
      crash: { type: 'string' },
      restart: { type: 'string' },
      'hold-store': { type: 'string' },
    },
  });
  const [address, ...more] = positionals;
  if (values.list) return printRequirements();
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
    const { other, moderator, bridge, emergency, 'ending-token': endingToken } = values;
    const options: TestedGatewayOptions = {
      url,
      token: values.token,
      tokens: { other, moderator, bridge, emergency },
      endingToken: endingToken === undefined ? undefined : async () => endingToken,
      words: values.say,
      askingWords: values.ask,
      hasOwnerPolicy: values['owner-policy'],
      hasVoice: values.voice,
      crash: runOf(values.crash),
      restart: runOf(values.restart),
      holdStore: holdOf(values['hold-store']),
    };
    await checkGateway(options, report, values.only);
  } else throw new TypeError('One address of a gateway, --listen or --self is needed.');
  console.log(failed === 0 ? 'Nothing failed.' : `${failed} failed.`);
  process.exitCode = failed === 0 ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  process.exitCode = 2;
});
