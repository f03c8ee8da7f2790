// Tables over codes are total: a code that is planted in each closed set is an error of types in each file that has to say something about it.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { typeErrorsOf } from '../../scripts/core-alone.ts';
import { root } from './tree.ts';

interface Plant {
  /** The code; its type, where it has fields, has the same name without underscores. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file once, and is replaced. */
  readonly before: string;
  readonly after: string;
  /** The files that do not compile with it. */
  readonly tables: readonly string[];
}

/** Plants a code before the first one of a set. */
const first = (name: string, file: string, code: string, tables: readonly string[]): Plant => ({
  name,
  file,
  before: code,
  after: code.replace(/(?=['\w]+[,:] *$)/, code.endsWith(':') ? `${name}: '',\n  ` : `'${name}',\n  `),
  tables,
});

const words = 'src/core/words/receipt-words.ts';
const modelWords = 'src/core/words/model-words.ts';
const vocabulary = 'machines/vocabulary.ts';
const codes = 'machines/codes.ts';
const records = 'src/page/inspector-view/records/record-words.ts';
const statuses = 'src/gateway/http/http-codes.ts';

const plants: readonly Plant[] = [
  first('planted_outcome', vocabulary, "outcomeKinds = [\n  'completed',", [
    'src/client/view/node-status.ts',
    'src/core/session/acknowledgements.ts',
    modelWords,
    words,
    'src/core/words/session-status.ts',
    records,
    'src/page/inspector-view/wave/wave-words.ts',
    'src/programs/scripted/interruption.ts',
  ]),
  {
    name: 'planted_effect',
    file: vocabulary,
    before: "effects = ['not_started', ",
    after: "effects = ['planted_effect', 'not_started', ",
    tables: ['machines/totals.ts', modelWords, words, records],
  },
  first('planted_cause', vocabulary, "causeSources = [\n  'client',", [
    'machines/cause-rules.ts',
    'machines/decision-replay.ts', // where `planted_evidence` is missing: the message lists the sources of causes
    words,
  ]),
  first('planted_finish', vocabulary, "finishes = [\n  'stop',", [words, 'src/doors/ui-stream/ui-chunks.ts']),
  {
    name: 'planted_fate',
    file: vocabulary,
    before: "inputFates = ['consumed', ",
    after: "inputFates = ['planted_fate', 'consumed', ",
    tables: [words],
  },
  {
    name: 'planted_kind',
    file: vocabulary,
    before: "nodeKinds = ['turn', ",
    after: "nodeKinds = ['planted_kind', 'turn', ",
    tables: ['src/core/runtime/local-directory.ts', records, 'src/page/inspector-view/wave/kind-icon.tsx'],
  },
  {
    name: 'planted_policy',
    file: vocabulary,
    before: "policies = ['anyone', ",
    after: "policies = ['planted_policy', 'anyone', ",
    tables: ['src/programs/slash-commands.ts'],
  },
  first('planted_standing', codes, 'standingCodes = {\n  not_owner:', [words, statuses]),
  first('planted_refusal', codes, '  ...standingCodes,\n  turn_running:', [statuses]),
  first('planted_answer', codes, 'answerCodes = {\n  expired:', [statuses]),
  first('planted_error', 'src/wire/errors.ts', '  // invalid frames\n  not_text:', [statuses]),
  {
    name: 'planted_close',
    file: 'src/wire/close-codes.ts',
    before: 'closeCodes = {\n',
    after: "closeCodes = {\n  planted_close: { code: 4498, message: '' },\n",
    tables: ['src/client/reconnecting-link.ts', 'src/gateway/refusal-reports.ts'],
  },
  {
    name: 'planted_fact',
    file: 'machines/facts.ts',
    before: '  | SessionRecovered;\n',
    after:
      "  | SessionRecovered | PlantedFact;\nexport interface PlantedFact { readonly type: 'planted_fact'; readonly planted: true }\n",
    tables: [
      'machines/facts.ts',
      'src/adapters/telemetry/counted-facts.ts',
      'src/core/reports/log-lines.ts',
      'src/core/reports/node-report.ts',
      'src/core/reports/session-usage.ts',
      'src/core/transcript/fork.ts',
      'src/core/transcript/outline.ts',
      'src/core/transcript/redact.ts',
      'src/page/inspector-view/wave/fact-cancels.ts',
      'src/wire/fact-frames.ts',
    ],
  },
  // a field of an end that is not read back would be missing in the receipts of recovery
  {
    name: 'planted_end',
    file: 'machines/facts.ts',
    before: 'export interface SettledNode extends StopDetails {\n',
    after: 'export interface SettledNode extends StopDetails {\n  readonly plantedEnd?: true;\n',
    tables: ['src/core/receipt/receipt.ts'],
  },
  {
    name: 'planted_evidence',
    file: 'machines/standing.ts',
    before: 'export interface Evidence {\n',
    after: 'export interface Evidence {\n  readonly plantedEvidence?: boolean | undefined;\n',
    tables: ['machines/decision-replay.ts'],
  },
  {
    name: 'planted_detail',
    file: vocabulary,
    before: 'export interface StopDetails {\n',
    after: 'export interface StopDetails {\n  readonly plantedDetail?: number;\n',
    tables: [vocabulary, 'src/core/receipt/receipt.ts', 'src/core/tools/parse-tool-end.ts', words],
  },
  // the frame of a fact is one of these: the compiler names one of two that are missing
  {
    name: 'planted_frame',
    file: 'src/wire/server-frames.ts',
    before: '  | PongFrame\n',
    after: "  | PongFrame\n  | { readonly type: 'planted_frame' }\n",
    tables: ['src/client/view/fold.ts', 'src/programs/render-line.ts'],
  },
];

const folder = mkdtempSync(join(tmpdir(), 'belay-plants-'));
let errors: readonly { readonly file: string; readonly text: string }[] = [];

beforeAll(async () => {
  for (const path of ['machines', 'src', 'tsconfig.json', 'package.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const compilerOptions = { jsx: 'react-jsx', lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'] };
  const config = { extends: './tsconfig.json', compilerOptions, include: ['machines', 'src'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.plants.json'), JSON.stringify(config));
  for (const { file, before, after } of plants) {
    const source = readFileSync(join(folder, file), 'utf8');
    if (source.split(before).length !== 2) throw new Error(`${file} does not have this once: ${before}`);
    writeFileSync(join(folder, file), source.replace(before, after));
  }
  errors = messagesOf(await typeErrorsOf(folder, 'tsconfig.plants.json'));
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A message may go on in lines that are indented. */
function messagesOf(lines: readonly string[]): readonly { readonly file: string; readonly text: string }[] {
  const messages: { file: string; text: string }[] = [];
  for (const line of lines) {
    const file = /^(\S.*)\(\d+,\d+\): error /.exec(line)?.[1];
    const last = messages.at(-1);
    if (file !== undefined) messages.push({ file, text: line });
    else if (last) last.text += `\n${line}`;
  }
  return messages;
}

test.each(plants)('a new code $name is missing in each table over its set, and nowhere else', ({ name, tables }) => {
  const isNamed = (text: string) => text.toLowerCase().replaceAll('_', '').includes(name.replaceAll('_', ''));
  const found = errors.filter(({ text }) => isNamed(text)).map(({ file }) => file);
  expect([...new Set(found)].sort()).toEqual([...tables].sort());
});
