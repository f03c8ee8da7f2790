// `belay check-model`: tries the configured model by a few small requests, and says what works, what does not, and what to do.

import { checkModel, isUsable } from '../adapters/models/check/check-model.ts';
import { type CheckResult, usageOf } from '../adapters/models/check/check-result.ts';
import { keepAlive, systemSources } from '../core/sources/system.ts';
import { printJson, printLine } from '../core/text/print-line.ts';
import { durationText } from '../core/words/durations.ts';
import { configFrom } from './config.ts';
import { readFlags } from './flags.ts';
import { assertModel, isScripted, modelUrlOf, startModelProvider } from './model-provider.ts';
import { modelOptionsOf } from './model-settings.ts';
import { failedCode, runAsProgram } from './run-as-program.ts';

const usage = `belay check-model      tries the configured model: text, tools, images, reasoning, cancel

  --json             the results as one line of JSON on stdout
  --config FILE      and the environment: as for belay serve
  --help

It sends about ten small requests, each of at most 2 000 tokens and 120 seconds. Exit codes: 0 text, tools and
cancel work; 1 one of them does not.
`;

const flags = {
  json: { type: 'boolean', default: false },
  config: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Checks the model, and sets the exit code. Rejects if the settings are wrong. */
export async function checkModelCommand(args: readonly string[]): Promise<void> {
  const { values } = readFlags(args, flags);
  if (values['help']) return void process.stdout.write(usage);
  const { model, prices } = configFrom({ config: values['config'] }, process.env);
  assertModel(model, false);
  const isJson = values['json'] === true;
  await using stack = new AsyncDisposableStack();
  stack.defer(keepAlive()); // the clock's timers keep no process alive, and a pause before a retry has nothing else
  const provider = await startModelProvider(model, stack);
  const name = provider.model ?? model.name;
  const url = isScripted(model) ? null : modelUrlOf(model); // null: a script
  if (!isJson) printLine(headingFor(name, url));
  const results = await checkModel({
    provider,
    clock: systemSources.clock,
    options: modelOptionsOf(model),
    price: Object.hasOwn(prices, name) ? prices[name] : undefined,
    onResult: (result) => {
      if (!isJson) printLine(linesFor(result).join('\n'));
    },
  });
  const isFit = isUsable(results);
  const report = { model: name, url, usable: isFit, checks: results, usage: usageOf(results) };
  if (isJson) printJson(report);
  else printLine(`\n${sumOf(results)}\n${isFit ? verdicts.fit : verdicts.unfit}`);
  process.exitCode = isFit ? 0 : failedCode;
}

const verdicts = {
  fit: 'Belay can use this model: text, tools and cancel work.',
  unfit: 'Belay cannot use this model as it is: text, tools and cancel must work.',
};

const headingFor = (name: string, url: string | null): string =>
  url === null
    ? 'SCRIPTED: a script plays the model, because neither OPENAI_API_KEY nor OPENAI_BASE_URL is set.\n'
    : `${name} at ${url}\n`;

const stateWords = { works: 'works', partly: 'partly', fails: 'FAILS', not_tried: '-' } as const;

function linesFor({ check, state, detail, remedy, ms }: CheckResult): readonly string[] {
  const time = state === 'not_tried' ? '' : durationText(ms);
  const line = `  ${check.padEnd(10)} ${stateWords[state].padEnd(7)} ${time.padStart(7)}  ${detail}`;
  return remedy === null ? [line] : [line, `${' '.repeat(30)}${remedy}`];
}

function sumOf(results: readonly CheckResult[]): string {
  const { input, output, cost } = usageOf(results);
  const requests = results.reduce((sum, result) => sum + result.requests, 0);
  const money = cost === undefined ? '' : `, ${cost.toFixed(4)} US dollars`;
  return `${requests} requests, ${(input ?? 0) + (output ?? 0)} tokens${money}.`;
}

if (import.meta.main) await runAsProgram(checkModelCommand);
