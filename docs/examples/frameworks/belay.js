// The parts that the examples of this folder share: a runtime with a shell, whose model is a script, and a task that a signal cancels.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinTools, createRuntime, systemSources } from '@belay/runtime';
import { createScriptedProvider } from '@belay/runtime/testing';

/** Runs until it is stopped. */
const build = 'echo $$ > pid.new; mv pid.new pid; exec sleep 600';

/** In life: createOpenAIProvider({ apiKey, model }). */
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond({ messages }) {
    const said = messages.at(-1)?.content;
    if (said !== 'run the build') return { steps: [{ text: `Done: ${said}.` }] };
    return { steps: [{ call: { callId: 'c1', name: 'shell', arguments: JSON.stringify({ command: build }) } }] };
  },
});

/** Starts a runtime whose tools may touch a folder of their own. */
export async function startRuntime() {
  const folder = mkdtempSync(join(tmpdir(), 'belay-example-'));
  const tools = builtinTools({ allowShell: true });
  const runtime = await createRuntime({ provider, roots: [folder], tools, acknowledge: 'off' });
  return { runtime, folder };
}

export async function closeRuntime({ runtime, folder }) {
  await runtime.close();
  rmSync(folder, { recursive: true });
}

/**
 * Says a task, and resolves with the answer. The signal is a CANCEL: this rejects when everything that ran has ended.
 * @param speaker Of `session.as(…)`.
 */
export async function runTask(speaker, task, signal) {
  const turn = speaker.say(task);
  const cancel = () => turn.cancel({ reason: 'the signal of the call was aborted' });
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel);
  try {
    return await turn.reply();
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

/** Resolves with the id of the process of the build, when it runs. */
export async function untilBuilding({ folder }) {
  const file = join(folder, 'pid');
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 10));
  return Number(readFileSync(file, 'utf8'));
}

export const assertEnded = (pid) => assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });

/**
 * Aborts a signal in the middle of a build, and checks that the process of the build has ended with it.
 * @param build Starts the build with a signal, by the framework.
 */
export async function assertSignalStops(belay, speaker, build) {
  const receipt = new Promise((resolve) => speaker.on('cancel_settled', resolve));
  const stop = new AbortController();
  const building = build(stop.signal);
  const pid = await untilBuilding(belay);
  stop.abort();
  await assert.rejects(building);
  // a framework may let go of the call at once: the receipt says when everything has ended
  const { nodes } = await receipt;
  assertEnded(pid);
  console.log(nodes.map(({ kind, outcome }) => `${kind}: ${outcome}`).join(', '));
}
