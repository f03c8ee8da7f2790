// Passes on to the client of MCP what a turn asks its speaker, and the answers.
//
// 1. Up to 2025-11-25 the server sends a request of its own, and withdraws it if the question is closed in another way.
// 2. From 2026-07-28 on the answer to the call is what is asked, and the client sends the call again with the answers: nothing is kept between the two but the turn.
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitResult,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { SequencedFact } from '../../../machines/facts.ts';
import { fieldsOf } from '../../core/collections/fields.ts';
import type { ServerFrame } from '../../wire/server-frames.ts';
import type { AskingFrame } from '../door-turns/door-turn.ts';
import { answerOf, formOf } from './elicited-answer.ts';
import { type McpRequest, whenClosed } from './mcp-request.ts';

/** The longest time that the SDK's timer can wait, in milliseconds: how long a question is open is said by Belay. */
const noTimeoutMs = 2_147_483_647;

/** The turn that a call has opened. */
export interface CallTurn {
  readonly session: string;
  readonly turn: string;
  /** The sequence number of its opening. */
  readonly openedAt: number;
}

/**
 * Whether the client of a request can show a form. One that names no kind of elicitation means forms.
 * @param declared What it has declared when it was initialized. From 2026-07-28 on each request declares it.
 */
export function canElicit({ ctx, era }: McpRequest, declared: ClientCapabilities | undefined): boolean {
  const inRequest = fieldsOf(ctx.mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY];
  const { elicitation } = fieldsOf(era === 'modern' ? inRequest : declared);
  if (elicitation === undefined || elicitation === null) return false;
  const kinds = fieldsOf(elicitation);
  return kinds['form'] !== undefined || kinds['url'] === undefined;
}

interface AskedForm {
  readonly frame: AskingFrame;
  /** Withdraws the form. */
  readonly withdrawal: AbortController;
}

/** Asks by requests of the server, while the call runs. */
export class PushedQuestions {
  readonly #request: McpRequest;
  readonly #turn: CallTurn;
  readonly #asked = new Map<string, AskedForm>();

  /** @param isCall Nobody else asks what its client cannot be asked any more. */
  constructor(request: McpRequest, turn: CallTurn, isCall: boolean) {
    this.#request = request;
    this.#turn = turn;
    const { response } = request.sender;
    if (response && isCall) whenClosed(response, () => this.#loseClient());
  }

  ask(frame: AskingFrame): boolean {
    if (this.#request.sender.response?.destroyed) return false;
    const form = { frame, withdrawal: new AbortController() };
    this.#asked.set(keyOf(frame), form);
    void this.#show(form);
    return true;
  }

  /** Withdraws what was asked as soon as it is closed. */
  onFrame(frame: ServerFrame): void {
    if (frame.type !== 'approval_closed' && frame.type !== 'question_closed') return;
    const key = keyOf(frame);
    this.#asked.get(key)?.withdrawal.abort('It was answered elsewhere, or is not asked any more.');
    this.#asked.delete(key);
  }

  /** A question in the facts that are read again may have been answered by now. */
  async #show({ frame, withdrawal: { signal } }: AskedForm): Promise<void> {
    const { ctx } = this.#request;
    if (!(await readOpen(this.#request)).includes(keyOf(frame))) return;
    const asking: Promise<ElicitResult | null> = ctx.mcpReq.send(
      { method: 'elicitation/create', params: { ...formOf(frame) } },
      { signal, timeout: noTimeoutMs },
    );
    const elicited = await asking.catch(() => null); // the client cannot show it after all
    if (!signal.aborted) this.#answer(frame, elicited ? answerOf(frame, elicited) : { answer: 'cannot_ask' });
  }

  /** Nobody can fill in the forms any more. */
  #loseClient(): void {
    for (const { frame } of this.#asked.values()) this.#answer(frame, { answer: 'cannot_ask' });
  }

  #answer({ node: target, question }: AskingFrame, answer: ReturnType<typeof answerOf>): void {
    const { sender, door } = this.#request;
    const { runtime, report } = door.services;
    runtime.answer(this.#turn.session, sender.caller, { target, question, ...answer }).catch(report);
  }
}

/** Asks by the answer to the call. */
export class ReturnedQuestions {
  readonly #request: McpRequest;
  readonly #turn: CallTurn;
  /** Called when the call is to be answered with what is asked. */
  readonly #onAsked: () => void;
  #asked: readonly AskingFrame[] = [];

  constructor(request: McpRequest, turn: CallTurn, onAsked: () => void) {
    this.#request = request;
    this.#turn = turn;
    this.#onAsked = onAsked;
  }

  /** A question in the facts that are read again may have been answered by now. */
  ask(frame: AskingFrame): boolean {
    this.#asked = [...this.#asked, frame];
    void this.#checkOpen();
    return true;
  }

  onFrame(frame: ServerFrame): void {
    if (frame.type !== 'approval_closed' && frame.type !== 'question_closed') return;
    const key = keyOf(frame);
    this.#asked = this.#asked.filter((asked) => keyOf(asked) !== key);
  }

  /** The answer to the call; null: nothing is asked. */
  get result(): InputRequiredResult | null {
    if (this.#asked.length === 0) return null;
    const requests = this.#asked.map((frame) => [keyOf(frame), inputRequired.elicit(formOf(frame))]);
    return inputRequired({ inputRequests: Object.fromEntries(requests), requestState: JSON.stringify(this.#turn) });
  }

  async #checkOpen(): Promise<void> {
    const open = await readOpen(this.#request);
    this.#asked = this.#asked.filter((frame) => open.includes(keyOf(frame)));
    if (this.#asked.length > 0) this.#onAsked();
  }
}

/** Resolves with the keys of what is asked now. */
async function readOpen({ door, sender }: McpRequest): Promise<readonly string[]> {
  const directory = await door.services.runtime.directory();
  const { questions } = await directory.questions(sender.caller);
  return questions.map(({ asked }) => keyOf(asked));
}

const keyOf = ({ node, question = '' }: { readonly node: string; readonly question?: string }) => `${node} ${question}`;

const stateSchema = z.strictObject({ session: z.string(), turn: z.string(), openedAt: z.int().min(1) });

/**
 * Reads the turn that a call goes on with, and passes on the answers that it brings. Null: the call opens a turn. The state comes from the client: it names a turn that the speaker may
 * read, and what it answers is judged as any answer.
 */
export async function readReturn(request: McpRequest): Promise<CallTurn | null> {
  const { ctx, sender, door } = request;
  const state = ctx.mcpReq.requestState<string>();
  if (state === undefined) return null;
  const { runtime } = door.services;
  const turn = parseState(state);
  if (!(await readOwnTurn(request, turn))) throw badState();
  const directory = await runtime.directory();
  const responses = ctx.mcpReq.inputResponses ?? {};
  const { questions } = await directory.questions(sender.caller);
  const open = questions.filter(({ session }) => session === turn.session);
  for (const { asked } of open) {
    const elicited = responses[keyOf(asked)];
    if (elicited === undefined) continue;
    const frame = { session: turn.session, seq: 0, at: 0, ...asked } satisfies AskingFrame;
    const { node: target, question } = asked;
    await runtime.answer(turn.session, sender.caller, { target, question, ...answerOf(frame, elicited) });
  }
  return turn;
}

/** Resolves with the opening of a turn of the speaker; null: there is none. Rejects if the speaker may not read the session. */
export async function readOwnTurn(
  { door, sender: { caller } }: McpRequest,
  { session, turn, openedAt }: CallTurn,
): Promise<TurnOpening | null> {
  const directory = await door.services.runtime.directory();
  const page = { after: openedAt - 1, before: null, limit: 1 };
  const [opening] = await directory.readFacts(caller, session, page);
  const fact = opening?.fact;
  return fact?.type === 'turn_opened' && fact.turn === turn && fact.owner === caller.speaker.id ? fact : null;
}

type TurnOpening = Extract<SequencedFact['fact'], { readonly type: 'turn_opened' }>;

function parseState(state: string): CallTurn {
  const parsed = stateSchema.safeParse(jsonOf(state));
  if (!parsed.success) throw badState();
  return parsed.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const badState = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'The requestState names no turn of this speaker.', {
    code: 'bad_field',
    field: 'requestState',
  });
