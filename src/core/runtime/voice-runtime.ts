// The commands of a bridge in voice sessions, passed to the session that they are for.
import type { Caller, VoiceRuntime } from '../session/api.ts';
import { reportRefusal } from '../session/observers.ts';
import type { Session } from '../session/session.ts';
import type { CommandRefusal } from '../session/session-spec.ts';

export interface VoiceRuntimeParts {
  /** Runs a command of a session that the caller may speak in. */
  command<T>(id: string, caller: Caller | null, command: (session: Session) => Promise<T>): Promise<T>;
  /** Whether the rule of access lets the caller cancel there. */
  mayCancel(session: Session, caller: Caller | null): boolean;
  onRefused(refusal: CommandRefusal): void;
}

export const createVoiceRuntime = ({ command, mayCancel, onRefused }: VoiceRuntimeParts): VoiceRuntime => ({
  transcript(id, caller, said) {
    const say = (own: Session) => own.commands.voice.transcript(caller, said, mayCancel(own, caller));
    return reportRefusal(id, caller, command(id, caller, say), onRefused);
  },
  bargeIn: (id, caller, request) => command(id, caller, ({ commands }) => commands.voice.bargeIn(caller, request)),
  played: (id, caller, request) => command(id, caller, ({ commands }) => commands.voice.played(request)),
});
