// Checks of calls: one call and its result, and several in one response.
import type { Message, MessageCall } from '../../../../machines/messages.ts';
import { quoteLine } from './answer-checks.ts';
import { type Finding, failedFinding, failsWith, partly, works } from './check-result.ts';
import type { Completed, Trial, TrialResponse } from './trial.ts';

const addNumbers = {
  name: 'add_numbers',
  description: 'Adds two whole numbers.',
  parameters: {
    type: 'object',
    properties: { a: { type: 'integer' }, b: { type: 'integer' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
};
const readGauge = {
  name: 'read_gauge',
  description: 'Reads the gauge of one city. Several cities are read by several calls at once.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

const toolsRemedy =
  'Choose a model that can call tools, and start its server so that it does (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice and --tool-call-parser).';
const resultRemedy =
  'The endpoint refused the result of a call: set model.family to the family whose rules it has. docs/how-to/models.md has the table.';

/** Rounds after which a model is not asked again. */
const maxRounds = 3;

/** Checks that the model calls a tool, and answers after its result. */
export async function checkTool(trial: Trial): Promise<Finding> {
  const start: Message = { role: 'user', content: 'Add 1931 and 4207 with the tool, then say the sum.' };
  const tools = [addNumbers];
  let messages: readonly Message[] = [start];
  for (let round = 0; round < maxRounds; round++) {
    const { end, text }: TrialResponse = await trial.ask({ messages, tools });
    if (end.kind !== 'completed') return failedFinding(end, round === 0 ? toolsRemedy : resultRemedy);
    if (end.calls.length === 0) return round === 0 ? withoutCall(text) : afterResult(text, end, round + 1);
    const wrong = end.calls.find((call) => call.name !== addNumbers.name || !hasNumbers(call));
    if (wrong) return failsWith(`It called ${wrong.name} with ${quoteLine(wrong.arguments)}.`, toolsRemedy);
    messages = [...messages, ...trial.messagesAfter(text, end, () => '6138')];
  }
  return partly(`It called the tool again after each of ${maxRounds} results.`, 'Choose a stronger model.');
}

const withoutCall = (text: string): Finding =>
  failsWith(`It did not call the tool: it said ${quoteLine(text)}.`, toolsRemedy);

function afterResult(text: string, { finish }: Completed, requests: number): Finding {
  if (text.trim() === '') return failsWith(`It said nothing after the result (${finish}).`, 'Choose another model.');
  return works(`It called the tool, and answered after its result, in ${requests} requests.`);
}

function hasNumbers({ arguments: text }: MessageCall): boolean {
  try {
    const { a, b } = JSON.parse(text);
    return Number.isInteger(Number(a)) && Number.isInteger(Number(b));
  } catch {
    return false;
  }
}

/** Checks that a response may have several calls, and that all of their results are accepted. */
export async function checkParallel(trial: Trial): Promise<Finding> {
  const start: Message = {
    role: 'user',
    content: 'Read the gauges of Oslo, Lima and Accra, all at once, then say done.',
  };
  const tools = [readGauge];
  const first = await trial.ask({ messages: [start], tools });
  if (first.end.kind !== 'completed') return failedFinding(first.end, toolsRemedy);
  const count = first.end.calls.length;
  if (count === 0) return withoutCall(first.text);
  const messages = [start, ...trial.messagesAfter(first.text, first.end, () => '7 metres')];
  const { end } = await trial.ask({ messages, tools });
  if (end.kind !== 'completed') return failedFinding(end, resultRemedy);
  if (count === 1) return partly('It makes one call in a response: tools run one after the other.', null);
  return works(`It made ${count} calls in one response, and took their results.`);
}
