// `belay serve` (`npm start`): reads the settings, starts a gateway, and shuts it down at a signal.
import { systemSources } from '../sources/system.ts';
import { readConfig, usage } from './config.ts';
import { runAsProgram } from './run-as-program.ts';
import { exitOnSignal, InterruptibleStart, StartInterrupted } from './signals.ts';
import { startGateway } from './start-gateway.ts';

/** Resolves when the gateway listens, or a signal has interrupted the start. Rejects where the start fails. */
export async function serveCommand(args: readonly string[]): Promise<void> {
  const config = readConfig(args, process.env);
  if (!config) return void process.stdout.write(usage);
  const start = new InterruptibleStart();
  const starting = startGateway(config, start.interrupted).catch((error) => {
    if (error instanceof StartInterrupted) return null;
    throw error;
  });
  // before the start is complete: a signal can come at any time
  exitOnSignal(systemSources.clock, {
    async start() {
      console.log('Shutting down: stopping what runs. Again to force it.');
      start.interrupt();
      const gateway = await starting;
      await gateway?.close();
    },
    force() {
      console.log('Forcing...');
      void starting.then((gateway) => gateway?.force());
    },
  });
  const gateway = await starting;
  if (!gateway) return;
  const { bannerOf } = await import('./banner.ts');
  console.log(bannerOf(gateway));
}

if (import.meta.main) await runAsProgram(serveCommand);
