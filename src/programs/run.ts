// `belay run "task"`: one task without a chat, for scripts. Only the result is written to stdout; progress goes to stderr.

import { text as readAll } from 'node:stream/consumers';
import { connect } from '../client/client.ts';
import { shutdownMsOf } from '../core/runtime/config.ts';
import { createSecret, systemSources } from '../core/sources/system.ts';
import { printErrorLine } from '../core/text/print-line.ts';
import { configFlags, configFrom } from './config.ts';
import { ConfigError } from './config-error.ts';
import { embeddedOptions } from './embedded-options.ts';
import { type Flags, readFlags } from './flags.ts';
import { runAsProgram } from './run-as-program.ts';
import { runTask, type TaskSession } from './run-task.ts';
import type { Config } from './settings.ts';
import { interruptedCode, StartInterrupted } from './signals.ts';
import { TaskInterrupts } from './task-interrupts.ts';
import { frameValidator } from './validate-frames.ts';

const usage = `belay run "task"       does one task, and ends; without a task it is read from stdin

  --json             every event as a line of JSON on stdout, instead of the result
  --yes              say yes to every call that asks for it; without this it is no
  --url URL          at a gateway that runs, instead of in this process
  --session NAME     in which session (run-…: one of its own)
  --token TOKEN      who you are, where the gateway asks for it; or BELAY_TOKEN
  --store FILE       keep the transcript (memory: do not)
  --allow TOOL, --root FOLDER, --demo, --config FILE and the environment: as for belay serve
  --help

The result is written to stdout, progress to stderr. Exit codes: 0 the task was completed; 1 it was not; 130 it was
interrupted: Ctrl-C cancels, twice forces, and the receipt is written to stderr. SIGTERM, a closed terminal
and a reader of its output that has ended cancel, too.
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
const localSpeaker = 'local';

/** Runs one task, and sets the exit code. Rejects if there is no task, or it could not be started. */
export async function runTaskCommand(args: readonly string[]): Promise<void> {
  const { values, positionals } = readFlags(args, flags, { allowPositionals: true });
  if (values['help']) return void process.stdout.write(usage);
  const task = await readTask(positionals);
  await using stack = new AsyncDisposableStack();
  // in memory by default: a store cannot be shared with a gateway that runs
  const config = typeof values['url'] === 'string' ? null : configFrom(values, process.env, { store: 'memory' });
  const interrupts = new TaskInterrupts(clock, config && shutdownMsOf(config));
  const options = { isJson: values['json'] === true, approveAll: values['yes'] === true };
  const opening = config
    ? openHere(config, nameOf(values), stack, interrupts.duringStart)
    : openAtGateway(values, stack, interrupts.duringStart);
  const code = await opening
    .then((session) =>
      runTask(session, task, { ...options, interrupts }).finally(() => interrupts.forceWith(() => session.force())),
    )
    .catch((error) => {
      if (error instanceof StartInterrupted) return interruptedCode;
      throw error;
    });
  await stack.disposeAsync();
  process.exitCode ||= code; // it is 1 after an exception that nobody has caught
}

async function readTask(positionals: readonly string[]): Promise<string> {
  const task = positionals.length > 0 ? positionals.join(' ') : process.stdin.isTTY ? '' : await readAll(process.stdin);
  if (task.trim() === '') throw new ConfigError('There is no task: belay run "what to do".');
  return task.trim();
}

interface OpenSession extends TaskSession {
  /** Skips the grace of the shutdown. */
  force(): void;
}

const nameOf = ({ session }: Flags['values']): string => (typeof session === 'string' ? session : ids('run'));

async function openAtGateway(
  values: Flags['values'],
  stack: AsyncDisposableStack,
  interrupted: Promise<never>,
): Promise<OpenSession> {
  const token = values['token'] ?? process.env['BELAY_TOKEN'];
  const connecting = connect({
    url: String(values['url']),
    reconnect: false,
    token: token ? String(token) : undefined,
    validateFrame: await frameValidator(),
  });
  stack.defer(async () => (await connecting.catch(() => null))?.close());
  const client = await Promise.race([interrupted, connecting]);
  const session = client.session(nameOf(values));
  return { session, speaker: client.speaker, force: () => process.exit(interruptedCode) };
}

/** Opens a session of a runtime in this process, which lives as long as the task. */
async function openHere(
  config: Config,
  name: string,
  stack: AsyncDisposableStack,
  interrupted: Promise<never>,
): Promise<OpenSession> {
  const [{ createRuntime }, { startRuntimeParts }] = await Promise.all([
    import('../embed/runtime.ts'),
    import('./runtime-parts.ts'),
  ]);
  const key = config.key ? createSecret() : null;
  const { runtimeConfig, isScripted, stately } = await startRuntimeParts({
    configured: config,
    stack,
    interrupted,
    key,
  });
  if (stately !== null) printErrorLine(`inspector: ${stately}`);
  const runtime = await createRuntime(embeddedOptions(runtimeConfig));
  stack.defer(() => runtime.close());
  if (isScripted)
    printErrorLine(
      `(a script plays the model${config.demo ? '' : ': neither OPENAI_API_KEY nor OPENAI_BASE_URL is set'})`,
    );
  const session = await runtime.session(name);
  return {
    session: session.as(localSpeaker),
    speaker: localSpeaker,
    force: () => void runtime.close({ force: true }),
  };
}

if (import.meta.main) await runAsProgram(runTaskCommand);
