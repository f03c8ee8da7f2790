// The configuration of a gateway: the precedence of its sources, and the messages about invalid settings.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/programs/config.ts';
import { ConfigError } from '../../src/programs/config-error.ts';

function fileOf(settings: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'belay-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'belay.json');
  writeFileSync(path, typeof settings === 'string' ? settings : JSON.stringify(settings));
  return path;
}

describe('readConfig', () => {
  test('has a default for everything: loopback, no tools that change anything, no folders', () => {
    expect(readConfig([], {})).toMatchObject({
      host: '127.0.0.1',
      port: 7_077,
      path: '/belay',
      store: '.belay/belay.sqlite',
      allow: [],
      roots: [],
      onDisconnect: 'continue',
      tokens: {},
    });
  });

  test('flags override the environment, the environment overrides the file', () => {
    const config = fileOf({ port: 1, host: 'file', policy: 'owner', model: { name: 'm', baseUrl: 'http://file/v1' } });
    const env = { BELAY_CONFIG: config, BELAY_PORT: '2', BELAY_HOST: 'env', OPENAI_BASE_URL: 'http://env/v1' };
    expect(readConfig(['--port', '3'], env)).toMatchObject({
      port: 3,
      host: 'env',
      policy: 'owner',
      model: { name: 'm', baseUrl: 'http://env/v1' },
    });
  });

  test('rules and limits of sessions are checked by the name of the field, with the limit [config.sessions]', () => {
    const read = (own: object, settings: object = {}) =>
      readConfig(['--config', fileOf({ ...settings, sessions: { lobby: own } })], {})?.sessions['lobby'];
    const own = {
      access: 'private',
      onDisconnect: 'cancel',
      interruptible: false,
      shieldMs: 2_000,
      approve: ['shell', 'read_*'],
      limits: { turnMs: 60_000, sayChars: 500, turnTokens: 0 },
    };
    expect(read(own)).toEqual(own);
    const wrong: readonly (readonly [own: object, says: string])[] = [
      [{ access: 'closed' }, 'sessions.lobby.access is invalid: it must be open, members or private, not "closed"'],
      [{ onDisconnect: 'stop' }, 'sessions.lobby.onDisconnect is invalid: it must be cancel or continue, not "stop"'],
      [{ interruptible: 'no' }, 'sessions.lobby.interruptible is invalid'],
      [{ shieldMs: -1 }, 'sessions.lobby.shieldMs is invalid: it must be at least 0'],
      [
        { shieldMs: 9_000 },
        'sessions.lobby.shieldMs is invalid: shieldMs of the session + limits.toolCancelMs (9000 +',
      ],
      [{ approve: ['no_tool'] }, 'sessions.lobby.approve: no_tool is invalid: there is no tool of that name'],
      [{ approve: 'shell' }, 'sessions.lobby.approve is invalid'],
      [{ limits: { turnMs: -1 } }, 'sessions.lobby.limits.turnMs is invalid: it must be at least 0'],
      [{ limits: { sayChars: 0 } }, 'sessions.lobby.limits.sayChars must be a whole number from 1 to'],
      [{ limits: { fanOut: 65 } }, 'sessions.lobby.limits.fanOut must be a whole number from 1 to 64, not 65'],
      [{ limits: { shutdownMs: 20_000 } }, 'sessions.lobby.limits.shutdownMs'],
      [{ limits: { turnMS: 1 } }, 'Did you mean turnMs?'],
    ];
    for (const [given, says] of wrong) expect(() => read(given), JSON.stringify(given)).toThrow(says);
    expect(() => readConfig(['--config', fileOf({ shieldMs: 9_000 })], {})).toThrow('The setting shieldMs is invalid');
  });

  test('the keys of folders are rules, or a text as before [tool.keys]', () => {
    const keysOf = (keys: unknown) => readConfig(['--config', fileOf({ keys })], {})?.keys;
    for (const keys of ['host', { reach: 'host' }]) expect(keysOf(keys)).toEqual({ scope: 'path', reach: 'host' });
    for (const keys of [undefined, {}, 'session']) expect(keysOf(keys)).toEqual({ scope: 'path', reach: 'session' });
    expect(keysOf({ scope: 'root' })).toEqual({ scope: 'root', reach: 'session' });
    expect(() => keysOf({ scope: 'folder' })).toThrow('keys.scope is invalid: it must be path or root, not "folder"');
    expect(() => keysOf({ scop: 'root' })).toThrow('Did you mean scope?');
    expect(() => keysOf('root')).toThrow('keys.reach is invalid: it must be session or host');
  });

  test('outside agents get their defaults, and are validated by name [agent.acp]', () => {
    const coder = { description: 'codes', acp: { command: 'coder' } };
    const config = readConfig(['--config', fileOf({ agents: { coder } })], {});
    expect(config?.agents['coder']).toMatchObject({ description: 'codes', acp: { command: 'coder', cancelMs: 2_000 } });
    const wrong = fileOf({ agents: { coder: { ...coder, acp: { command: 'coder', cwd: 'here' } } } });
    expect(() => readConfig(['--config', wrong], {})).toThrow('agents.coder.acp.cwd');
  });

  test('MCP servers have a command or a URL, and are validated by name [tool.mcp]', () => {
    const mcpServers = {
      files: { command: 'npx', args: ['-y', 'server'], trusted: true },
      web: { url: 'https://example.org/mcp', headers: { authorization: 'Bearer x' }, timeoutMs: 0 },
    };
    expect(readConfig(['--config', fileOf({ mcpServers })], {})?.mcpServers).toEqual(mcpServers);
    const wrong: readonly (readonly [object, string])[] = [
      [{ both: { command: 'x', url: 'http://x' } }, 'mcpServers.both is invalid: it needs a `command`'],
      [{ none: {} }, 'mcpServers.none'],
      [{ ftp: { url: 'ftp://x' } }, 'mcpServers.ftp'],
      [{ 'no name': { command: 'x' } }, 'mcpServers.no name'],
    ];
    for (const [servers, says] of wrong)
      expect(() => readConfig(['--config', fileOf({ mcpServers: servers })], {})).toThrow(says);
  });

  test('tools, folders and MCP servers of sessions are checked by name [tool.mcp]', () => {
    const sessions = {
      'team-*': { roots: ['.'], tools: ['read_file', 'own__*', 'common__*'], mcpServers: { own: { command: 'x' } } },
      lobby: { tools: [] },
    };
    const mcpServers = { common: { command: 'x' } };
    const read = (settings: object) =>
      readConfig(['--config', fileOf({ mcpServers, approve: ['own__*'], sessions, ...settings })], {});
    expect(read({})?.sessions).toEqual({ ...sessions, 'team-*': { ...sessions['team-*'], roots: [process.cwd()] } });
    const wrong: readonly (readonly [object, string])[] = [
      [{ 'team *': {} }, 'sessions.team *'],
      [{ lobby: { root: [] } }, 'sessions.lobby'],
      [{ lobby: { roots: [] } }, 'sessions.lobby.roots'],
      [{ lobby: { roots: ['/nowhere'] } }, 'sessions.lobby.roots is invalid: there is no folder /nowhere'],
      [{ lobby: { tools: ['no_tool'] } }, 'sessions.lobby.tools: no_tool is invalid'],
      [{ lobby: { tools: ['own__read'] } }, 'sessions.lobby.tools: own__read is invalid'],
      [{ lobby: { mcpServers: { common: { command: 'x' } } } }, 'mcpServers has a server of this name'],
      [{ lobby: { mcpServers: { own: {} } } }, 'sessions.lobby.mcpServers.own'],
    ];
    for (const [own, says] of wrong) expect(() => read({ approve: [], sessions: own })).toThrow(says);
    const tight = {
      mcpServers: {},
      sessions: { lobby: { mcpServers: { own: { command: 'x' } } } },
      limits: { termGraceMs: 1_400 },
    };
    expect(() => read(tight)).toThrow(/the MCP server own may take to stop/);
  });

  test('the timeouts of tools, their bounds and the deadline of a turn can be set, also of tools that are off [tool.timeout]', () => {
    const settings = {
      limits: { turnMs: 600_000, toolTimeoutMaxMs: 900_000 },
      toolTimeouts: { fetch_url: 20_000, shell: 0, spawn_agent: 300_000, files__read: 5_000 },
      builtin: { commandMs: 60_000, commandMaxMs: 120_000, fetchBytes: 65_536 },
      mcpServers: { files: { command: 'npx' } },
    };
    expect(readConfig(['--config', fileOf(settings)], {})).toMatchObject(settings);
    expect(readConfig([], {})).toMatchObject({ toolTimeouts: {}, builtin: {} });
  });

  test('tools that need an approval are listed by name or by prefix, also those of MCP servers', () => {
    const approve = ['shell', 'read_*', 'files__*', 'fi*', '*'];
    expect(readConfig(['--config', fileOf({ approve, mcpServers: { files: { command: 'x' } } })], {})).toMatchObject({
      approve,
    });
    expect(readConfig(['--approve', 'shell', '--approve', 'browse'], {})).toMatchObject({
      approve: ['shell', 'browse'],
    });
    expect(readConfig([], { BELAY_APPROVE: 'shell,browse' })).toMatchObject({ approve: ['shell', 'browse'] });
  });

  test('an empty variable counts as not set', () => {
    expect(readConfig([], { OPENAI_API_KEY: '', BELAY_PORT: '', BELAY_ALLOW: '' })).toMatchObject({
      port: 7_077,
      allow: [],
    });
    expect(readConfig([], { OPENAI_API_KEY: '' })?.model).not.toHaveProperty('apiKey');
  });

  test('the variables of OpenAI are not for the APIs of others', () => {
    const environment = { OPENAI_API_KEY: 'sk-openai', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', BELAY_MODEL: 'm' };
    const modelWith = (api: string) => readConfig(['--config', fileOf({ model: { api } })], environment)?.model;
    expect(modelWith('responses')).toMatchObject({ apiKey: 'sk-openai', baseUrl: 'http://127.0.0.1:1/v1' });
    expect(modelWith('anthropic')).toMatchObject({ name: 'm' });
    expect(modelWith('anthropic')).not.toHaveProperty('apiKey');
    expect(() => readConfig(['--config', fileOf({ model: { api: 'anthropic' } })], {})).toThrow(
      'The setting model.name is missing: name a model of the API anthropic, or set BELAY_MODEL.',
    );
  });

  test('lists come from repeated flags, or from a variable with separators', () => {
    const folder = tmpdir();
    expect(readConfig(['--allow', 'shell', '--allow', 'write_file', '--root', folder], {})).toMatchObject({
      allow: ['shell', 'write_file'],
      roots: [folder],
    });
    expect(readConfig([], { BELAY_ALLOW: 'shell', BELAY_ROOTS: [folder, folder].join(delimiter) })).toMatchObject({
      allow: ['shell'],
      roots: [folder, folder],
    });
  });

  test('`--help` is a flag', () => {
    expect(readConfig(['--help'], {})).toBeNull();
  });

  test.each([
    [['--port', '70000'], /port.*65535/],
    [['--port', 'x'], /port/],
    [['--policy', 'everyone'], /policy.*anyone/],
    [['--allow', 'rm'], /allow/],
    [['--allow', 'shell'], /allow.*no folder is set for shell to work in/],
    [['--allow', 'browse', '--allow', 'run_code'], /allow.*invalid: no folder is set for run_code/],
    [['--root', '/no/such/folder'], /roots.*\/no\/such\/folder/],
    [['--prot', '1'], /--prot/],
    [['--config', '/no/such/file'], /\/no\/such\/file/],
  ])('%j is rejected, and the error names the setting', (args, says) => {
    expect(() => readConfig(args, {})).toThrow(ConfigError);
    expect(() => readConfig(args, {})).toThrow(says);
  });

  test.each([
    [{ nope: 1 }, /^There is no setting nope\. There are host, port, path, .*, builtin, gateway\.$/],
    [{ prot: 1 }, 'There is no setting prot. Did you mean port?'],
    [{ instruction: 'x' }, 'There is no setting instruction. Did you mean instructions?'],
    [{ tokens: { files: 'x' } }, 'There is no setting tokens.files. Did you mean file?'],
    [
      { model: { key: 'x' } },
      'There is no setting model.key. There are baseUrl, apiKey, apiKeyFile, name, choices, api, realtime, family, headers, reasoningEffort, maxOutputTokens, temperature, cache, extraBody, firstByteMs, idleMs.',
    ],
    [
      { model: { family: 'lama' } },
      /^The setting model.family is invalid: it must be openai, .* or unknown, not "lama"\.$/,
    ],
    [
      { model: { reasoningEffort: 'Very high' } },
      'The setting model.reasoningEffort is invalid: it must be made of a-z 0-9 _ -.',
    ],
    [
      { prices: { m: { input: 'free', output: 0 } } },
      'The setting prices.m.input is invalid: it must be a number: US dollars for a million tokens.',
    ],
    [{ prices: { m: { input: 1, output: -1 } } }, 'The setting prices.m.output is invalid: it must not be negative.'],
    [{ model: { baseUrl: 'localhost' } }, 'The setting model.baseUrl is invalid: it must be a URL.'],
    [
      { model: { baseUrl: 'ftp://localhost' } },
      'The setting model.baseUrl is invalid: it must start with http:// or https://.',
    ],
    [
      { model: { baseUrl: 'https://ann:secret@models.test/v1' } },
      'The setting model.baseUrl is invalid: it must not contain credentials: give the key as apiKey.',
    ],
    [{ limits: { turnMS: 1 } }, 'There is no setting limits.turnMS. Did you mean turnMs?'],
    [{ gateway: { speed: 1 } }, /^There is no setting gateway\.speed\. There are frameBytes, .*soundQueueBytes\.$/],
    [
      { mcpServers: { files: { command: 'x', arg: [] } } },
      'There is no setting mcpServers.files.arg. Did you mean args?',
    ],
    [
      { stopPhrases: { extra: ['cease fire?'] } },
      'The setting stopPhrases.extra[0] is invalid: it must have no question mark: a question is never a stop phrase.',
    ],
    [
      { stopPhrases: { names: ['!'] } },
      'The setting stopPhrases.names[0] is invalid: it must have a letter or a digit.',
    ],
    [{ port: 'eighty' }, 'The setting port is invalid: it must be a whole number, not "eighty".'],
    [{ port: 1.5 }, 'The setting port is invalid: it must be a whole number, not 1.5.'],
    [{ port: -1 }, 'The setting port is invalid: it must be at least 0, not -1.'],
    [{ port: 70_000 }, 'The setting port is invalid: it must be at most 65535, not 70000.'],
    [
      { limits: { turnMs: 2 ** 60 } },
      /^The setting limits\.turnMs is invalid: it must be at most 2147483647, not \d+\.$/,
    ],
    [{ interruptible: 'no' }, 'The setting interruptible is invalid: it must be true or false, not "no".'],
    [{ origins: 'http://x' }, 'The setting origins is invalid: it must be a list, not a text.'],
    [{ origins: ['x'] }, 'The setting origins[0] is invalid: it must be a URL.'],
    [{ tokens: 'secret' }, 'The setting tokens is invalid: it must be an object, not a text.'],
    [{ tokens: { jwtSecret: 12_345 } }, 'The setting tokens.jwtSecret is invalid: it must be a text, not a number.'],
    [{ host: '' }, 'The setting host is invalid: it must not be empty.'],
    [{ path: 'belay' }, 'The setting path is invalid: it must begin with /.'],
    [{ policy: 'everyone' }, 'The setting policy is invalid: it must be anyone, addressed or owner, not "everyone".'],
    [
      { trustedProxies: ['10.0.0.0/8', 'proxy'] },
      'The setting trustedProxies is invalid: proxy is neither an IP address nor a range of them (10.0.0.0/8).',
    ],
    [{ allow: ['rm'] }, 'The setting allow[0] is invalid: it must be shell, run_code, write_file or browse, not "rm".'],
    [
      { agents: { coder: { acp: { command: 'x' } } } },
      'The setting agents.coder.description is invalid: it is missing.',
    ],
    [
      { mcpServers: { 'no name': { command: 'x' } } },
      'The setting mcpServers.no name is invalid: its name must be 1 to 24 letters, digits, _ and -.',
    ],
    [
      { mcpServers: { ftp: { url: 'ftp://x' } } },
      'The setting mcpServers.ftp.url is invalid: it must be an http or https URL.',
    ],
  ])('an error of %j is a whole sentence', (settings, says) => {
    const args = ['--config', fileOf(settings)];
    expect(() => readConfig(args, {})).toThrow(ConfigError);
    expect(() => readConfig(args, {})).toThrow(says instanceof RegExp ? says : new ConfigError(says));
  });

  test('the error of an unknown flag names the nearest one, or all', () => {
    expect(() => readConfig(['--prot', '1'], {})).toThrow('There is no flag --prot. Did you mean --port?');
    expect(() => readConfig(['--wat'], {})).toThrow(/^There is no flag --wat\. There are --host, .*--help\.$/);
  });

  test.each([
    ['{', /belay\.json cannot be used/],
    ['[]', /must contain a JSON object/],
    [{ prot: 1 }, /prot/],
    [{ tokens: { files: 'x' } }, /tokens/],
    [
      { tokens: { jwtSecret: 'x'.repeat(32), jwtKeyFile: 'key.pem' } },
      /tokens is invalid: jwtSecret and jwtKeyFile are set, and only one of them may be/,
    ],
    [
      { tokens: { file: 'tokens.json', jwtKeyFile: 'key.pem' } },
      /tokens is invalid: file and jwtKeyFile are set, and only one of them may be/,
    ],
    [{ limits: { termGraceMs: 2_000 } }, /termGraceMs \(2000\) must be less than limits\.toolCancelMs \(1500\)/],
    [{ limits: { toolCancelMs: 20_000 } }, /toolCancelMs \(20000\) must be less than limits\.shutdownMs/],
    [
      { limits: { termGraceMs: 900, toolCancelMs: 1_000 }, mcpServers: { files: { command: 'x' } } },
      /toolCancelMs \(1000\) must be more than the 1100 ms that the MCP server files may take to stop: 200 ms to respond, and then limits\.termGraceMs \(900\)/,
    ],
    [
      { limits: { termGraceMs: 100, toolCancelMs: 1_000 }, mcpServers: { web: { url: 'http://localhost/' } } },
      /toolCancelMs \(1000\) must be more than the 1200 ms that the MCP server web.* and then 1000 ms to close its session/,
    ],
    [{ limits: { depth: 17 } }, /depth.*16/],
    [{ limits: { speed: 1 } }, /speed/],
    [{ limits: { turnMs: 2 ** 31 } }, /limits\.turnMs.*2147483647/],
    [{ toolTimeouts: { shell: -1 } }, /toolTimeouts\.shell.*0/],
    [{ toolTimeouts: { shell: '300' } }, /toolTimeouts\.shell.*number/],
    [{ toolTimeouts: { shell: 2 ** 31 } }, /toolTimeouts\.shell.*2147483647/],
    [{ toolTimeouts: { shel: 5 } }, /toolTimeouts\.shel is.*no tool of that name\. There are read_file, .*spawn_agent/],
    [{ toolTimeouts: { files__read: 5 } }, /toolTimeouts\.files__read/],
    [{ approve: ['shel'] }, /approve: shel is.*no tool of that name/],
    [{ approve: ['files__*'] }, /approve: files__\* is/],
    [{ builtin: { commandMs: 9_000_000 } }, /commandMs \(9000000\) must not be more than builtin\.commandMaxMs/],
    [{ builtin: { fetchBytes: 0 } }, /builtin\.fetchBytes must be a whole number from 1/],
    [{ builtin: { speed: 1 } }, /speed/],
    [{ gateway: { frameBytes: 0 } }, /gateway\.frameBytes must be from 1/],
    [{ gateway: { queueBytes: 1_000 } }, /socketBytes.*must be less than gateway\.queueBytes/],
    [{ gateway: { speed: 1 } }, /speed/],
  ])('a file with %j is rejected, and the error names the setting and its limit', (settings, says) => {
    const args = ['--config', fileOf(settings)];
    expect(() => readConfig(args, {})).toThrow(ConfigError);
    expect(() => readConfig(args, {})).toThrow(says);
  });
});
