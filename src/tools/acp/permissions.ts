// The permission requests of an outside agent: each is a question to the speaker, one at a time, with the agent's options as choices.
//
// 1. Only the name of an option chooses it; words that name none, and a withdrawn question, never count as allow.
// 2. When the agent is being stopped, or has gone, what is open is withdrawn on every screen and answered `cancelled`.
import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { ToolContext } from '../tool.ts';

export interface PermissionsOptions {
  /** The agent's name. */
  readonly name: string;
  readonly ask: ToolContext['ask'];
  titleOf(toolCallId: string): string | undefined;
}

export interface Permissions {
  ask(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
  /** Withdraws what is open; what comes behind it is answered at once. */
  close(): void;
}

/** Requests of one agent that wait for a person; more are answered `cancelled`. */
const maxWaiting = 16;
const maxOptions = 16;
const maxLabelChars = 200;
/** Of what the agent wants to do, in words. */
const maxTextChars = 2_000;

const cancelled: RequestPermissionOutcome = { outcome: 'cancelled' };

/** A name for each option, no two of them alike. */
function labelsOf(options: readonly PermissionOption[]): ReadonlyMap<string, PermissionOption> {
  const labels = new Map<string, PermissionOption>();
  for (const option of options.slice(0, maxOptions)) {
    const name = option.name.slice(0, maxLabelChars);
    labels.set(labels.has(name) ? `${name} (${labels.size + 1})` : name, option);
  }
  return labels;
}

function chosen(words: string, labels: ReadonlyMap<string, PermissionOption>): RequestPermissionOutcome {
  const options = [...labels.values()];
  const named = [...labels].find(([label]) => label.toLowerCase() === words.trim().toLowerCase())?.[1];
  const option = named ?? options.find(({ kind }) => kind === 'reject_once') ?? options.find(isRejection);
  return option ? { outcome: 'selected', optionId: option.optionId } : cancelled;
}

const isRejection = ({ kind }: PermissionOption) => kind === 'reject_once' || kind === 'reject_always';

export function createPermissions({ name, ask, titleOf }: PermissionsOptions): Permissions {
  const over = new AbortController();
  let line: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const textOf = ({ toolCall: { toolCallId, title, rawInput } }: RequestPermissionRequest) => {
    const what = title ?? titleOf(toolCallId) ?? 'something that it does not name';
    const how = rawInput === undefined || rawInput === null ? '' : `\n${JSON.stringify(rawInput)}`;
    return `${name} asks for permission: ${what}${how}`.slice(0, maxTextChars);
  };
  const put = async (request: RequestPermissionRequest): Promise<RequestPermissionOutcome> => {
    const labels = labelsOf(request.options);
    if (over.signal.aborted || labels.size === 0) return cancelled;
    try {
      const words = await ask({ text: textOf(request), choices: [...labels.keys()], signal: over.signal });
      return chosen(words, labels);
    } catch {
      return cancelled; // withdrawn
    }
  };

  return {
    async ask(request) {
      if (over.signal.aborted || waiting >= maxWaiting) return { outcome: cancelled };
      waiting++;
      const answer = line.then(() => put(request));
      line = answer;
      try {
        return { outcome: await answer };
      } finally {
        waiting--;
      }
    },
    close: () => over.abort(),
  };
}
