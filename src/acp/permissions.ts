// Turns the permission requests of an outside agent into approvals, one at a time.
//
// 1. A yes is for this once if the agent has such an option; a request that is withdrawn never counts as one.
// 2. After `close` every open request is withdrawn and answered `cancelled`, and so is every later one.
import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { ToolContext } from '../tools/tool.ts';

export interface PermissionRequestsOptions {
  /** The agent's name. */
  readonly name: string;
  readonly requestApproval: ToolContext['requestApproval'];
  titleOf(toolCallId: string): string | undefined;
}

/** Requests of one agent that wait for a person; more are answered `cancelled`. */
const maxWaiting = 16;
/** Characters of the question. */
const maxTextChars = 2_000;

const cancelled: RequestPermissionOutcome = { outcome: 'cancelled' };

export class PermissionRequests {
  readonly #options: PermissionRequestsOptions;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: PermissionRequestsOptions) {
    this.#options = options;
  }

  /** Resolves with the person's answer as the agent understands it. Never rejects. */
  async request(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    if (this.#closing.signal.aborted || this.#waiting >= maxWaiting) return { outcome: cancelled };
    this.#waiting++;
    const outcome = this.#last.then(() => this.#decide(request));
    this.#last = outcome;
    try {
      return { outcome: await outcome };
    } finally {
      this.#waiting--;
    }
  }

  /** Withdraws what is open. */
  close(): void {
    this.#closing.abort();
  }

  async #decide(request: RequestPermissionRequest): Promise<RequestPermissionOutcome> {
    const { signal } = this.#closing;
    const yes = selectOption(['allow_once', 'allow_always'], request.options);
    const no = selectOption(['reject_once', 'reject_always'], request.options) ?? cancelled;
    if (signal.aborted) return cancelled;
    if (!yes) return no; // without an option to allow there is nothing to ask
    try {
      return (await this.#options.requestApproval({ text: this.#textOf(request), signal })) ? yes : no;
    } catch {
      return cancelled; // withdrawn
    }
  }

  #textOf({ toolCall: { toolCallId, title, rawInput } }: RequestPermissionRequest): string {
    const { name, titleOf } = this.#options;
    const action = title ?? titleOf(toolCallId) ?? 'something that it does not name';
    const input = rawInput === undefined || rawInput === null ? '' : `\n${JSON.stringify(rawInput)}`;
    return `${name} asks for permission: ${action}${input}`.slice(0, maxTextChars);
  }
}

/** The agent's first option of the first kind that it has; null: it has none of them. */
function selectOption(kinds: readonly PermissionOption['kind'][], options: readonly PermissionOption[]) {
  for (const kind of kinds) {
    const option = options.find((each) => each.kind === kind);
    if (option) return { outcome: 'selected', optionId: option.optionId } as const;
  }
  return null;
}
