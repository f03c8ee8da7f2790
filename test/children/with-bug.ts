// A program of Belay with a bug: with-bug.ts <serve|run|chat> <throw|reject> <arguments>. At each SIGUSR1 it throws an exception that nobody catches, or rejects a
// promise that nobody handles.
import { chatCommand } from '../../src/programs/chat.ts';
import { runTaskCommand } from '../../src/programs/run.ts';
import { runAsProgram } from '../../src/programs/run-as-program.ts';
import { serveCommand } from '../../src/programs/serve.ts';

const [name = '', how, ...args] = process.argv.slice(2);
const command = { serve: serveCommand, run: runTaskCommand, chat: chatCommand }[name];
if (!command) throw new Error(`There is no program ${name}.`);
process.on('SIGUSR1', () => {
  if (how === 'throw') throw new Error('a bug');
  void Promise.reject(new Error('a bug'));
});
await runAsProgram(command, args);
