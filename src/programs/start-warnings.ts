// Says at the start, in one line each, by which way others could read the gateway's keys and tokens.
import { readFileSync, statSync } from 'node:fs';
import { fieldsOf } from '../core/collections/fields.ts';
import { secretFilesOf } from './bus-settings.ts';
import type { Config } from './settings.ts';

/** Variables with secrets, and what gives them without the environment. */
const secretVariables = {
  OPENAI_API_KEY: 'OPENAI_API_KEY_FILE',
  BELAY_JWT_SECRET: 'BELAY_JWT_SECRET_FILE',
} as const;

const commandTools = ['shell', 'run_code'] as const;

/** Returns the warnings about a configuration; none where nothing is open. */
export function startWarnings(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return [...environmentWarning(config, environment), ...fileWarnings(config)];
}

function environmentWarning({ allow, tools }: Config, environment: Parameters<typeof startWarnings>[1]): string[] {
  const names = Object.keys(secretVariables).filter((name) => environment[name]);
  const allowed = commandTools.filter((name) => allow.includes(name));
  if (names.length === 0 || allowed.length === 0 || tools.user !== undefined) return [];
  const instead = Object.entries(secretVariables).flatMap(([name, file]) => (names.includes(name) ? [file] : []));
  const [is, it] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return [
    `${names.join(' and ')} ${is} in the environment of this process, and ${allowed.join(' and ')} may read ${it} there: give ${it} by ${instead.join(' and ')}, and commands a user of their own (tools.user).`,
  ];
}

/** Whether users other than the owner may read the file. False if it cannot be seen. */
function isReadableByOthers(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && (stat.mode & 0o044) !== 0;
}

function fileWarnings(config: Config): string[] {
  const { file, model, tokens, metricsTokenFile } = config;
  const files: readonly (readonly [name: string, path: string | undefined])[] = [
    ['token file', tokens.file],
    ['file with the secret of signed tokens', tokens.jwtSecretFile],
    ['file with the key of the model', model.apiKeyFile],
    ['file with the token of the metrics', metricsTokenFile],
    ...secretFilesOf(config),
    ['configuration file, which has secrets in it,', file !== null && holdsSecrets(file) ? file : undefined],
  ];
  return files.flatMap(([name, path]) =>
    path !== undefined && isReadableByOthers(path)
      ? [`The ${name} ${path} can be read by other users of this machine: chmod 600 ${path}`]
      : [],
  );
}

/** Whether a configuration file has keys, secrets, or what servers are started or called with. */
function holdsSecrets(path: string): boolean {
  try {
    const { model, tokens, mcpServers, sessions } = fieldsOf(JSON.parse(readFileSync(path, 'utf8')));
    const ofSessions = Object.values(fieldsOf(sessions)).map((settings) => fieldsOf(settings)['mcpServers']);
    const servers = [mcpServers, ...ofSessions].flatMap((some) => Object.values(fieldsOf(some)));
    const hasServerSecrets = servers.some((server) => {
      const { env, headers } = fieldsOf(server);
      return env !== undefined || headers !== undefined;
    });
    const { apiKey, headers } = fieldsOf(model);
    return hasServerSecrets || apiKey !== undefined || headers !== undefined || 'jwtSecret' in fieldsOf(tokens);
  } catch {
    return false; // it was read a moment ago, so it is being replaced
  }
}
