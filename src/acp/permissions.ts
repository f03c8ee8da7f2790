// The permission requests of an outside agent: each is an approval, asked of the speaker, one at a time.
//
// 1. A yes is for this once where the agent has such an option; a request that is withdrawn never counts as one.
// 2. When the agent is being stopped, or has gone, what is open is withdrawn on every screen and answered `cancelled`.
import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { ToolContext } from '../tools/tool.ts';

export interface PermissionsOptions {
  /** The agent's name. */
  readonly name: string;
  readonly askLeave: ToolContext['requestApproval'];
  titleOf(toolCallId: string): string | undefined;
}

export interface Permissions {
  ask(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
  /** Withdraws what is open; what comes behind it is answered at once. */
  close(): void;
}

/** Requests of one agent that wait for a person; more are answered `cancelled`. */
const maxWaiting = 16;
/** Of what the agent wants to do, in words. */
const maxTextChars = 2_000;

const cancelled: RequestPermissionOutcome = { outcome: 'cancelled' };

/** What the agent hears: the first of its options that says this, the narrower one first. */
function chosen(kinds: readonly PermissionOption['kind'][], options: readonly PermissionOption[]) {
  for (const wanted of kinds) {
    const option = options.find(({ kind }) => kind === wanted);
    if (option) return { outcome: 'selected', optionId: option.optionId } as const;
  }
  return null;
}

export function createPermissions({ name, askLeave, titleOf }: PermissionsOptions): Permissions {
  const over = new AbortController();
  let line: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  const textOf = ({ toolCall: { toolCallId, title, rawInput } }: RequestPermissionRequest) => {
    const what = title ?? titleOf(toolCallId) ?? 'something that it does not name';
    const how = rawInput === undefined || rawInput === null ? '' : `\n${JSON.stringify(rawInput)}`;
    return `${name} asks for permission: ${what}${how}`.slice(0, maxTextChars);
  };
  const put = async (request: RequestPermissionRequest): Promise<RequestPermissionOutcome> => {
    const yes = chosen(['allow_once', 'allow_always'], request.options);
    const no = chosen(['reject_once', 'reject_always'], request.options) ?? cancelled;
    if (over.signal.aborted) return cancelled;
    if (!yes) return no; // nobody is asked for what nobody can allow
    try {
      return (await askLeave({ text: textOf(request), signal: over.signal })) ? yes : no;
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
