// The floor's turn: model, tools in parallel, model again, until it answers or its signal fires. A sub-agent is the same loop once more.
//
// The history is sound at every end: the partial text is kept and marked, a call that stands in it has exactly one result.
import { randomUUID } from 'node:crypto';
import type OpenAI from 'openai';
import type { StreamChunks } from './chunks-of-model.ts';

export type FloorMessage = OpenAI.ChatCompletionMessageParam;
type Call = OpenAI.ChatCompletionMessageFunctionToolCall;

export interface FloorTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  run(
    input: Readonly<Record<string, unknown>>,
    call: { readonly signal: AbortSignal; output(text: string): void },
  ): Promise<string>;
}

export interface FloorTurn {
  readonly id: string;
  readonly tools: readonly FloorTool[];
  readonly history: FloorMessage[];
  readonly signal: AbortSignal;
  /** What a cancel of the turn stops, with what became of it; a sub-agent's nodes stand in its root's. */
  readonly nodes: Map<string, string>;
}

export interface World {
  readonly streamChunks: StreamChunks;
  readonly model: string;
  /** How long a call may take to end after the signal, before it counts as abandoned. */
  readonly stopMs: number;
  /** Sends to the clients at once. */
  publish(event: object): void;
  /** Sends after the journal has it. */
  record(event: object): Promise<void>;
}

const maxRounds = 32;
const spawnAgent = 'spawn_agent';

/** Resolves with the last text when the model has answered without calls, or when the signal has fired. */
export async function runTurn(world: World, turn: FloorTurn, opened: Promise<void>): Promise<string> {
  const { history, signal } = turn;
  let text = '';
  for (let round = 0; round < maxRounds && !signal.aborted; round++) {
    const answer = await callModel(world, turn, round, opened);
    const { calls } = answer;
    text = answer.text;
    if (calls.length === 0) {
      if (text !== '') history.push({ role: 'assistant', content: signal.aborted ? `${text} [cut off]` : text });
      return text;
    }
    await world.record({ type: 'tool_calls', turn: turn.id, calls }); // before any of them runs
    const results = await Promise.all(calls.map((call) => runCall(world, turn, call)));
    history.push({ role: 'assistant', content: text, tool_calls: calls }, ...results);
  }
  return text;
}

/** One model call. Cut off, it has its text so far, and none of the calls that were still arriving. */
async function callModel(
  { streamChunks, model, publish, record }: World,
  turn: FloorTurn,
  index: number,
  opened: Promise<void>,
) {
  const { id, history, tools, signal } = turn;
  const calls: Call[] = [];
  let text = '';
  const addChunk = (chunk: OpenAI.ChatCompletionChunk) => {
    const delta = chunk.choices[0]?.delta;
    if (delta?.content) {
      publish({ type: 'text_delta', turn: id, index, offset: text.length, text: delta.content });
      text += delta.content;
    }
    for (const { index: at, id: callId, function: part } of delta?.tool_calls ?? []) {
      const call = calls[at] ?? {
        id: callId ?? `call_${at}`,
        type: 'function',
        function: { name: '', arguments: '' },
      };
      calls[at] = call;
      call.function.name += part?.name ?? '';
      call.function.arguments += part?.arguments ?? '';
    }
  };
  try {
    await streamChunks(
      {
        model,
        messages: history,
        tools: tools.map(({ name, description, parameters }) => ({
          type: 'function',
          function: { name, description, parameters: { ...parameters } },
        })),
        stream: true,
        stream_options: { include_usage: true },
      },
      { signal, opened, addChunk },
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  await record({ type: 'model_ended', turn: id, index, text, cutOff: signal.aborted });
  return { text, calls: signal.aborted ? [] : calls };
}

/** Runs a call; whatever happens becomes its one result. */
async function runCall(world: World, turn: FloorTurn, call: Call): Promise<FloorMessage> {
  const { name, arguments: written } = call.function;
  const { signal, nodes } = turn;
  const node = `call_${randomUUID()}`;
  let outcome = 'not_started';
  let output = 'Cancelled before it started.';
  if (!signal.aborted) {
    nodes.set(node, 'running');
    world.publish({ type: 'tool_started', turn: turn.id, node, name });
    try {
      const input = JSON.parse(written || '{}') as Record<string, unknown>;
      output = await settleWithin(world, signal, runTool(world, turn, node, name, input));
      outcome = signal.aborted ? 'cancelled' : 'completed';
    } catch (error) {
      outcome = signal.aborted ? 'cancelled' : 'failed';
      output = String(error);
    }
  }
  nodes.set(node, outcome);
  await world.record({ type: 'tool_result', turn: turn.id, node, outcome, output });
  const content = outcome === 'completed' ? output : `[${outcome}] ${output}`;
  return { role: 'tool', tool_call_id: call.id, content };
}

function runTool(world: World, turn: FloorTurn, node: string, name: string, input: Readonly<Record<string, unknown>>) {
  if (name === spawnAgent) {
    const tools = turn.tools.filter((tool) => tool.name !== spawnAgent);
    const history: FloorMessage[] = [{ role: 'user', content: String(input['task']) }];
    const id = `turn_${randomUUID()}`;
    const opened = world.record({ type: 'turn_started', turn: id, parent: node });
    return runTurn(world, { ...turn, id, tools, history }, opened);
  }
  const tool = turn.tools.find((each) => each.name === name);
  if (!tool) throw new Error(`There is no tool named ${name}.`);
  const output = (text: string) => world.publish({ type: 'tool_output', node, text });
  return tool.run(input, { signal: turn.signal, output });
}

/** Rejects for a tool that ignores its signal, so that the turn settles. */
function settleWithin({ stopMs }: World, signal: AbortSignal, running: Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const startTimer = () => {
      timer = setTimeout(
        () => reject(new Error(`The tool did not stop within ${stopMs} ms and was abandoned.`)),
        stopMs,
      );
    };
    signal.addEventListener('abort', startTimer);
    if (signal.aborted) startTimer();
    running.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', startTimer);
      clearTimeout(timer);
    });
  });
}

/** Declared to a model that may delegate; there is nothing to run. */
export const spawnAgentTool: FloorTool = {
  name: spawnAgent,
  description: 'Hands a task to another agent, which has a model and tools of its own.',
  parameters: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
  run: () => Promise.reject(new Error('a sub-agent is a turn')),
};
