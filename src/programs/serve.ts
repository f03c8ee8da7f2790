// `belay serve` (`npm start`): reads the settings, starts a gateway, and shuts it down at a signal.

import { systemSources } from '../core/sources/system.ts';
import { printLine } from '../core/text/print-line.ts';
import { defaultLimits } from '../core/workers/session-limits.ts';
import { ignoreClosedOutput } from './closed-output.ts';
import { readConfig, usage } from './config.ts';
import { OperationsLog } from './operations-log.ts';
import { runAsProgram } from './run-as-program.ts';
import type { Config } from './settings.ts';
import { exitAfterShutdown, InterruptibleStart, StartInterrupted } from './signals.ts';
import { type ServedGateway, startConfiguredGateway } from './start-gateway.ts';

/** Resolves when the gateway listens, or when a signal has interrupted its start. Rejects if the start fails. */
export async function serveCommand(args: readonly string[]): Promise<void> {
  const config = readConfig(args, process.env);
  if (!config) return void process.stdout.write(usage);
  ignoreClosedOutput(); // a gateway serves its clients, whoever reads what it prints
  const start = new InterruptibleStart();
  const log = new OperationsLog(config.log);
  const say = (text: string) => (log.isForPrograms ? undefined : printLine(text));
  const drainAsked = Promise.withResolvers<void>();
  // null: a signal has interrupted the start
  const startedGateway = startGateway(config, start.interrupted, log, drainAsked.resolve).catch((error) => {
    if (error instanceof StartInterrupted) return null;
    throw error;
  });
  let listening: ServedGateway | null = null;
  const drainMs = config.bus?.drainMs ?? 0;
  // registered before the gateway listens: a signal during the start also has to shut it down
  exitAfterShutdown(systemSources.clock, {
    limitMs: 2 * (config.limits.shutdownMs ?? defaultLimits.shutdownMs), // the work, and as long again for the rest
    report: (error) => log.warn('an unexpected exception', error),
    async shutDown() {
      say('Shutting down: stopping all turns. Press Ctrl-C again to force it.');
      log.noteShutdown();
      start.interrupt();
      const gateway = await startedGateway;
      await gateway?.close();
      await log.start(); // what it has reported is written before the exit
    },
    ...(drainMs > 0 && {
      drainAsked: drainAsked.promise,
      async drain() {
        if (!listening) return; // nothing is here that others could take
        if (log.isForPrograms)
          log.note(({ logLine }) => logLine('drain', 'draining: sessions move, and turns may end', { ms: drainMs }));
        const { durationText } = await import('../core/words/durations.ts');
        say(
          `Draining: sessions move to other hosts. Turns may end, for ${durationText(drainMs)}. Another signal stops them.`,
        );
        await listening.drain?.();
      },
    }),
    force() {
      say('Forcing the shutdown...');
      void startedGateway.then((gateway) => gateway?.force());
    },
  });
  const gateway = await startedGateway.catch(async (error) => {
    await log.start(); // its warnings may say why
    throw error;
  });
  if (!gateway) return;
  listening = gateway;
  const { bannerText } = await import('./banner.ts'); // loaded late: nothing that listens waits for it
  say(bannerText(gateway));
  log.noteListening(gateway.url);
  await log.start();
  if (config.workers === 1) (await import('./prepare-first-turn.ts')).prepareFirstTurn(config);
}

/** Starts a gateway in this process, or as many as there are workers. */
async function startGateway(
  config: Config,
  interrupted: Promise<never>,
  log: OperationsLog,
  onDrainAsked: () => void,
): Promise<ServedGateway> {
  if (config.workers === 1) return startConfiguredGateway(config, interrupted, log, undefined, onDrainAsked);
  const { startWorkers } = await import('./serve-workers.ts');
  return startWorkers(config, interrupted, log);
}

if (import.meta.main) await runAsProgram(serveCommand);
