// A door of its own for the people of a scenario: commands go to the runtime at once, with refs of the scenario's choice, as they do over HTTP.
import type { Speaker } from '../../../machines/vocabulary.ts';
import type {
  AnswerReply,
  AnswerRequest,
  CancelReply,
  CancelRequest,
  ImportRequest,
  Runtime,
  SayReply,
  SayRequest,
} from '../../../src/core/session/api.ts';
import type { CommandEvidence, Growing } from '../laws/evidence.ts';

/** Resolves with null where there is no reply: the runtime rejects while it closes, or its host is dead. */
export interface CommandDoor {
  say(said: SayRequest): Promise<SayReply | null>;
  cancel(request: CancelRequest): Promise<CancelReply | null>;
  answer(request: AnswerRequest): Promise<AnswerReply | null>;
  /** Imports a conversation that was held elsewhere into the empty session. Resolves with whether it was accepted. */
  bring(request: ImportRequest): Promise<boolean>;
}

export interface DoorParts {
  /** The open host; null: there is none. */
  runtime(): Pick<Runtime, 'say' | 'cancel' | 'answer' | 'importMessages'> | null;
  readonly session: string;
  readonly speaker: Speaker;
  /** The connection that it says it is. */
  readonly connection: string;
  /** The virtual time. */
  now(): number;
  /** Reads the stored log. */
  readLog(): Promise<readonly object[]>;
  /** The record of all commands. */
  readonly commands: CommandEvidence[];
}

type Reply = SayReply | CancelReply | AnswerReply;

export function openDoor({ runtime, session, speaker, connection, now, readLog, commands }: DoorParts): CommandDoor {
  const caller = { speaker, connection, door: 'openai' };
  const record = async <R extends Reply>(
    type: string,
    { ref, ...content }: { readonly ref?: string | undefined },
    send: (host: NonNullable<ReturnType<DoorParts['runtime']>>) => Promise<R>,
  ): Promise<R | null> => {
    const host = runtime();
    const command: Growing<CommandEvidence> = {
      speaker: speaker.id,
      ref: ref ?? null,
      type,
      content: JSON.stringify(content),
      reply: null,
      repliedAt: null,
      isRepeated: false,
      receipt: null,
      isEarly: false,
    };
    commands.push(command);
    const replied = host && (await send(host).catch(() => null));
    if (!replied || host !== runtime()) return null;
    command.reply = replied.type;
    command.repliedAt = now();
    command.isRepeated = 'repeated' in replied && replied.repeated !== false;
    if (replied.type === 'cancel_accepted' && replied.durable) {
      const { cancel } = replied.receipt;
      command.receipt = cancel;
      const isStored = (fact: object) =>
        'type' in fact && fact.type === 'cancel_accepted' && 'cancel' in fact && fact.cancel === cancel;
      command.isEarly = !(await readLog()).some(isStored);
    }
    return replied;
  };
  return {
    say: (said) => record(said.steer ? 'STEER' : 'SAY', said, (host) => host.say(session, caller, said)),
    cancel: (request) => record('CANCEL', request, (host) => host.cancel(session, caller, request)),
    answer: (request) => record('ANSWER', request, (host) => host.answer(session, caller, request)),
    async bring(request) {
      const replied = await runtime()
        ?.importMessages(session, caller, request)
        .catch(() => null);
      return replied?.type === 'imported';
    },
  };
}
