// Real outside agents on a stand-in of their model: how each is started, and what their model says.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { RealAgent } from '../../../scripts/install-agents.ts';
import type { AcpAgent } from '../../../src/core/contracts/outside-agents.ts';
import { chatCompletions } from '../../support/endpoints/chat-completions.ts';
import { openAIResponses } from '../../support/endpoints/openai-responses.ts';
import {
  type Dialect,
  openStandIn,
  type Play,
  type SeenRequest,
  type StandIn,
} from '../../support/endpoints/stand-in.ts';

/** Whether the agent asks before it runs a command. */
export type Permission = 'asks' | 'runs';

interface Start {
  /** The address of its model. */
  readonly url: string;
  /** Where it keeps its files. */
  readonly home: string;
  readonly permission: Permission;
}

interface AgentKind {
  readonly dialect: () => Dialect;
  /** The call of its shell tool. */
  shell(command: string): readonly [name: string, input: object];
  configure(start: Start): Pick<AcpAgent, 'args' | 'env'>;
}

const kinds: Readonly<Record<string, AgentKind>> = {
  codex: {
    dialect: openAIResponses,
    shell: (cmd) => ['exec_command', { cmd, yield_time_ms: 30_000 }],
    configure({ url, home, permission }) {
      const provider = `{ name = "stand-in", base_url = "${url}", wire_api = "responses", env_key = "MODEL_KEY" }`;
      const settings = {
        model: '"gpt-5"',
        model_provider: '"standin"',
        'model_providers.standin': provider,
        approval_policy: permission === 'asks' ? '"untrusted"' : '"never"',
        sandbox_mode: permission === 'asks' ? '"read-only"' : '"danger-full-access"',
      };
      const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      return { args, env: { HOME: home, CODEX_HOME: home, MODEL_KEY: 'test', OPENAI_API_KEY: 'test' } };
    },
  },
  opencode: {
    dialect: () => chatCompletions('openai'),
    shell: (command) => ['bash', { command, description: 'runs it' }],
    configure({ url, home, permission }) {
      const options = { baseURL: url, apiKey: 'test' };
      const standin = { npm: '@ai-sdk/openai-compatible', name: 'stand-in', options, models: { m: { name: 'm' } } };
      const config = {
        autoupdate: false,
        share: 'disabled',
        model: 'standin/m',
        small_model: 'standin/m',
        permission: { bash: permission === 'asks' ? 'ask' : 'allow' },
        provider: { standin },
      };
      const env = { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_CONFIG_CONTENT: JSON.stringify(config) };
      return { args: ['acp'], env: { HOME: home, ...env } };
    },
  },
};

/** Its model: the words `run <command>` of a task make it run that command, any others make it say `Done: <words>`. */
function dialectOf({ dialect, shell }: AgentKind): Dialect {
  const real = dialect();
  return {
    ...real,
    check: () => null, // what agents send to their model is not tested here
    pieces: (_, request) => real.pieces(playFor(request, shell), request),
  };
}

function playFor({ body }: SeenRequest, shell: AgentKind['shell']): Play {
  if (!body.tools?.length) return { text: 'A title' };
  const last = (body.input ?? body.messages).at(-1);
  const isResult = last.role === 'tool' || last.type === 'function_call_output';
  if (isResult) return { text: 'The command has ended.' };
  const words = JSON.stringify(last.content);
  const [, command] = /task: run ([\w. ]+)/.exec(words) ?? [];
  return command ? { calls: [shell(command)] } : { text: `Done: ${/task: ([\w ]+)/.exec(words)?.[1]}` };
}

export interface AgentOnStandIn {
  readonly model: StandIn;
  agent(permission: Permission): AcpAgent;
}

/** Starts the stand-in of an agent's model. Both, and the files of the agent, are for all tests of a file. */
export async function startAgentModel({ name, path }: RealAgent): Promise<AgentOnStandIn> {
  const kind = kinds[name];
  if (!kind) throw new Error(`nothing says how ${name} is started`);
  const model = await openStandIn(dialectOf(kind));
  const home = mkdtempSync(join(tmpdir(), `belay-${name}-`));
  afterAll(() => {
    model.close();
    rmSync(home, { recursive: true, force: true });
  });
  return {
    model,
    agent: (permission) => ({ command: path, ...kind.configure({ url: model.url, home, permission }) }),
  };
}
