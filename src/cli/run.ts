// `belay run "task"`: one task without a chat, for scripts. The result is all that stands on stdout; what happens meanwhile is told on stderr.
import { text as readAll } from 'node:stream/consumers';
import { connect } from '../client/client.ts';
import type { ClientSession } from '../client/joined-session.ts';
import type { TurnEvent } from '../client/turn.ts';
import type { ServerFrame } from '../protocol/server-frames.ts';
import { systemSources } from '../sources/system.ts';
import { failedCode, inSentences } from './command-failure.ts';
import { ConfigError, configFlags, configFrom, readFlags } from './config.ts';
import { createTalk } from './interrupts.ts';
import { createNames } from './node-names.ts';
import { printable, renderLines } from './render-line.ts';
import { assemble } from './serve.ts';
import { interruptedCode, onSignal, Unwanted } from './signals.ts';

const usage = `belay run "task"       does one task, and ends; without a task it is read from stdin

  --json             every event as a line of JSON on stdout, instead of the result
  --yes              say yes to every call that asks for it; without this it is no
  --url URL          at a gateway that runs, instead of in this process
  --session NAME     in which session (run-…: one of its own)
  --token TOKEN      who you are, where the gateway asks for it; or BELAY_TOKEN
  --store FILE       keep the transcript (memory: do not)
  --allow TOOL, --root FOLDER, --config FILE and the environment: as for belay serve
  --help

The result stands on stdout, what happens meanwhile on stderr. Exit codes: 0 the task was completed; 1 it was not; 130 it was
interrupted: Ctrl-C cancels, twice forces, and the receipt is told on stderr.
`;

const flags = {
  ...configFlags,
  json: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  url: { type: 'string' },
  token: { type: 'string' },
  session: { type: 'string' },
} as const;

const { clock, ids } = systemSources;

type Values = ReturnType<typeof readFlags>['values'];

export async function runCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = readFlags(args, flags, true);
  if (values['help']) return void process.stdout.write(usage);
  const task = positionals.length > 0 ? positionals.join(' ') : process.stdin.isTTY ? '' : await readAll(process.stdin);
  if (task.trim() === '') throw new ConfigError('There is no task: belay run "what to do".');
  await using open = new AsyncDisposableStack();
  const interrupts = createInterrupts();
  const how = { isJson: values['json'] === true, yes: values['yes'] === true, interrupts };
  const code = await placeFor(values, open, interrupts.unwanted)
    .then((place) => carryOut(place, task.trim(), how))
    .catch((error) => {
      if (error instanceof Unwanted) return interruptedCode; // it was interrupted before there was a task
      throw error;
    });
  await open.disposeAsync();
  process.exitCode = code;
}

type Interrupts = ReturnType<typeof createInterrupts>;

/** What an interrupt stops changes: at first it is the start, which a second one does not wait for. */
function createInterrupts() {
  const { promise: unwanted, reject } = Promise.withResolvers<never>();
  unwanted.catch(() => {}); // by then nobody may be waiting for it
  let stop = () => {
    stop = () => process.exit(interruptedCode);
    reject(new Unwanted());
  };
  onSignal(clock, ['SIGINT', 'SIGTERM'], () => stop());
  return {
    /** Rejects with `Unwanted`. */
    unwanted,
    become(next: () => void) {
      stop = next;
    },
  };
}

interface Place {
  readonly session: ClientSession;
  readonly speaker: string;
}

const localSpeaker = 'local';

/** At a gateway, or in a runtime of this process that lives as long as the task. */
async function placeFor(values: Values, open: AsyncDisposableStack, unwanted: Promise<never>): Promise<Place> {
  const name = typeof values['session'] === 'string' ? values['session'] : ids('run');
  if (typeof values['url'] === 'string') {
    const token = values['token'] ?? process.env['BELAY_TOKEN'];
    const connecting = connect({ url: values['url'], reconnect: false, ...(token ? { token: String(token) } : {}) });
    open.defer(async () => (await connecting.catch(() => null))?.close());
    const client = await Promise.race([unwanted, connecting]);
    return { session: client.session(name), speaker: client.speaker };
  }
  // a store is not shared with a gateway that runs: in memory, where nothing else is said
  const assembled = await assemble(configFrom(values, process.env, { store: 'memory' }), open, unwanted);
  open.defer(() => assembled.runtime.close());
  if (assembled.isScripted)
    console.error('(a script plays the model: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set)');
  const session = await assembled.runtime.session(name);
  return { session: session.as(localSpeaker), speaker: localSpeaker };
}

interface How {
  readonly isJson: boolean;
  readonly yes: boolean;
  readonly interrupts: Interrupts;
}

/** The exit code. Rejects where the task was not taken. */
async function carryOut({ session, speaker }: Place, task: string, { isJson, yes, interrupts }: How): Promise<number> {
  const tell = (line: string) => console.error(line);
  const joined = await Promise.race([interrupts.unwanted, session.joined]);
  const talk = createTalk({
    session,
    hasMore: () => false,
    rested() {},
    failed: (error) => tell(`! ${error.message}`),
  });
  const names = createNames();
  names.learn(joined);
  function show(frame: ServerFrame): void {
    names.learn(frame);
    if (isJson) console.log(JSON.stringify(frame));
    if (isJson && frame.type !== 'cancel_settled') return;
    const isAsking = frame.type === 'approval_requested' || frame.type === 'question_asked';
    const viewer = { speaker: isAsking ? '' : speaker, isMine: () => true }; // nobody is told what to type
    for (const line of renderLines(frame, names, viewer)) tell(line);
  }

  const turn = talk.say(task);
  let wasInterrupted = false;
  interrupts.become(() => {
    wasInterrupted = true;
    switch (talk.interrupt()) {
      case 'cancelling':
        return tell('Received interrupt. Cancelling all running tools...');
      case 'forcing':
        return tell('Received interrupt again. Forcing...');
      default:
        process.exit(interruptedCode);
    }
  });
  // the receipt of the turn comes behind its end, so it is no event of it
  const receipts: ServerFrame[] = [];
  session.on('cancel_settled', (frame) => {
    if (frame.nodes.some(({ node }) => node === turn.id)) receipts.push(frame);
  });
  for await (const event of turn) {
    show(event);
    nobodyIsThere(session, event, yes, tell);
  }
  const { outcome } = await turn.ended;
  await talk.stopped();
  for (const receipt of receipts) show(receipt);
  if (outcome !== 'completed') return wasInterrupted ? interruptedCode : failedCode;
  if (!isJson) process.stdout.write(`${printable(await turn.reply())}\n`);
  return 0;
}

/** There is nobody to ask: approvals are given or refused as `--yes` says, and a call that asks something is stopped. */
function nobodyIsThere(session: ClientSession, event: TurnEvent, yes: boolean, tell: (line: string) => void): void {
  if (event.type === 'approval_requested') {
    const answer = yes ? session.approve(event.node) : session.deny(event.node);
    answer.catch((error: Error) => tell(`! ${error.message}`));
  }
  if (event.type === 'question_asked') session.cancel(event.node, { reason: 'nobody is there to answer' });
}

if (import.meta.main) await inSentences(runCommand);
