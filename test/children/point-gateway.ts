// A gateway with a fault at a named point: point-gateway.ts <kill|step MS> <before|after> <type of a fact> <at once|armed> <arguments>
//
// 1. The point is the commit of the next append with a fact of that type: before the store receives it, or after its commit and before the reply of the store.
// 2. `kill` is kill -9. `step` moves the time of day by so many milliseconds.
// 3. `armed`: the point counts after a SIGUSR1, which it confirms with a line on stdout.
import { Worker } from 'node:worker_threads';
import { runAsProgram } from '../../src/programs/run-as-program.ts';
import { serveCommand } from '../../src/programs/serve.ts';

const [act = '', when, type, from, ...args] = process.argv.slice(2);
const [kind, stepMs] = act.split(' ');
let isArmed = from === 'at once';
process.on('SIGUSR1', () => {
  isArmed = true;
  console.log('armed');
});

function reach(): void {
  isArmed = false;
  if (kind === 'kill') process.kill(process.pid, 'SIGKILL');
  const now = Date.now;
  Date.now = () => now() + Number(stepMs);
}

interface Message {
  readonly id?: number;
  readonly request?: { readonly op: string; readonly bodies?: readonly string[] };
}

const isMeant = ({ request }: Message): boolean =>
  request?.op === 'append' && request.bodies?.some((body) => JSON.parse(body).type === type) === true;

let awaited: number | undefined;
const { postMessage, emit } = Worker.prototype;
Worker.prototype.postMessage = function post(message: Message, ...rest) {
  if (isArmed && isMeant(message)) {
    if (when === 'before') reach();
    else awaited = message.id;
  }
  return postMessage.call(this, message, ...rest);
};
Worker.prototype.emit = function emitEvent(this: Worker, event: string, ...rest: readonly unknown[]) {
  const [replies] = rest as readonly (readonly Message[])[]; // those of the thread of the store
  if (event === 'message' && awaited !== undefined && replies?.some(({ id }) => id === awaited)) {
    awaited = undefined;
    reach();
  }
  return Reflect.apply(emit, this, [event, ...rest]);
};

await runAsProgram(serveCommand, args);
