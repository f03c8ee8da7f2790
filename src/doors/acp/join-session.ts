// Joins a session of the runtime for the client, and puts the parts of the door together.
import { type AgentContext, methods } from '@agentclientprotocol/sdk';
import type { Caller } from '../../core/session/api.ts';
import type { Clock } from '../../core/sources/sources.ts';
import type { EmbeddedSession } from '../../embed/embedded-session.ts';
import type { EmbeddedRuntime } from '../../embed/runtime.ts';
import { AcpSession } from './acp-session.ts';
import { ClientQuestions } from './client-questions.ts';
import { SessionChoices } from './session-choices.ts';
import { SessionUpdates } from './session-updates.ts';
import type { SessionFolders } from './stored-folders.ts';
import { UpdateQueue } from './update-queue.ts';

/** The name of the door, in the causes of its stops. */
export const doorName = 'acp';
/** Whoever has started the process. */
export const localSpeaker = { id: 'local', roles: ['member'] } as const;

export interface ClientJoinOptions {
  readonly runtime: Pick<EmbeddedRuntime, 'readBlob'>;
  readonly clock: Clock;
  /** The tokens that the model can read at once; null: not known. */
  readonly contextTokens: number | null;
  /** The client, and whether it shows forms. */
  readonly client: { readonly context: Pick<AgentContext, 'request' | 'notify'>; readonly hasForms: boolean };
  readonly opened: EmbeddedSession;
  readonly roots: SessionFolders;
  /** What of its history the client gets; left out: nothing. */
  readonly from: { readonly after?: number };
  readonly caller: Caller;
}

/** Joins the session. Its `ready` resolves when the client has its history. */
export function joinForClient({
  runtime,
  clock,
  contextTokens,
  client,
  opened,
  roots,
  from,
  caller,
}: ClientJoinOptions): AcpSession {
  const { id: sessionId } = opened;
  const { context, hasForms } = client;
  const local = opened.as(localSpeaker, { ...from, door: doorName });
  const queue = new UpdateQueue((update) => context.notify(methods.client.session.update, { sessionId, update }));
  const choices = new SessionChoices();
  const updates = new SessionUpdates({
    roots,
    clock,
    contextTokens,
    push: (update) => queue.push(update),
    readBlob: (blob) => runtime.readBlob(sessionId, blob),
  });
  const questions = new ClientQuestions({
    sessionId,
    session: local,
    hasForms,
    callOf: (node) => updates.calls.get(node),
    isTrusting: () => choices.mode === 'trust',
    sent: () => queue.drained(),
    requestPermission: (request, cancellationSignal) =>
      context.request(methods.client.session.requestPermission, request, { cancellationSignal }),
    elicit: (request, cancellationSignal) =>
      context.request(
        methods.client.elicitation.create,
        { mode: 'form', sessionId, ...request },
        { cancellationSignal },
      ),
    refuse: (target, question) =>
      void opened.answer(caller, { target, question, answer: 'cannot_ask' }).catch(() => {}), // it is closed
    cancelPrompt: () => session.cancel(),
  });
  const session = new AcpSession({
    session: local,
    choices,
    questions,
    updates,
    queue,
    hasReplay: from.after !== undefined,
  });
  return session;
}
