// An outside agent: a process that speaks the Agent Client Protocol gets tasks like any agent, asks a person, and is stopped.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, systemSources } from '@belay/runtime';
import { createScriptedProvider } from '@belay/runtime/testing';

const folder = mkdtempSync(join(tmpdir(), 'belay-example-'));

// in life: createOpenAIProvider({ apiKey, model })
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond({ messages }) {
    const said = messages.at(-1);
    if (said?.role === 'tool') return { steps: [{ text: `It says: ${said.content}` }] };
    const task = JSON.stringify({ agent: 'coder', task: said?.content });
    return { steps: [{ call: { callId: 'p1', name: 'spawn_agent', arguments: task } }] };
  },
});

const runtime = await createRuntime({
  provider,
  roots: [folder],
  agents: {
    coder: {
      description: 'Writes code.',
      // in life: { command: 'gemini', args: ['--acp'] }, or whatever else speaks the protocol on its stdin and stdout
      acp: { command: process.execPath, args: [join(import.meta.dirname, 'outside-agent.ts')] },
    },
  },
});
const session = await runtime.session('desk');
const ann = session.as('ann');

// its permission request is an approval, for the speaker of the call
ann.on('approval_requested', ({ node, question, text }) => {
  console.log(text);
  void ann.approve(node, { question });
});
const turn = ann.say('write hello.txt');
let answer = '';
for await (const event of turn) if (event.type === 'text_delta') answer += event.text;
console.log(answer);
assert.equal(answer, 'It says: I have written it.');
assert.equal(readFileSync(join(folder, 'hello.txt'), 'utf8'), 'hello');

// a cancel is `session/cancel`, then the termination of the process
const next = ann.say('think about it');
let call = '';
for await (const event of next) {
  if (event.type !== 'tool_output') continue;
  call = event.node;
  break; // it has begun
}
const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
const receipt = await next.cancel({ reason: 'changed my mind' }).settled;
const stopped = receipt?.nodes.find(({ node }) => node === call);
console.log(`${stopped?.outcome} after ${stopped?.ms} ms`);
assert.equal(stopped?.outcome, 'cancelled');
assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' }); // the receipt is true: it has gone

await runtime.close();
rmSync(folder, { recursive: true });
