// Every code block of the pages is right: TypeScript compiles against the sources, JSON parses, commands and flags exist, links lead somewhere.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { configFlags } from '../../src/programs/config.ts';
import { deleteFlags } from '../../src/programs/delete-session.ts';
import { stopFlags } from '../../src/programs/stop-work.ts';
import { scaled } from '../support/time-scale.ts';
import { atTheirLines, codeBlocksOf, programsOf } from './code-blocks.ts';
import { filesBelow, read, root } from './tree.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  'scripts/prove/README.md',
  ...filesBelow('docs'),
].filter((path) => path.endsWith('.md'));
const blocks = pages.flatMap((path) => codeBlocksOf(read(path)).map((block) => ({ path, ...block })));
const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(read('package.json'));
const npmOwn = ['start', 'test', 'ci', 'cit', 'i', 'install', 'pack', 'run'];

/** Flags of `belay chat` and `belay run` alone. */
const flagsOfClients = ['token', 'session', 'resume', 'json', 'yes', 'url', 'help', 'version'];
/** Those of `belay sessions`, `belay cancels` and `belay export`, beside what all readers of a store have. */
const flagsOfReaders = ['limit', 'blobs', 'state', 'speaker', 'tool', 'cause', 'since'];

/** A reader's project may be less strict than this one. */
const compilerOptions = {
  noUnusedLocals: false,
  noUnusedParameters: false,
  noPropertyAccessFromIndexSignature: false,
};

/** Compiles programs, by file name, as files of the checkout; returns what the compiler says of them. */
async function compile(programs: ReadonlyMap<string, string>): Promise<string[]> {
  mkdirSync(join(root, '.belay'), { recursive: true });
  const folder = mkdtempSync(join(root, '.belay/pages-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of programs) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['.'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const run = promisify(execFile)(tsc, ['-p', '.', '--checkers', '1', '--pretty', 'false'], { cwd: folder });
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  return stdout.split('\n').filter((line) => line !== '');
}

/** Returns all that a page shows as code, a line for each piece. */
const codeIn = (page: string): string =>
  [...page.matchAll(/^```\w*.*\n([\s\S]*?)^```$|`([^`\n]+)`/gm)]
    .map(([, block, span]) => block ?? span ?? '')
    .join('\n');

/** Commands of npm in a text that name no script, and flags after `--` that no command has. */
function unknownIn(text: string): string[] {
  const commands = [...text.matchAll(/\bnpm (run )?([a-z][a-z:-]*)/g)].flatMap(([found, isScript, name = '']) =>
    name in scripts || (!isScript && npmOwn.includes(name)) ? [] : [found],
  );
  const lines = text.split('\n').filter((line) => /^(npm (start|run (dev|chat|belay))|belay)\b/.test(line));
  const known = [
    ...Object.keys(configFlags),
    ...flagsOfClients,
    ...Object.keys(stopFlags),
    ...Object.keys(deleteFlags),
    ...flagsOfReaders,
  ];
  const flags = lines.flatMap((line) =>
    [...line.matchAll(/(?<= )--([a-z]+)/g)].flatMap(([flag, name = '']) => (known.includes(name) ? [] : [flag])),
  );
  return [...commands, ...flags];
}

/** Files that a page has its reader write. */
const isReaders = (file: string): boolean => file.startsWith('playground/');

const anchorsOf = (page: string): string[] =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Links of a page that lead to no file or no heading. */
function lostLinksIn(path: string): string[] {
  const text = read(path).replaceAll(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g)].flatMap(([link, file = '', anchor]) => {
    const target = file === '' ? path : posix.join(posix.dirname(path), file);
    if (!existsSync(join(root, target))) return [`${path} ${link}`];
    return anchor && target.endsWith('.md') && !anchorsOf(read(target)).includes(anchor) ? [`${path} ${link}`] : [];
  });
}

test('TypeScript compiles, and a type that is wrong is an error at its line', { timeout: scaled(60_000) }, async () => {
  const programs = new Map(
    pages.flatMap((path) =>
      programsOf(read(path)).map((text, index) => [`${path.replace(/\.md$/, '')}/${index}.ts`, text] as const),
    ),
  );
  expect(programs.size).toBeGreaterThan(5);
  const wrong = "\n\nimport { createRuntime } from '@belay/runtime';\nawait createRuntime({ provider: 1 });\n";
  const errors = await compile(new Map([...programs, ['wrong.ts', wrong]]));
  expect(errors.filter((line) => !line.startsWith('wrong.ts'))).toEqual([]);
  expect(errors).toContainEqual(expect.stringMatching(/^wrong\.ts\(4,/));
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)('Python has the syntax of Python, and a block that has not is an error', () => {
  const program = 'import ast, sys; ast.parse(sys.stdin.read())';
  const parses = (input: string) => spawnSync('python3', ['-c', program], { input }).status === 0;
  const python = blocks.filter(({ language }) => language === 'python');
  expect(python.length).toBeGreaterThan(0);
  expect(python.filter(({ text }) => !parses(text))).toEqual([]);
  expect(parses('print("a"')).toBe(false);
});

test('at most two blocks of TypeScript are not compiled, each with a reason', () => {
  const skipped = blocks.filter(({ language, info }) => language === 'ts' && info.startsWith('nocheck'));
  expect(skipped.length).toBeLessThanOrEqual(2);
  expect(skipped.filter(({ info }) => info.split(' ').length < 4)).toEqual([]);
});

test('no block has a language or a mark that nothing checks', () => {
  const unknown = blocks.filter(
    ({ language, info }) =>
      !['', 'ts', 'json', 'sh', 'python', 'mermaid'].includes(language) || !/^(|alone|nocheck .+)$/.test(info),
  );
  expect(unknown.map(({ path, line, language, info }) => `${path}:${line} ${language} ${info}`)).toEqual([]);
});

test('JSON parses', () => {
  for (const { path, line, text } of blocks.filter(({ language }) => language === 'json'))
    expect(() => JSON.parse(text), `${path}:${line}`).not.toThrow();
});

test('commands name scripts of package.json, and flags that there are', () => {
  const unknown = pages.flatMap((path) => unknownIn(codeIn(read(path))).map((found) => `${path}: ${found}`));
  expect(unknown).toEqual([]);
});

test('files named as code exist, by their path from the root or from src', () => {
  const lost = pages.flatMap((path) =>
    [...read(path).matchAll(/`((?:[\w-]+\/)+[\w-]+(?:\.[\w-]+)*\.ts)`/g)].flatMap(([, file = '']) =>
      [file, `src/${file}`, `machines/${file}`].some((at) => existsSync(join(root, at))) || isReaders(file)
        ? []
        : [`${path} ${file}`],
    ),
  );
  expect(lost).toEqual([]);
});

test('links lead to files and headings', () => {
  expect(pages.flatMap(lostLinksIn)).toEqual([]);
});

describe('the checks see what is wrong', () => {
  const page = [
    '# A page',
    '```ts',
    'const a = 1;',
    '```',
    '<!-- ts',
    'declare const b: number;',
    '-->',
    '```ts alone',
    'const a = 2;',
    '```',
    '```ts',
    'a + b;',
    '```',
    '',
  ].join('\n');

  test('blocks are read with their lines; one that stands alone is a program of its own', () => {
    expect(codeBlocksOf(page).map(({ line, info }) => [line, info])).toEqual([
      [3, ''],
      [6, ''],
      [9, 'alone'],
      [12, ''],
    ]);
    const [together = '', alone = ''] = programsOf(page);
    expect(together.split('\n').flatMap((text, index) => (text ? [`${index + 1} ${text}`] : []))).toEqual([
      '3 const a = 1;',
      '6 declare const b: number;',
      '12 a + b;',
    ]);
    expect(alone.trim()).toBe('const a = 2;');
    expect(atTheirLines([])).toBe('\n');
  });

  test('a script and a flag that are not there', () => {
    expect(unknownIn('npm run nothing\nnpm start -- --nope --root .\nnpm cit\n')).toEqual([
      'npm run nothing',
      '--nope',
    ]);
  });
});
