// The scripted endpoint's process. Its standard input is a lifeline: when the parent is gone, however it went, this ends too.
import { systemSources } from '../../core/sources/system.ts';
import { startHttpServer } from './http-server.ts';
import { tour } from './tour.ts';

// Ctrl-C in a terminal, or its end, reaches the whole group: the parent still needs this process for its shutdown.
for (const name of ['SIGINT', 'SIGQUIT', 'SIGHUP']) process.on(name, () => {});
// exit, because the timers of answers would keep the process alive
for (const end of ['end', 'error', 'close']) process.stdin.on(end, () => process.exit(0));
process.stdin.resume();

const url = await startHttpServer({
  sources: systemSources,
  tour,
  control: process.argv.includes('--control'),
});
process.stdout.write(`${JSON.stringify({ url })}\n`);
