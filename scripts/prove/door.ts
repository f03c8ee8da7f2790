// A door of its own for the people of a scenario: commands go to the runtime at once, with refs of the scenario's choice, as they do over HTTP.
import type { Role } from '../../machines/vocabulary.ts';
import type {
  AnswerReply,
  AnswerRequest,
  CancelReply,
  CancelRequest,
  Runtime,
  SayReply,
  SayRequest,
} from '../../src/core/session/api.ts';
import type { CommandEvidence } from './evidence.ts';

/** Resolves with null where the runtime rejects: it may be closing. */
export interface PersonalDoor {
  say(said: SayRequest): Promise<SayReply | null>;
  cancel(request: CancelRequest): Promise<CancelReply | null>;
  answer(request: AnswerRequest): Promise<AnswerReply | null>;
}

export interface DoorParts {
  readonly runtime: Pick<Runtime, 'say' | 'cancel' | 'answer'>;
  readonly session: string;
  readonly speaker: { readonly id: string; readonly roles: readonly Role[] };
  /** The virtual time. */
  now(): number;
  /** Reads the stored log. */
  readLog(): Promise<readonly object[]>;
  /** The record of all commands. */
  readonly commands: CommandEvidence[];
}

type Reply = SayReply | CancelReply | AnswerReply;

export function openDoor({ runtime, session, speaker, now, readLog, commands }: DoorParts): PersonalDoor {
  const caller = { speaker, connection: `door of ${speaker.id}` };
  const record = async <R extends Reply>(
    type: string,
    { ref, ...content }: { readonly ref?: string | undefined },
    reply: Promise<R>,
  ): Promise<R | null> => {
    const command: { -readonly [Field in keyof CommandEvidence]: CommandEvidence[Field] } = {
      speaker: speaker.id,
      ref: ref ?? null,
      type,
      content: JSON.stringify(content),
      reply: null,
      repliedAt: null,
      isRepeated: false,
      isEarly: false,
    };
    commands.push(command);
    const replied = await reply.catch(() => null);
    if (!replied) return null;
    command.reply = replied.type;
    command.repliedAt = now();
    command.isRepeated = 'repeated' in replied && replied.repeated !== false;
    if (replied.type === 'cancel_accepted' && replied.durable) {
      const { cancel } = replied.receipt;
      const isStored = (fact: object) =>
        'type' in fact && fact.type === 'cancel_accepted' && 'cancel' in fact && fact.cancel === cancel;
      command.isEarly = !(await readLog()).some(isStored);
    }
    return replied;
  };
  return {
    say: (said) => record(said.steer ? 'STEER' : 'SAY', said, runtime.say(session, caller, said)),
    cancel: (request) => record('CANCEL', request, runtime.cancel(session, caller, request)),
    answer: (request) => record('ANSWER', request, runtime.answer(session, caller, request)),
  };
}
