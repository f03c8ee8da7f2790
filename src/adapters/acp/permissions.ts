// Turns the permission requests of an outside agent into approvals, one at a time.
//
// 1. An approval allows the request once, if the agent offers that option. A withdrawn request never counts as approved.
// 2. `close` withdraws all open requests. Their response is `cancelled`, and so is that of every later request.
import type {
  PermissionOption,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { ToolContext } from '../../core/contracts/tool.ts';

export interface PermissionRequestsOptions {
  /** The agent's name. */
  readonly name: string;
  readonly requestApproval: ToolContext['requestApproval'];
  titleOf(toolCallId: string): string | undefined;
}

/** The limit of requests of one agent that wait for a person. The response to further ones is `cancelled`. */
const maxInFlight = 16;

const cancelled: RequestPermissionOutcome = { outcome: 'cancelled' };

export class PermissionRequests {
  readonly #options: PermissionRequestsOptions;
  readonly #closing = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #inFlight = 0;

  constructor(options: PermissionRequestsOptions) {
    this.#options = options;
  }

  /** Resolves with the person's answer as the agent understands it. Never rejects. */
  async request(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    if (this.#closing.signal.aborted || this.#inFlight >= maxInFlight) return { outcome: cancelled };
    this.#inFlight++;
    const outcome = this.#last.then(() => this.#decide(request));
    this.#last = outcome;
    try {
      return { outcome: await outcome };
    } finally {
      this.#inFlight--;
    }
  }

  /** Withdraws all requests, now and later. */
  close(): void {
    this.#closing.abort();
  }

  async #decide(request: RequestPermissionRequest): Promise<RequestPermissionOutcome> {
    const { signal } = this.#closing;
    const allow = selectOption(['allow_once', 'allow_always'], request.options);
    const reject = selectOption(['reject_once', 'reject_always'], request.options) ?? cancelled;
    if (signal.aborted) return cancelled;
    if (!allow) return reject; // the agent offers no option to allow: there is nothing to ask
    try {
      return (await this.#options.requestApproval({ text: this.#textOf(request), signal })) ? allow : reject;
    } catch {
      return cancelled; // withdrawn
    }
  }

  #textOf({ toolCall: { toolCallId, title, rawInput } }: RequestPermissionRequest): string {
    const { name, titleOf } = this.#options;
    const action = title ?? titleOf(toolCallId) ?? 'something that it does not name';
    const input = rawInput === undefined || rawInput === null ? '' : `\n${JSON.stringify(rawInput)}`;
    return `${name} asks for permission: ${action}${input}`;
  }
}

/** Returns the agent's first option of the first of the kinds that it has; null if it has none of them. */
function selectOption(kinds: readonly PermissionOption['kind'][], options: readonly PermissionOption[]) {
  for (const kind of kinds) {
    const option = options.find((each) => each.kind === kind);
    if (option) return { outcome: 'selected', optionId: option.optionId } as const;
  }
  return null;
}
