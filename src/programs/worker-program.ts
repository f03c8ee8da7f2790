// The program of a worker of `belay serve --workers`: a gateway whose connections, store and key are those of its parent, which starts it and restarts it.
import { systemSources } from '../core/sources/system.ts';
import { errorText } from '../core/text/error-text.ts';
import { defaultLimits } from '../core/workers/session-limits.ts';
import { ignoreClosedOutput } from './closed-output.ts';
import { OperationsLog } from './operations-log.ts';
import { failedCode } from './run-as-program.ts';
import { exitAfterShutdown, InterruptibleStart, StartInterrupted } from './signals.ts';
import { type RunningGateway, startConfiguredGateway } from './start-gateway.ts';
import { WorkerChannel, type WorkerOrder } from './worker-channel.ts';
import type { WorkerFacts } from './worker-parts.ts';

const { clock } = systemSources;

function factsOf({ parts }: RunningGateway): WorkerFacts {
  const { isScripted, modelUrl, tools, agents, config } = parts;
  return { isScripted, modelUrl, tools, agents, roots: config.roots, servers: parts.mcp() };
}

async function serveAsWorker(): Promise<void> {
  let obey: (order: WorkerOrder) => void = () => process.exit(failedCode); // nothing has started yet
  const channel = new WorkerChannel((order) => obey(order));
  const start = await channel.started;
  const { config } = start;
  ignoreClosedOutput();
  const interruptible = new InterruptibleStart();
  const log = new OperationsLog(config.log);
  const parts = channel.partsOf(start, log.warn);
  const starting = startConfiguredGateway(config, interruptible.interrupted, log, parts);
  const limitMs = 2 * (config.limits.shutdownMs ?? defaultLimits.shutdownMs);
  const force = () => void starting.then((gateway) => gateway.force()).catch(() => {});
  const shutDown = exitAfterShutdown(clock, {
    signals: ['SIGTERM'], // those of a terminal go to the parent, too
    limitMs,
    report: (error) => log.warn('an unexpected exception', error),
    async shutDown() {
      channel.send({ op: 'closing' });
      interruptible.interrupt();
      const gateway = await starting.catch(() => null); // the parent says why
      await gateway?.close();
      await log.start(); // what it has reported is written before the exit
    },
    force,
  });
  obey = (order) => {
    if (order === 'lost') {
      process.exitCode = failedCode;
      clock.after(limitMs, () => process.exit(failedCode));
    }
    if (order !== 'force') shutDown();
    if (order !== 'close') force();
  };
  const gateway = await starting.catch((error: unknown) => {
    if (!(error instanceof StartInterrupted)) channel.send({ op: 'failed', problem: errorText(error) });
    return null;
  });
  if (!gateway) {
    process.exitCode = failedCode;
    return shutDown();
  }
  channel.send({ op: 'ready', facts: factsOf(gateway) });
  await log.start();
  const { prepareFirstTurn } = await import('./prepare-first-turn.ts');
  prepareFirstTurn(config);
}

await serveAsWorker();
