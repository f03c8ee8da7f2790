// The commands about calls that bridges and programs run themselves, as they are sent to a session.
import type {
  OpenCallReply,
  OpenCallRequest,
  ReportCallReply,
  ReportCallRequest,
  SettleCallReply,
  SettleCallRequest,
} from './call-api.ts';
import type { Caller } from './caller.ts';
import type { ExternalCalls } from './external-calls.ts';
import type { Rooms } from './presence.ts';

export interface CallCommandsParts {
  readonly calls: ExternalCalls;
  readonly rooms: Rooms;
  /** Returns a promise that rejects as soon as the session accepts no more commands. */
  rejectAtEnd<T>(reply: Promise<T>): Promise<T>;
}

export class CallCommands {
  readonly #parts: CallCommandsParts;

  constructor(parts: CallCommandsParts) {
    this.#parts = parts;
  }

  /** See `CallRuntime.open`. */
  open(caller: Caller, request: OpenCallRequest): Promise<OpenCallReply> {
    const { calls, rooms, rejectAtEnd } = this.#parts;
    return rejectAtEnd(calls.open(rooms.withRoles(caller), request));
  }

  /** See `CallRuntime.report`. */
  async report(caller: Caller, request: ReportCallRequest): Promise<ReportCallReply> {
    return this.#parts.calls.report(caller, request);
  }

  /** See `CallRuntime.settle`. */
  async settle(caller: Caller, request: SettleCallRequest): Promise<SettleCallReply> {
    return this.#parts.calls.settle(caller, request);
  }
}
