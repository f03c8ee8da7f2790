// Which SAY became which turn, by connection and ref; and the CANCELs that came before their SAY.
import type { NodeId, SpeakerId } from '../../machines/vocabulary.ts';
import type { Clock, Disarm } from '../sources/sources.ts';
import type { SayReply } from './api.ts';

/** Refs that are remembered for a connection. */
const refsPerConnection = 256;

export interface SaysOptions {
  readonly clock: Clock;
  /** How long a CANCEL that comes before its SAY is remembered. */
  readonly tombstoneMs: number;
}

/** A SAY that has no answer yet. */
interface Opening {
  readonly turn: NodeId;
  readonly answer: Promise<SayReply>;
}

interface Connection {
  readonly turns: Map<string, NodeId>;
  readonly tombstones: Map<string, Disarm>;
}

export type Says = ReturnType<typeof createSays>;

export function createSays({ clock, tombstoneMs }: SaysOptions) {
  const connections = new Map<string, Connection>();
  /** By speaker and ref: what is said again meanwhile, on whatever connection, is a repeat. */
  const unanswered = new Map<string, Opening>();
  const keyOf = (by: SpeakerId, ref: string) => JSON.stringify([by, ref]);
  const at = (id: string): Connection => {
    const known = connections.get(id) ?? { turns: new Map(), tombstones: new Map() };
    connections.set(id, known);
    return known;
  };

  return {
    said(connection: string, ref: string, turn: NodeId): void {
      const { turns } = at(connection);
      turns.set(ref, turn);
      if (turns.size > refsPerConnection) turns.delete(turns.keys().next().value as string);
    },
    turnOf: (connection: string, ref: string): NodeId | undefined => connections.get(connection)?.turns.get(ref),
    opening: (by: SpeakerId, ref: string): Opening | undefined => unanswered.get(keyOf(by, ref)),
    open(by: SpeakerId, ref: string, opening: Opening): void {
      unanswered.set(keyOf(by, ref), opening);
      void opening.answer.then(() => unanswered.delete(keyOf(by, ref)));
    },
    /** The SAY of this ref is refused if it comes soon. */
    bury(connection: string, ref: string): void {
      const { tombstones } = at(connection);
      if (tombstones.has(ref) || tombstones.size >= refsPerConnection) return;
      tombstones.set(
        ref,
        clock.after(tombstoneMs, () => tombstones.delete(ref)),
      );
    },
    /** Whether a CANCEL had come before this SAY. Said again, it is the same SAY. */
    isBuried: (connection: string, ref: string): boolean => connections.get(connection)?.tombstones.has(ref) ?? false,
    forget(connection: string): void {
      for (const disarm of connections.get(connection)?.tombstones.values() ?? []) disarm();
      connections.delete(connection);
    },
    end(): void {
      for (const id of [...connections.keys()]) this.forget(id);
      unanswered.clear();
    },
  };
}
