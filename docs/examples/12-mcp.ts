// Tools of an MCP server: the model calls them like any other; one that ignores its cancellation is stopped all the same.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { connectMcpServers, createRuntime, systemSources } from '@belay/runtime';
import { createScriptedProvider } from '@belay/runtime/testing';

const mcp = await connectMcpServers({
  servers: {
    // in life: { command: 'npx', args: ['-y', 'some-server'] }, or { url: 'https://example.org/mcp' }
    weather: { command: process.execPath, args: [join(import.meta.dirname, 'mcp-server.ts')] },
  },
  ...systemSources,
});
assert.deepEqual(
  mcp.tools().map(({ name }) => name),
  ['weather__current', 'weather__simulate'],
);

// in life: createOpenAIProvider({ apiKey, model })
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond({ messages }) {
    const said = messages.at(-1);
    if (said?.role === 'tool') return { steps: [{ text: said.content }] };
    const name = said?.content.includes('next year') ? 'weather__simulate' : 'weather__current';
    return {
      steps: [{ call: { callId: 'p1', name, arguments: name.endsWith('current') ? '{"town":"Bergen"}' : '{}' } }],
    };
  },
});
const runtime = await createRuntime({ provider, toolSources: [mcp] });
const session = await runtime.session('window');
const ann = session.as('ann');

const ask = async (question: string) => {
  let answer = '';
  for await (const event of ann.say(question)) if (event.type === 'text_delta') answer += event.text;
  return answer;
};
const answer = await ask('what is it like outside?');
console.log(answer);
assert.equal(answer, 'It rains in Bergen.');

// its progress is shown while it works
const turn = ann.say('and next year?');
for await (const event of turn) {
  if (event.type !== 'tool_output') continue;
  assert.equal(event.text, '1/365\n');
  break;
}

// the server gets the cancellation, and goes on: so its process is terminated
const receipt = await turn.cancel({ reason: 'never mind' }).settled;
const stopped = receipt?.nodes.find(({ kind }) => kind === 'tool-call');
console.log(`${stopped?.outcome} after ${stopped?.ms} ms`);
assert.equal(stopped?.outcome, 'cancelled');
assert.equal(stopped?.effect, 'unknown');

// and started again when somebody needs it
assert.equal(await ask('still raining?'), 'It rains in Bergen.');

await runtime.close();
await mcp.close();
