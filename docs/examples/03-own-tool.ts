// A tool of your own: typed by its schema, run by the model, stopped by a CANCEL; no server anywhere.
import assert from 'node:assert/strict';
import { createRuntime, defineTool, systemSources } from '@belay/runtime';
import { createScriptedProvider } from '@belay/runtime/testing';
import { z } from 'zod';

const brewed: string[] = [];
const brew = defineTool({
  name: 'brew',
  description: 'Brews a pot of something.',
  input: z.object({ what: z.enum(['tea', 'coffee']), minutes: z.number().positive() }),
  access: 'parallel', // several pots at once
  cancel: 'abortable', // it ends by its signal
  effect: 'some', // it does something to the world
  async run({ what, minutes }, { signal, output }) {
    output(`the ${what} is on\n`);
    const stopped = await sleep(minutes * 60_000, signal);
    if (stopped) return { kind: 'stopped', output: `${what}: taken off` };
    brewed.push(what);
    return `${what}: ready`;
  },
});

/** Resolves after `ms` with false, or with true as soon as the signal comes. */
function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

// in life: createOpenAIProvider({ apiKey, model })
const provider = createScriptedProvider({
  clock: systemSources.clock,
  respond: (request) =>
    request.messages.at(-1)?.role === 'tool'
      ? { steps: [{ text: 'Your tea is ready.' }] }
      : {
          steps: [
            { text: 'Both are on their way. ' },
            { call: { callId: 'p1', name: 'brew', arguments: '{"what":"tea","minutes":0.001}' } },
            { call: { callId: 'p2', name: 'brew', arguments: '{"what":"coffee","minutes":60}' } },
          ],
        },
});

const runtime = await createRuntime({ provider, tools: [brew] });
const session = await runtime.session('kitchen');
const ann = session.as('ann');
const turn = ann.say('tea and coffee, please');

// the tea is ready: the coffee need not be any more
const calls = new Map<string, string>();
for await (const event of turn) {
  if (event.type === 'text_delta') console.log(event.text);
  if (event.type === 'tool_call') calls.set(event.node, event.arguments);
  if (event.type !== 'tool_result') continue;
  console.log(`${event.outcome}: ${event.output}`);
  if (event.outcome !== 'completed') continue;
  const [coffee] = [...calls].find(([, args]) => args.includes('coffee')) ?? [];
  assert(coffee);
  const { accepted, settled } = turn.tool(coffee).cancel({ reason: 'it is late' });
  const answer = await accepted;
  assert.equal(answer.type, 'cancel_accepted');
  const receipt = await settled;
  assert.deepEqual(
    receipt?.nodes.map(({ node, outcome, effect }) => ({ node, outcome, effect })),
    [{ node: coffee, outcome: 'cancelled', effect: 'unknown' }],
  );
}

// one call was stopped, the turn went on: its next request has the result of each
assert.equal((await turn.ended).outcome, 'completed');
assert.deepEqual(brewed, ['tea']);
const results = provider.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
assert.equal(results?.length, 2);
assert.match(results[1]?.content ?? '', /"cancelled":true/);

await runtime.close();
